//go:build linux

package cli

import (
	"net/http"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// Metrics are shown without a key only if no other computer can reach the server.
func TestLocalServer(t *testing.T) {
	dir := given.Folder(t, goodConfig, "docs/index.md=# I", "docs/.draft.md=x")
	has := func(base string, statuses map[string]int) {
		t.Helper()
		for path, want := range statuses {
			res := must.Get(http.Get(base + path))(t)
			if res.Body.Close(); res.StatusCode != want {
				t.Errorf("%s: %d, want %d", path, res.StatusCode, want)
			}
		}
	}
	base, _ := startHTTP(t, "--http=127.0.0.1:0", dir)
	has(base, map[string]int{"/metrics": 200})
	base, printed := startHTTP(t, "--http=0.0.0.0:0", "--no-auth", dir)
	if has(base, map[string]int{"/metrics": 404}); !strings.Contains(printed.String(), "add --allow-host NAME") {
		t.Error(printed)
	}
	for _, option := range []string{"--trusted-proxy=10.0.0.1", "--allow-host=docs.example.com", "--allow-origin=https://app.example.com"} {
		base, _ = startHTTP(t, option, "--http=127.0.0.1:0", dir)
		has(base, map[string]int{"/docs/.draft": 404, "/metrics": 404, "/metrics/json": 404, "/docs/": 200})
	}
}
