package gate

import "net/http"

const (
	methods = "GET, HEAD, POST, DELETE, OPTIONS"
	// What a client of either era sends beside what every page may send.
	requestHeaders = "Accept, Authorization, Content-Type, Last-Event-ID, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id"
	// What a client has to read: the session, and why and until when it is refused.
	responseHeaders = "MCP-Protocol-Version, Mcp-Session-Id, Retry-After, WWW-Authenticate"
	preflightAge    = "7200" // seconds; browsers keep no answer longer than two hours
)

// allow adds what lets a page of an allowed origin read the answer. Credentials that a browser
// keeps by itself, such as cookies, are not allowed: a client that has a token sends it.
func allow(h http.Header, from string) {
	h.Set("Access-Control-Allow-Origin", from)
	h.Set("Access-Control-Expose-Headers", responseHeaders)
}

// preflight answers the question of a browser whether it may send a request, and reports whether
// this was one.
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
