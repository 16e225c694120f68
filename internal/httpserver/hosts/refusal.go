package hosts

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
)

// Answer answers with a small value as JSON, which nobody may keep.
func Answer(w http.ResponseWriter, status int, value any) {
	body, err := json.Marshal(value)
	if err != nil {
		status = http.StatusInternalServerError
	}
	send(w, status, body)
}

// sendTime is how long a client may take to read a refusal or a small answer.
const sendTime = 30 * time.Second

func send(w http.ResponseWriter, status int, body []byte) {
	// The deadline of the request may have passed while a call waited for the disk.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(sendTime))
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // the client may be gone
}

// codeServer is the code of errors of the transport without a code of their own.
const codeServer = -32000

// Refuse answers with a status and a JSON-RPC error that explains the reason, for a request whose id is not known
// (JSON-RPC 2.0, 5; https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#security-warning).
func Refuse(w http.ResponseWriter, status int, message string) {
	RefuseCall(w, status, nil, &protocol.Error{Code: codeServer, Message: message})
}

// RefuseCall answers the call with an id, or nil, with a status and an error.
func RefuseCall(w http.ResponseWriter, status int, id []byte, e *protocol.Error) {
	send(w, status, protocol.ErrorFrame(id, e))
}

// NotAllowed refuses a method (RFC 9110 section 15.5.6).
func NotAllowed(w http.ResponseWriter, allow, message string) {
	w.Header().Set("Allow", allow)
	Refuse(w, http.StatusMethodNotAllowed, message)
}

// TooMany answers a request of a caller that must wait.
func TooMany(w http.ResponseWriter, wait time.Duration) {
	seconds := strconv.Itoa(int(max(1, (wait+time.Second-1)/time.Second)))
	w.Header().Set("Retry-After", seconds)
	Refuse(w, http.StatusTooManyRequests, "too many requests; try again in "+seconds+" s")
}
