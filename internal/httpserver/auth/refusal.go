package auth

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/hosts"
)

// A Refusal is the reason why a request is refused. Clients may see its text.
type Refusal struct {
	Status int
	// in RFC 6750, section 3.1: "invalid_token"; "" if the request had no token
	Code       string
	Challenge  string        // the header WWW-Authenticate; "": not sent
	RetryAfter time.Duration // 0: another attempt would not succeed either
	message    string
}

func (r *Refusal) Error() string { return r.message }

// Write answers a request with the refusal.
func (r *Refusal) Write(w http.ResponseWriter) {
	if r.Challenge != "" {
		w.Header().Set("WWW-Authenticate", r.Challenge)
	}
	if r.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(r.RetryAfter.Seconds())))
	}
	hosts.Refuse(w, r.Status, r.message)
}

func missing(message string) *Refusal {
	return &Refusal{Status: http.StatusUnauthorized, message: message}
}

func malformed(message string) *Refusal {
	return &Refusal{Status: http.StatusBadRequest, Code: "invalid_request", message: message}
}

func invalid(message string) *Refusal {
	return &Refusal{Status: http.StatusUnauthorized, Code: "invalid_token", message: message}
}

// challenge returns the WWW-Authenticate header of a refusal.
func (a *Authenticator) challenge(r *http.Request, refusal *Refusal) string {
	if refusal.Status == http.StatusServiceUnavailable {
		return "" // the token may be valid: the client must keep it
	}
	params := []string{`realm="mcp-docs-server"`}
	add := func(name, value string) { params = append(params, name+"="+quoted(value)) }
	if refusal.Code != "" {
		add("error", refusal.Code)
		add("error_description", refusal.message)
	}
	if a.issuer != nil {
		if len(a.options.Scopes) > 0 {
			add("scope", strings.Join(a.options.Scopes, " "))
		}
		add("resource_metadata", a.metadataURL(r))
	}
	return "Bearer " + strings.Join(params, ", ")
}

// quoted returns a quoted-string as in RFC 9110, section 5.6.4.
func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\r", "", "\n", "").Replace(s) + `"`
}

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
