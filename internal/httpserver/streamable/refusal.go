package streamable

import (
	"net/http"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
)

// codeServer is the code of errors that are those of the transport and have none of their own.
const codeServer = -32000

// refuse answers a request with a status and an error. id is that of the call, or nil.
func refuse(w http.ResponseWriter, status int, id []byte, e *protocol.Error) {
	// The deadline of the request may be over: an error may have waited for the disk.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTimeout))
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(protocol.ErrorFrame(id, e)) // an error: the client is gone
}

func refuseText(w http.ResponseWriter, status int, message string) {
	refuse(w, status, nil, &protocol.Error{Code: codeServer, Message: message})
}

// notAllowed refuses a method of HTTP (RFC 9110 section 15.5.6).
func notAllowed(w http.ResponseWriter, allow, message string) {
	w.Header().Set("Allow", allow)
	refuseText(w, http.StatusMethodNotAllowed, "method not allowed: "+message)
}

// tooMany refuses what would be more sessions or streams than a caller or the server may have.
func tooMany(w http.ResponseWriter, what string) {
	w.Header().Set("Retry-After", "60")
	refuseText(w, http.StatusServiceUnavailable, "too many "+what+"; end some, or try again in a minute")
}
