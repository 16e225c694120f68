package auth

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/hosts"
)

// A Refusal is the reason why a request is refused. Clients may see its text.
type Refusal struct {
	Status     int
	Code       string        // in RFC 6750, section 3.1: "invalid_token"; "" if the request had no token
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
