//go:build linux

package cli

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// pageProject makes a project with a hidden file and a broken link.
func pageProject(t *testing.T) string {
	return given.Folder(t, goodConfig, "docs/index.md=[gone](none.md)", "docs/.draft.md=x")
}

// Metrics are shown without a key only if no other computer can reach the server.
func TestLocalServer(t *testing.T) {
	look := func(base, path string) (int, string) {
		t.Helper()
		r := must.Get(http.NewRequestWithContext(t.Context(), http.MethodGet, base+path, nil))(t)
		r.Header.Set("Accept", "text/html")
		resp := must.Get(http.DefaultClient.Do(r))(t)
		defer resp.Body.Close()
		body := must.Get(io.ReadAll(resp.Body))(t)
		return resp.StatusCode, string(body)
	}
	base, _ := startHTTP(t, "--http=127.0.0.1:0", pageProject(t))
	if status, _ := look(base, "/metrics"); status != http.StatusOK {
		t.Errorf("/metrics: %d", status)
	}
	base, printed := startHTTP(t, "--http=0.0.0.0:0", "--no-auth", pageProject(t))
	if status, _ := look(base, "/metrics"); status != http.StatusNotFound || !strings.Contains(printed.String(), "add --allow-host NAME") {
		t.Errorf("on all addresses: /metrics: %d\n%s", status, printed)
	}
	for _, option := range []string{"--trusted-proxy=10.0.0.1", "--allow-host=docs.example.com", "--allow-origin=https://app.example.com"} {
		base, _ = startHTTP(t, option, "--http=127.0.0.1:0", pageProject(t))
		for path, want := range map[string]int{"/docs/.draft": 404, "/metrics": 404, "/metrics/json": 404, "/docs/": 200} {
			if status, body := look(base, path); status != want {
				t.Errorf("%s with %s: %d\n%s", path, option, status, body)
			}
		}
	}
}
