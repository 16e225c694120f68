package cli

import (
	"context"
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
	t.Chdir(given.Folder(t, stored...))
	t.Setenv("MCP_DOCS_STORE", postgres.URL(t))
	const publish, left = "publish --target store --to handbook", "mcp-docs-server: left out: resources/x/h/.hidden (hidden)\n"
	rows(t,
		row{publish + " -n", 0, `          28  docs/index.md
           6  docs/old.md
          69  mcp-docs-server.json
         330  mcp-docs-sites.json
           2  resources/x/h/a.md
left out: resources/x/h/.hidden (hidden)

project:   handbook
package:   @acme/handbook 1.2.3
files:     5
unpacked:  435 bytes
`, ""},
		row{publish, 0, "number:    1\nproject:   handbook\npackage:   @acme/handbook 1.2.3\nfiles:     5\nunpacked:  435 bytes\n", left},
		row{publish, 0, "number:    1\n…", left + "…version 1 of handbook in the store has the same files and is served: nothing is published\n"})
	must.Write(t, "docs/index.md", "# Two\n")
	rows(t,
		row{publish + " --json", 0, "{\n  \"target\": \"store\",…\"published\": true,\n  \"project\": \"handbook\",\n  \"number\": 2,…", ""},
		row{"store versions handbook", 0, "* 2  20…\n  1  20…1.2.3  5 files  435 bytes\n", ""},
		row{"store rollback handbook", 0, "serving:   handbook 1\n", ""},
		row{"store rollback handbook 2", 0, "serving:   handbook 2\n", ""},
		row{"store versions --json handbook", 0, "[…\"current\": true…]\n", ""},
		row{"store migrate", 0, "the tables of the store are up to date\n", ""})
}

func TestStoreMistakes(t *testing.T) {
	empty := postgres.URL(t)
	t.Setenv("MCP_DOCS_STORE", postgres.URL(t))
	line(t, "store migrate").ends(0)
	t.Chdir(given.Folder(t, append(stored, "resources/x/h/key.txt=-----BEGIN RSA PRIV"+"ATE KEY-----\n"+strings.Repeat("MIIEpAIBAAKCAQEA7bq98hP2kZ0", 20)+"\n-----END RSA PRIVATE KEY-----\n")...))
	refuses(t, [][2]string{
		{"publish --target store --to x", "resources/x/h/key.txt…nothing is published"},
		{"store forget https://example.com", "the store has no capture of https://example.com/"},
		{"store forget 'example com'", "is not a URL"},
		{"store versions x --store '" + empty + "'", "this database has no store yet"},
		{"store versions x", `the store has no project "x": publish it with publish --target store --to x`},
	})
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
	must.Until(t, "the version", func() bool { return strings.Contains(printed.String(), "serving another version") })
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
