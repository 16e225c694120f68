package cli

import (
	"context"
	"encoding/json"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/postgres"
)

var stored = []string{
	`mcp-docs-server.json={"name": "Handbook", "package": "@acme/handbook", "version": "1.2.3"}`,
	"docs/index.md=# Index\n\nThe first version.\n", "docs/old.md=# Old\n", "resources/x/h/a.md=A1", "resources/x/h/.hidden=no",
}

func TestPublishToStore(t *testing.T) {
	store := postgres.URL(t)
	dir := given.Folder(t, stored...)
	publish := func(args ...string) (code int, out, errs string) {
		t.Helper()
		return run(t, nil, append([]string{"publish", "--target", "store", "--store", store, "--to", "handbook", dir}, args...)...)
	}
	try(t, "publish", "--target", "store", "--to", "handbook", "-n", dir).ends(0).printsOnly(`          28  docs/index.md
           6  docs/old.md
          69  mcp-docs-server.json
         330  mcp-docs-sites.json
           2  resources/x/h/a.md
left out: resources/x/h/.hidden (hidden)

project:   handbook
package:   @acme/handbook 1.2.3
files:     5
unpacked:  435 bytes
`)
	if code, out, errs := publish(); code != 0 || out != "number:    1\nproject:   handbook\npackage:   @acme/handbook 1.2.3\nfiles:     5\nunpacked:  435 bytes\n" ||
		errs != "mcp-docs-server: left out: resources/x/h/.hidden (hidden)\n" {
		t.Errorf("code %d: %s%s", code, out, errs)
	}
	if code, out, errs := publish(); code != 0 || !strings.HasPrefix(out, "number:    1\n") || !strings.Contains(errs, "version 1 of handbook in the store has the same files and is served: nothing is published") {
		t.Errorf("code %d: %s%s", code, out, errs)
	}
	must.Write(t, filepath.Join(dir, "docs/index.md"), "# Two\n")
	code, out, errs := publish("--json")
	var p struct {
		Target, Project string
		Number          int
		Published       bool
		Files           []struct{ Name string }
	}
	if err := json.Unmarshal([]byte(out), &p); err != nil || code != 0 || p.Target != "store" || p.Project != "handbook" || p.Number != 2 || !p.Published || len(p.Files) != 5 {
		t.Errorf("code %d: %s%s", code, out, errs)
	}

	t.Setenv("MCP_DOCS_STORE", store)
	if code, out, errs := run(t, nil, "store", "versions", "handbook"); code != 0 || strings.Count(out, "\n") != 2 || !strings.HasPrefix(out, "* 2  20") || !strings.Contains(out, "\n  1  20") || !strings.Contains(out, "1.2.3  5 files  435 bytes\n") {
		t.Errorf("code %d: %s%s", code, out, errs)
	}
	try(t, "store", "rollback", "handbook").ends(0).printsOnly("serving:   handbook 1\n")
	try(t, "store", "rollback", "handbook", "2").ends(0).printsOnly("serving:   handbook 2\n")
	if code, out, errs := run(t, nil, "store", "versions", "--json", "handbook"); code != 0 || !json.Valid([]byte(out)) || !strings.Contains(out, `"current": true`) {
		t.Errorf("code %d: %s%s", code, out, errs)
	}
	try(t, "store", "migrate").ends(0).printsOnly("the tables of the store are up to date\n")
}

func TestStoreMistakes(t *testing.T) {
	store, empty := postgres.URL(t), postgres.URL(t)
	try(t, "store", "migrate", "--store", store).ends(0)
	dir := given.Folder(t, stored...)
	secret := given.Folder(t, append(stored, "resources/x/h/key.txt=-----BEGIN RSA PRIV"+"ATE KEY-----\n"+strings.Repeat("MIIEpAIBAAKCAQEA7bq98hP2kZ0", 20)+"\n-----END RSA PRIVATE KEY-----\n")...)
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"publish", "--target", "store", "--store", store, dir}, "say under which name replicas find the project, as in --to handbook"},
		{[]string{"publish", "--target", "store", "--store", store, "--to", "../x", dir}, `--to "../x" is not a name for a project in the store`},
		{[]string{"publish", "--target", "store", "--to", "x", dir}, "say which store: --store postgres://user@host/database, --store-file or MCP_DOCS_STORE"},
		{[]string{"publish", "--target", "store", "--store", "postgres://u:hunter2@h/d", "--to", "x", dir}, "--store has a password"},
		{[]string{"publish", "--target", "store", "--store", "postgres://u@127.0.0.1:1/d", "--to", "x", dir}, "the store cannot be reached"},
		{[]string{"publish", "--target", "store", "--store", store, "--to", "x", secret}, "resources/x/h/key.txt"},
		{[]string{"store"}, "say what to do: store versions"},
		{[]string{"store", "forget", "--store", store, "https://example.com"}, "the store has no capture of https://example.com/"},
		{[]string{"store", "forget", "--store", store, "example com"}, "is not a URL"},
		{[]string{"store", "versions", "--store", empty, "x"}, "this database has no store yet"},
		{[]string{"store", "versions", "--store", store, "x"}, `the store has no project "x": publish it with publish --target store --to x`},
		{[]string{"store", "rollback", "--store", store, "x", "one"}, `"one" is not the number of a version`},
	} {
		code, out, errs := run(t, nil, test.args...)
		if code != codeOf(errs) || out != "" || !strings.Contains(errs, test.want) || strings.Contains(errs, "hunter2") {
			t.Errorf("%q: code %d, %s%s", test.args[:2], code, out, errs)
		}
	}
}

