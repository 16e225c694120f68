package hosts

import "net/http"

const (
	methods = "GET, HEAD, POST, DELETE, OPTIONS"
	// Headers that clients of either era send, apart from those that every page may send.
	requestHeaders = "Accept, Authorization, Content-Type, Last-Event-ID, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id"
	// Headers that a client must read: the session, the reason of a refusal, and how long to wait.
	responseHeaders = "MCP-Protocol-Version, Mcp-Session-Id, Retry-After, WWW-Authenticate"
	preflightAge    = "7200" // seconds; browsers keep no answer longer than two hours
)

// allow adds the headers with which a page of an allowed origin can read the answer. Credentials
// that the browser stores itself, such as cookies, are not allowed: a client sends its token
// explicitly.
func allow(h http.Header, from string) {
	h.Set("Access-Control-Allow-Origin", from)
	h.Set("Access-Control-Expose-Headers", responseHeaders)
}

// preflight answers a CORS preflight request and reports whether the request was one.
func preflight(w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	h := w.Header()
	h.Add("Vary", "Access-Control-Request-Method, Access-Control-Request-Headers")
	h.Set("Access-Control-Allow-Methods", methods)
	h.Set("Access-Control-Allow-Headers", requestHeaders)
	h.Set("Access-Control-Max-Age", preflightAge)
	w.WriteHeader(http.StatusNoContent)
	return true
}
