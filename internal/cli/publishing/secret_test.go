package publishing

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestSecretLine(t *testing.T) {
	for _, test := range []struct{ goos, dir, want string }{
		{"linux", "acme-worker", "npx wrangler secret put MCP_DOCS_TOKEN --config " + filepath.Join("acme-worker", "wrangler.jsonc")},
		{"linux", "my docs", "npx wrangler secret put MCP_DOCS_TOKEN --config '" + filepath.Join("my docs", "wrangler.jsonc") + "'"},
		{"windows", `C:\Acme Docs\w`, `npx wrangler secret put MCP_DOCS_TOKEN --config "` + filepath.Join(`C:\Acme Docs\w`, "wrangler.jsonc") + `"`},
		{"windows", "100%PATH%", "npx wrangler secret put MCP_DOCS_TOKEN, in the folder 100%PATH%"},
		{"linux", "a\x1b[2J", "npx wrangler secret put MCP_DOCS_TOKEN, in the folder "},
	} {
		got := secretLine(test.dir, test.goos)
		if !strings.HasPrefix(got, test.want) || strings.ContainsRune(got, 0x1b) {
			t.Errorf("%s, %q: %q, want %q", test.goos, test.dir, got, test.want)
		}
	}
}
