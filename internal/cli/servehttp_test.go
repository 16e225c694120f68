package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/postgres"
)

// startHTTP serves over HTTP until the test ends. It returns the URL of the first endpoint without
// its path, and what the server prints.
func startHTTP(t *testing.T, args ...string) (base string, printed *must.Output) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	printed = &must.Output{}
	ended := make(chan int, 1)
	go func() {
		ended <- Run(ctx, append([]string{"serve"}, args...), Streams{In: strings.NewReader(""), Out: io.Discard, Err: printed})
	}()
	t.Cleanup(func() {
		stop()
		if code := <-ended; code != 0 {
			t.Errorf("serve ended with code %d: %s", code, printed)
		}
	})
	must.Until(t, "serve", func() bool {
		_, rest, _ := strings.Cut(printed.String(), "serving over HTTP at ")
		found := false
		base, _, found = strings.Cut(rest, "/mcp")
		return found || len(ended) > 0
	})
	if base == "" {
		t.Fatalf("serve did not begin: %s", printed)
	}
	return base, printed
}

// Each project has a path with the name of its package.
func TestHTTPSeveralProjects(t *testing.T) {
	base, _ := startHTTP(t, "--http=127.0.0.1:0", given.Folder(t, `mcp-docs-server.json={"package": "@acme/one"}`), given.Folder(t, `mcp-docs-server.json={"package": "@acme/other"}`))
	for path, want := range map[string]int{"/mcp": 405, "/acme-one/mcp": 405, "/acme-other/mcp": 405, "/acme-third/mcp": 404} {
		response := must.Get(http.Get(base + path))(t)
		if response.Body.Close(); response.StatusCode != want {
			t.Errorf("GET %s: %s, want %d", path, response.Status, want)
		}
	}
}

// When the server has ended, the log has a line for each answered request.
func TestHTTPLogIsComplete(t *testing.T) {
	for _, format := range []string{"text", "json"} {
		var printed *must.Output
		t.Run(format, func(t *testing.T) {
			var base string
			base, printed = startHTTP(t, "--http=127.0.0.1:0", "--audit=-", "--log-format="+format, given.Folder(t, goodConfig))
			for range 50 {
				answerOf(t, base, "server/discover", map[string]any{})
			}
		}) // this ends the server
		if lines := strings.Count(printed.String(), "path=/mcp") + strings.Count(printed.String(), `"path":"/mcp"`); lines != 50 {
			t.Errorf("%s: %d lines of 50 requests", format, lines)
		}
	}
}

// The web UI finds prompts, which the project adds to what is searched.
func TestHTTPSearchOfPrompts(t *testing.T) {
	base, _ := startHTTP(t, "--http=127.0.0.1:0", given.Folder(t, goodConfig, "docs/a.md=# A", "prompts/review.md=---\ntitle: Review the code\n---\nReview it."))
	must.Until(t, "the prompt is found", func() bool {
		response := must.Get(http.Get(base + "/search?q=review"))(t)
		defer response.Body.Close()
		page := must.Get(io.ReadAll(response.Body))(t)
		return strings.Contains(string(page), `href="/prompts/review"`) && strings.Contains(string(page), `<span class="kind">Prompt</span>`)
	})
}

// If an address is in use, the error says how to run both servers.
func TestHTTPAddressInUse(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the error has another number there")
	}
	taken := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer taken.Close()
	try(t, "serve", "--http="+taken.Addr().String(), "--no-watch", given.Folder(t, goodConfig)).ends(1).
		complains("; stop the program that listens there, or give another port, such as --http=127.0.0.1:0")
}