// With the printed statements, one role only publishes, and another one serves and cannot change what is published.
func TestStoreRoles(t *testing.T) {
	store := postgres.URL(t)
	_, grants, _ := run(t, nil, "store", "grants")
	admin := sqlOf(t, store)
	const roles = "docs_migrate, docs_publish, docs_serve"
	for role := range strings.SplitSeq(roles, ", ") {
		must.Get(admin.Exec(t.Context(), "CREATE ROLE "+role+" LOGIN"))(t)
	}
	t.Cleanup(func() { _, _ = admin.Exec(context.Background(), "DROP OWNED BY "+roles+" CASCADE; DROP ROLE "+roles) })
	must.Get(admin.Exec(t.Context(), "DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO docs_migrate', current_database()); END $$"))(t)
	as := func(role string) string {
		u := must.Get(url.Parse(store))(t)
		u.User = url.User(role)
		return u.String()
	}
	dir := given.Folder(t, stored...)
	publish := []string{"publish", "--target", "store", "--to", "handbook", dir}
	t.Setenv("MCP_DOCS_STORE", as("docs_publish"))
	try(t, publish...).ends(1).complains(`run "mcp-docs-server store migrate"`)
	t.Setenv("MCP_DOCS_STORE", as("docs_migrate"))
	for range 2 {
		try(t, "store", "migrate").ends(0)
	}
	owner := sqlOf(t, as("docs_migrate"))
	must.Get(owner.Exec(t.Context(), grants))(t)
	t.Setenv("MCP_DOCS_STORE", as("docs_serve"))
	try(t, publish...).ends(1).complains("permission denied for table blobs")
	t.Setenv("MCP_DOCS_STORE", as("docs_publish"))
	for n := range 7 {
		must.Write(t, filepath.Join(dir, "docs/index.md"), strings.Repeat("#", n))
		try(t, publish...).ends(0)
	}
	try(t, "store", "rollback", "handbook").ends(0)
	t.Setenv("MCP_DOCS_STORE", as("docs_serve"))
	try(t, "store", "versions", "handbook").ends(0)
	try(t, "store", "rollback", "handbook").ends(1).complains("permission denied")
	_, printed := startHTTP(t, "--http=127.0.0.1:0", "--from", "handbook", "--cache-dir", filepath.Join(t.TempDir(), "cache"), "--capture")
	t.Setenv("MCP_DOCS_STORE", as("docs_publish"))
	try(t, "store", "rollback", "handbook").ends(0)
	for end := time.Now().Add(time.Minute); !strings.Contains(printed.String(), "serving another version"); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the version is not served: %s", printed)
		}
	}
	if strings.Contains(printed.String(), "denied") {
		t.Errorf("the server printed %s", printed)
	}
	serve, publisher := sqlOf(t, as("docs_serve")), sqlOf(t, as("docs_publish"))
	for _, table := range []string{"trees", "tree_files", "blobs", "blob_parts", "projects", "schema_version"} {
		for _, sql := range []string{"DELETE FROM mcp_docs." + table, "TRUNCATE mcp_docs." + table, "INSERT INTO mcp_docs." + table + " DEFAULT VALUES", "DROP TABLE mcp_docs." + table} {
			if _, err := serve.Exec(t.Context(), sql); err == nil || !strings.Contains(err.Error(), "denied") && !strings.Contains(err.Error(), "must be owner") {
				t.Errorf("%s: %v", sql, err)
			}
		}
	}
	rows, err := owner.Query(t.Context(), "SELECT tablename FROM pg_tables WHERE schemaname = 'mcp_docs'")
	must.Do(t, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(tables) < 10 {
		t.Fatal(tables, err)
	}
	for _, table := range tables { // including tables of later versions
		if _, err := serve.Exec(t.Context(), "SELECT FROM mcp_docs."+table); err != nil {
			t.Errorf("grants.sql: %v", err)
		}
	}
	for _, table := range []string{"captures", "jobs", "leases", "ended_sessions", "session_key"} {
		if _, err := publisher.Exec(t.Context(), "SELECT FROM mcp_docs."+table); err == nil {
			t.Errorf("a publisher reads %s", table)
		}
		if _, err := serve.Exec(t.Context(), "DELETE FROM mcp_docs."+table); err != nil {
			t.Error(err)
		}
	}
}

// sqlOf connects to a database.
func sqlOf(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	config := must.Get(pgx.ParseConfig(url))(t)
	config.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	conn := must.Get(pgx.ConnectConfig(ctx, config))(t)
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

func TestServeFromMistakes(t *testing.T) {
	const store = "--store=postgres://u@127.0.0.1:1/d"
	for _, test := range []struct {
		args string
		want string
	}{
		{"--from x", "--from needs --http"},
		{"--http --from x --cache-dir c", "--from needs a store: --store, --store-file or MCP_DOCS_STORE"},
		{"--http --from x " + store, "--from needs --cache-dir DIR"},
		{"--http --from X --cache-dir c " + store, `--from "X" is not a name for a project in the store`},
		{"--http --from x --cache-dir c --no-watch " + store, "--no-watch is for folders and has no meaning with --from"},
		{"--http=127.0.0.1:0 --from x --cache-dir /dev/null/c " + store, "--cache-dir /dev/null/c: is not a folder, or is not in one"},
	} {
		code, _, errs := run(t, nil, append([]string{"serve"}, strings.Fields(test.args)...)...)
		if code != codeOf(errs) || !strings.Contains(errs, test.want) {
			t.Errorf("%s: code %d, %s", test.args, code, errs)
		}
	}
}
