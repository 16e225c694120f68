package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// withoutVariables unsets the variables that the environment of the test may contain.
func withoutVariables(t *testing.T) {
	t.Helper()
	for _, v := range os.Environ() {
		name, value, _ := strings.Cut(v, "=")
		if strings.HasPrefix(name, "MCP_DOCS_") || name == "PORT" {
			t.Setenv(name, value) // makes the end of the test restore it
			os.Unsetenv(name)
		}
	}
}

// line returns the line of --print-config for an option.
func line(out, name string) string {
	for l := range strings.Lines(out) {
		if fields := strings.Fields(l); len(fields) > 0 && fields[0] == name {
			return strings.Join(fields[1:], " ")
		}
	}
	return ""
}

func TestWhereOptionsComeFrom(t *testing.T) {
	withoutVariables(t)
	for _, test := range []struct {
		name      string
		variables map[string]string
		args      []string
		option    string
		want      string
	}{
		{"default", nil, nil, "http", "- (default)"},
		{"option", nil, []string{"--http=:80"}, "http", ":80 (command line)"},
		{"address after a space", nil, []string{"--http", "127.0.0.1:80"}, "http", "127.0.0.1:80 (command line)"},
		{"port of this computer", nil, []string{"--http", "80"}, "http", "127.0.0.1:80 (command line)"},
		{"variable", map[string]string{"MCP_DOCS_HTTP": ":81"}, nil, "http", ":81 (MCP_DOCS_HTTP)"},
		{"both", map[string]string{"MCP_DOCS_HTTP": ":81"}, []string{"--http=:80"}, "http", ":80 (command line)"},
		{"PORT", map[string]string{"PORT": "82"}, []string{"--http"}, "http", "127.0.0.1:82 (PORT)"},
		{"PORT and a variable", map[string]string{"MCP_DOCS_HTTP": "true", "PORT": "82"}, nil, "http", "127.0.0.1:82 (PORT)"},
		{"PORT and an address", map[string]string{"MCP_DOCS_HTTP": ":81", "PORT": "82"}, nil, "http", ":81 (MCP_DOCS_HTTP)"},
		{"PORT and the default address", map[string]string{"PORT": "82"}, []string{"--http=127.0.0.1:3060"}, "http", "127.0.0.1:3060 (command line)"},
		{"PORT without HTTP", map[string]string{"PORT": "82"}, nil, "http", "- (default)"},
		{"list", map[string]string{"MCP_DOCS_ALLOW_HOST": "a.example,b.example"}, []string{"--http"}, "allow-host", "[a.example,b.example] (MCP_DOCS_ALLOW_HOST)"},
		{"switch", map[string]string{"MCP_DOCS_NO_WATCH": "true"}, nil, "no-watch", "true (MCP_DOCS_NO_WATCH)"},
		{"secret", map[string]string{"MCP_DOCS_TOKEN": "0123456789abcdef"}, nil, "MCP_DOCS_TOKEN", "set"},
		{"store", nil, []string{"--http", "--store=postgres://0123456789abcdef@h/db"}, "store", "set (command line)"},
		{"store of a variable", map[string]string{"MCP_DOCS_STORE": "postgres://u:0123456789abcdef@h/db"}, []string{"--http"}, "store", "set (MCP_DOCS_STORE)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for name, value := range test.variables {
				t.Setenv(name, value)
			}
			code, out, errors := run(t, strings.NewReader(""), append([]string{"serve", "--print-config"}, test.args...)...)
			if got := line(out, test.option); code != 0 || got != test.want || strings.Contains(out, "0123456789abcdef") {
				t.Errorf("code %d, %q, want %q\n%s%s", code, got, test.want, out, errors)
			}
		})
	}
}