// The lowest and the highest rate hold for real requests.
func TestRatesOverHTTP(t *testing.T) {
	for rate, most := range map[string]int{"0.001": 1, "1e6": 20} {
		base, _ := startHTTP(t, "--http=127.0.0.1:0", "--rate="+rate, given.Folder(t, goodConfig))
		served := 0
		for range 20 {
			resp := must.Get(http.Get(base + "/llms.txt"))(t)
			if resp.Body.Close(); resp.StatusCode == http.StatusOK {
				served++
			} else if wait, err := strconv.Atoi(resp.Header.Get("Retry-After")); resp.StatusCode != http.StatusTooManyRequests || err != nil || wait < 1 || wait > 1000 {
				t.Errorf("--rate=%s: %d, Retry-After %q", rate, resp.StatusCode, resp.Header.Get("Retry-After"))
			}
		}
		if served != most {
			t.Errorf("--rate=%s: %d of 20 requests are answered, want %d", rate, served, most)
		}
	}
}

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
	refuses(t, []given.Case{
		{Name: "publish --target store --to x", Text: "resources/x/h/key.txt\nnothing is published"},
		{Name: "store forget https://example.com", Text: "the store has no capture of https://example.com/"},
		{Name: "store forget 'example com'", Text: "is not a URL"},
		{Name: "store versions x --store '" + empty + "'", Text: "this database has no store yet"},
		{Name: "store versions x", Text: `the store has no project "x": publish it with publish --target store --to x`},
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

// body returns the body of an answer.
func body(t *testing.T, url string) string {
	t.Helper()
	res := must.Get(http.Get(url))(t)
	defer res.Body.Close()
	return string(must.Get(io.ReadAll(res.Body))(t))
}

// The start says what replicas do not share. Nothing that the server prints has the URL of the store.
func TestServeWithStore(t *testing.T) {
	withoutVariables(t)
	dir := given.Folder(t, goodConfig, "docs/a.md=# A")
	t.Setenv("MCP_DOCS_SESSION_KEY", "0123456789abcdef0123456789abcdef")
	for store, test := range map[string]struct {
		args         []string
		says, health string
	}{
		"": {nil, "resources/subscribe is not offered", ""},
		strings.Replace(postgres.URL(t), "postgres@", "postgres:secret@", 1): {[]string{"--capture"}, "", `"store":"ok"`},
		"postgres://docs:secret@127.0.0.1:1/docs":                            {[]string{"--capture"}, "calls that need it fail until it can", `"store":"unreachable"`},
	} {
		t.Run(test.says, func(t *testing.T) {
			if store != "" {
				t.Setenv("MCP_DOCS_STORE", store)
			}
			base, printed := startHTTP(t, append(test.args, "--http=127.0.0.1:0", dir)...)
			must.Until(t, "health", func() bool { return strings.Contains(body(t, base+"/health"), `"healthy"`) })
			if health := body(t, base+"/health"); !strings.Contains(health, test.health) || test.health == "" && strings.Contains(health, "store") {
				t.Errorf("%s", health)
			}
			if metrics := body(t, base+"/metrics"); !strings.Contains(metrics, `mcp_docs_sessions{instance="`) || strings.Contains(metrics, "secret") {
				t.Errorf("%s", metrics)
			}
			out := printed.String()
			if !strings.Contains(out, test.says) || test.says == "" && strings.Contains(out, "sessions") || strings.Contains(out, "secret") || strings.Contains(out, "sslmode") || strings.Contains(out, "postgres:") {
				t.Errorf("%s", out)
			}
			if tools := answerOf(t, base, "tools/list", map[string]any{}); strings.Contains(tools, `"scrape"`) != (len(test.args) > 0) {
				t.Errorf("%s", tools)
			}
		})
	}
}

// answerOf returns the answer to a request of 2026-07-28 over HTTP, with more headers: their names, each with its value.
func answerOf(t *testing.T, base, method string, params map[string]any, headers ...string) string {
	t.Helper()
	params["_meta"] = map[string]any{"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientInfo": map[string]string{"name": "t", "version": "1"}, "io.modelcontextprotocol/clientCapabilities": map[string]any{}}
	data := must.Get(json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))(t)
	req := must.Get(http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/mcp", bytes.NewReader(data)))(t)
	for key, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method} {
		req.Header.Set(key, value)
	}
	for pair := range slices.Chunk(headers, 2) {
		req.Header.Set(pair[0], pair[1])
	}
	for _, key := range []string{"name", "uri"} {
		if named, ok := params[key].(string); ok {
			req.Header.Set("Mcp-Name", named)
		}
	}
	res := must.Get(http.DefaultClient.Do(req))(t)
	defer res.Body.Close()
	return string(must.Get(io.ReadAll(res.Body))(t))
}

// A database that accepts connections and does not answer delays the start by 5 seconds. Over standard input and output, the server
// does not connect to it.
func TestStoreThatDoesNotAnswer(t *testing.T) {
	withoutVariables(t)
	dir := given.Folder(t, goodConfig, "docs/a.md=# A")
	silent := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	connected := make(chan struct{}, 100)
	go func() {
		for {
			conn, err := silent.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { conn.Close() })
			connected <- struct{}{}
		}
	}()
	defer silent.Close()
	t.Setenv("MCP_DOCS_STORE", "postgres://docs:secret@"+silent.Addr().String()+"/docs")
	if code, _, errors := run(t, strings.NewReader(""), "serve", dir); code != 0 || len(connected) > 0 {
		t.Errorf("over standard input: code %d, %d connections, %s", code, len(connected), errors)
	}
	began := time.Now()
	base, printed := startHTTP(t, "--http=127.0.0.1:0", dir)
	if health, took := body(t, base+"/health"), time.Since(began); !strings.Contains(health, `"store":"unreachable"`) || took > 20*time.Second {
		t.Errorf("after %v: %s", took, health)
	}
	if out := printed.String(); !strings.Contains(out, "the store cannot be reached: it does not answer") || strings.Contains(out, "secret") || len(connected) == 0 {
		t.Error(out)
	}
}
