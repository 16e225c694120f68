package web

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// A client finds the metadata that a refusal names, also if the public URL has a path.
func TestMetadata(t *testing.T) {
	issuer := "http://127.0.0.1:9"
	for _, public := range []string{"", "https://docs.example.com", "https://docs.example.com/", "https://docs.example.com/team/docs", "https://docs.example.com/two", "https://docs.example.com/a%20b{c"} {
		o := options(site(t, "one"), site(t, "two"))
		o.Hosts.PublicURL, o.Auth.Issuer, o.Auth.Audience = public, &issuer, []string{"a"}
		s := must.Get(newServer(o, "127.0.0.1:3060"))(t)
		base := strings.TrimSuffix(public, "/")
		if base == "" {
			base = "http://127.0.0.1:3060"
		}
		get := func(path string) *http.Response {
			r := httptest.NewRequest(http.MethodGet, path, nil)
			r.Host = "127.0.0.1:3060"
			w := httptest.NewRecorder()
			s.http.Handler.ServeHTTP(w, r)
			return w.Result()
		}
		for _, path := range []string{"/mcp", "/one/mcp", "/two/mcp"} {
			challenge := get(path).Header.Get("WWW-Authenticate")
			_, rest, _ := strings.Cut(challenge, `resource_metadata="`)
			place, _, found := strings.Cut(rest, `"`)
			_, where, _ := strings.Cut(place, "://")
			slash := strings.IndexByte(where, '/')
			if !found || slash < 0 {
				t.Fatalf("%s%s: WWW-Authenticate is %s", public, path, challenge)
			}
			response := get(where[slash:])
			var metadata struct{ Resource string }
			err := json.NewDecoder(response.Body).Decode(&metadata)
			if err != nil || response.StatusCode != http.StatusOK || metadata.Resource != strings.ReplaceAll(base, "{", "%7B")+path {
				t.Errorf("%s: status %d, the resource is %q, want %s%s", place, response.StatusCode, metadata.Resource, base, path)
			}
		}
		for _, path := range []string{"/.well-known/oauth-protected-resource/three/mcp", "/.well-known/oauth-protected-resource/", "/three/mcp"} {
			if response := get(path); response.StatusCode != http.StatusNotFound {
				t.Errorf("%s%s: status %d", public, path, response.StatusCode)
			}
		}
	}
}
