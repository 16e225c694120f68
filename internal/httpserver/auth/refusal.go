package auth

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/gate"
)

// A Refusal is why a request is not answered. Its text may be shown to the client.
type Refusal struct {
	Status     int
	Code       string        // of RFC 6750, section 3.1: "invalid_token"; "" where the request had no token
	Challenge  string        // the header WWW-Authenticate; "" if there is none to send
	RetryAfter time.Duration // 0: trying again does not help
	message    string
}

func (r *Refusal) Error() string { return r.message }

func (r *Refusal) write(w http.ResponseWriter) {
	if r.Challenge != "" {
		w.Header().Set("WWW-Authenticate", r.Challenge)
	}
	if r.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(r.RetryAfter.Seconds())))
	}
	gate.Refuse(w, r.Status, r.message)
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

func insufficient(message string) *Refusal {
	return &Refusal{Status: http.StatusForbidden, Code: "insufficient_scope", message: message}
}

func unavailable(message string) *Refusal {
	return &Refusal{Status: http.StatusServiceUnavailable, RetryAfter: retryInterval, message: message}
}

// challenge returns what a refusal says in WWW-Authenticate.
func (a *Authenticator) challenge(r *http.Request, refusal *Refusal) string {
	if refusal.Status == http.StatusServiceUnavailable {
		return "" // the token may be right: a client must not throw it away
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

// quoted returns a quoted-string of RFC 9110, section 5.6.4.
func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\r", "", "\n", "").Replace(s) + `"`
}