func TestWrongOptionsOfHTTP(t *testing.T) {
	withoutVariables(t)
	dir := given.Folder(t, `mcp-docs-server.json={"name":"A","package":"a","version":"1.0.0"}`, "docs/a.md=# A")
	secret := filepath.Join(t.TempDir(), "store")
	must.Write(t, secret, "u:secret@h/db\n")
	for _, test := range []struct {
		name      string
		variables map[string]string
		args      []string
		want      string
	}{
		{"misspelt", map[string]string{"MCP_DOCS_TOKNE_FILE": "x"}, []string{"--http=:0", dir}, "MCP_DOCS_TOKNE_FILE has no effect; did you mean MCP_DOCS_TOKEN_FILE?"},
		{"port too large", nil, []string{"--http=:65536"}, "the port must be a number"},
		{"without HTTP", nil, []string{"--token-file=x", dir}, "--token-file needs --http"},
		{"two folders", nil, []string{dir, dir}, "--http serves several"},
		{"store without HTTP", nil, []string{"--store=postgres://h/db", dir}, "--store needs --http"},
		{"store that is not a URL", nil, []string{"--http", "--store=postgres://u:se cret@h/db", dir}, "--store is not the URL of a PostgreSQL database"},
		{"password of the store", nil, []string{"--http", "--store=postgres://u:secret@h/db", dir}, "--store has a password"},
		{"password in a parameter", nil, []string{"--http", "--store=postgres://u@h/db?sslmode=disable&pass%77ord=secret", dir}, "--store has a password"},
		{"two stores", nil, []string{"--http", "--store=postgres://h/db", "--store-file=x", dir}, "--store and --store-file both give"},
		{"store and folder", map[string]string{"MCP_DOCS_STORE": "postgres://u:secret@h/db"}, []string{"--http", "--capture-dir=x", dir}, "captures are either in the store or in the folder"},
		{"wrong store in a variable", map[string]string{"MCP_DOCS_STORE": "u:secret@h/db"}, []string{"--http=127.0.0.1:0", dir}, "MCP_DOCS_STORE is not the URL"},
		{"no file of the store", nil, []string{"--http=127.0.0.1:0", "--store-file=" + filepath.Join(dir, "none"), dir}, "none: "},
		{"file without the URL of a store", nil, []string{"--http=127.0.0.1:0", "--store-file=" + secret, dir}, secret + " is not the URL"},
		{"rate", nil, []string{"--http", "--rate=0", dir}, "must be a number from 0.001 to 1000000"},
		{"rate of NaN", nil, []string{"--http", "--rate=NaN", dir}, "must be a number from 0.001 to 1000000"},
		{"rate of Inf", nil, []string{"--http", "--rate", "+Inf", dir}, "must be a number from 0.001 to 1000000"},
		{"rate without end", nil, []string{"--http", "--rate=1e309", dir}, "must be a number from 0.001 to 1000000"},
		{"rate of NaN in a variable", map[string]string{"MCP_DOCS_RATE": "nan"}, []string{"--http", dir}, "must be a number from 0.001 to 1000000"},
		{"connections", nil, []string{"--http", "--max-connections=0", dir}, "must be a whole number from 1"},
		{"empty variable", map[string]string{"MCP_DOCS_TOKEN_FILE": ""}, []string{"--http", dir}, "MCP_DOCS_TOKEN_FILE is empty"},
		{"PORT", map[string]string{"PORT": "http"}, []string{"--http", dir}, `PORT is "http"`},
		{"network", nil, []string{"--http=:0", dir}, "--no-auth"},
		{"network and empty token", map[string]string{"MCP_DOCS_TOKEN": ""}, []string{"--http=:0", dir}, "MCP_DOCS_TOKEN: the token is empty"},
		{"both", nil, []string{"--http=:0", "--no-auth", "--token-file=x", dir}, "contradicts"},
		{"host", nil, []string{"--http=127.0.0.1:0", "--allow-host=*", dir}, "--allow-host"},
		{"names that clash", nil, []string{"--http=127.0.0.1:0", dir, dir}, `two projects have the package name "a"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			for name, value := range test.variables {
				t.Setenv(name, value)
			}
			code, out, errors := run(t, strings.NewReader(""), append([]string{"serve"}, test.args...)...)
			if code == 0 || !strings.Contains(errors, test.want) || out != "" || strings.Contains(errors, "secret") {
				t.Errorf("code %d, %s, want %s", code, errors, test.want)
			}
		})
	}
}
