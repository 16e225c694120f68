package auth

import (
	"net/http"
	"net/url"

	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/hosts"
)

// MetadataPath is the path of the metadata of RFC 9728, with the path of the endpoint after it. For
// https://docs.example.com/mcp, the metadata is at
// https://docs.example.com/.well-known/oauth-protected-resource/mcp.
const MetadataPath = "/.well-known/oauth-protected-resource"

// metadata is a part of the document in RFC 9728, section 2.
type metadata struct {
	Resource             string   `json:"resource"`
	AuthorizationServers []string `json:"authorization_servers"`
	Scopes               []string `json:"scopes_supported,omitempty"`
	Methods              []string `json:"bearer_methods_supported"`
	Name                 string   `json:"resource_name"`
}

// Metadata answers requests for the metadata of the endpoint, at whatever path. It must not be behind
// [Authenticator.Handler], because a client that needs the metadata has no token yet.
func (a *Authenticator) Metadata() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case a.issuer == nil:
			hosts.Refuse(w, http.StatusNotFound, "there is nothing at this path")
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			hosts.NotAllowed(w, "GET, HEAD", "the metadata can only be read")
		default:
			hosts.Answer(w, http.StatusOK, metadata{ // it depends on the Host header
				Resource:             a.options.PublicURL(r) + a.options.Path,
				AuthorizationServers: []string{a.issuer.name()},
				Scopes:               a.options.Scopes,
				Methods:              []string{"header"},
				Name:                 "mcp-docs-server",
			})
		}
	})
}

func (a *Authenticator) metadataURL(r *http.Request) string {
	u, err := url.Parse(a.options.PublicURL(r))
	if err != nil {
		return MetadataPath + a.options.Path
	}
	return u.Scheme + "://" + u.Host + MetadataPath + u.EscapedPath() + a.options.Path
}
