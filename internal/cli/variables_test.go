package cli

import (
	"os"
	"strings"
	"testing"
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

// --print-config names the source of each option, and prints no secret.
func TestWhereOptionsComeFrom(t *testing.T) {
	withoutVariables(t)
	for _, test := range [][3]string{
		{"serve", "http", "- (default)"},
		{"serve --http=:80", "http", ":80 (command line)"},
		{"serve --http 127.0.0.1:80", "http", "127.0.0.1:80 (command line)"},
		{"serve --http 80", "http", "127.0.0.1:80 (command line)"},
		{"MCP_DOCS_HTTP=:81 serve", "http", ":81 (MCP_DOCS_HTTP)"},
		{"MCP_DOCS_HTTP=:81 serve --http=:80", "http", ":80 (command line)"},
		{"PORT=82 serve --http", "http", "127.0.0.1:82 (PORT)"},
		{"PORT=82 MCP_DOCS_HTTP=true serve", "http", "127.0.0.1:82 (PORT)"},
		{"PORT=82 MCP_DOCS_HTTP=:81 serve", "http", ":81 (MCP_DOCS_HTTP)"},
		{"PORT=82 serve --http=127.0.0.1:3060", "http", "127.0.0.1:3060 (command line)"},
		{"PORT=82 serve", "http", "- (default)"},
		{"MCP_DOCS_ALLOW_HOST=a.example,b.example serve --http", "allow-host", "[a.example,b.example] (MCP_DOCS_ALLOW_HOST)"},
		{"MCP_DOCS_NO_WATCH=true serve", "no-watch", "true (MCP_DOCS_NO_WATCH)"},
		{"MCP_DOCS_TOKEN=0123456789abcdef serve", "MCP_DOCS_TOKEN", "set"},
		{"LLM_API_KEY=0123456789abcdef serve", "LLM_API_KEY", "set"},
		{"LLM_PROVIDER=openai serve", "LLM_PROVIDER", "openai"},
		{"serve --http --store=postgres://0123456789abcdef@h/db", "store", "set (command line)"},
		{"MCP_DOCS_STORE=postgres://u:0123456789abcdef@h/db serve --http", "store", "set (MCP_DOCS_STORE)"},
	} {
		t.Run(test[0], func(t *testing.T) {
			s := line(t, test[0]+" --print-config").ends(0).hides("0123456789abcdef")
			if _, value, ok := strings.Cut("\n"+s.out, "\n"+test[1]+" "); !ok || !strings.HasPrefix(strings.TrimLeft(value, " "), test[2]+"\n") {
				t.Errorf("%s is not %s in\n%s", test[1], test[2], s.out)
			}
		})
	}
}
