package streamable

import (
	"net/http"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
)

// codeServer is the code of transport errors without a code of their own.
const codeServer = -32000

// refuse answers a request with a status and an error. id is the id of the call, or nil.
func refuse(w http.ResponseWriter, status int, id []byte, e *protocol.Error) {
	// The deadline of the request may have passed while the call waited for the disk.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTimeout))
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(protocol.ErrorFrame(id, e)) // an error means that the client is gone
}

func refuseText(w http.ResponseWriter, status int, message string) {
	refuse(w, status, nil, &protocol.Error{Code: codeServer, Message: message})
}

// notAllowed refuses an HTTP method (RFC 9110 section 15.5.6).
func notAllowed(w http.ResponseWriter, allow, message string) {
	w.Header().Set("Allow", allow)
	refuseText(w, http.StatusMethodNotAllowed, "method not allowed: "+message)
}

// tooMany refuses a session or stream beyond the limit of the caller or the server.
func tooMany(w http.ResponseWriter, what string) {
	w.Header().Set("Retry-After", "60")
	refuseText(w, http.StatusServiceUnavailable, "too many "+what+"; end some, or try again in a minute")
}
