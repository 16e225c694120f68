// Package protocol defines the types that transports and the answer layer exchange.
//
// A transport reads a message and makes a [Call] from it. The answer layer, a [Handler], returns an
// error or a [Result] that writes itself as JSON in pieces. The transport writes the frame around
// the JSON and releases the result after its last byte. Until then the result holds its share of
// the memory that all answers have together.
//
//	transport  ── Call ──▶  Handler.Answer  ── Result ──▶  transport  ──▶  client
//	transport  ◀── notify.Subscriber.Next ── hub
//
// The package knows the versions of MCP and the errors that clients may read. It knows nothing
// about files.
package protocol

import (
	"context"

	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/notify"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

// A Call is a JSON-RPC request with an id.
type Call struct {
	ID     []byte // JSON, as the client wrote it
	Method string
	Params []byte // JSON; nil if there are none

	// Session is the subscriber that receives the notifications of the session. It is nil if the
	// client cannot be notified.
	Session *notify.Subscriber
	// Notify sends a notification that belongs to this call, before its answer. It never waits: if
	// the client reads too slowly, notifications are dropped. It is nil if the transport cannot
	// send any.
	Notify func(notify.Notification)
	// Version is the protocol version that initialize agreed on, or "" if there was no initialize;
	// see [Agreed]. A version in the _meta of Params takes precedence.
	Version string
	// Oldest is the first protocol version that the transport accepts, or "" for all versions.
	Oldest string

	// Caller is the caller whose budgets and limits the call counts against. It is "" for the only
	// caller of a process.
	Caller string
	// Shared reports that there may be other callers, so one caller must not use up shared
	// resources.
	Shared bool
}

// A Handler answers calls. Its methods may be called at the same time.
type Handler interface {
	// Answer answers a call. It returns early when ctx ends. An error is an [*Error].
	Answer(ctx context.Context, c *Call) (Result, error)

	// Open returns the subscriber of a new session of a caller; caller is as in [Call]. The
	// transport closes the subscriber when the session ends.
	Open(caller string) *notify.Subscriber
}

// A Result is the result of a call, not yet encoded.
type Result interface {
	// WriteJSON writes the result in parts; a slow client may delay each part for any time. It is
	// called at most once. After an error the frame is incomplete, and the transport ends the
	// connection; transports call WriteJSON only through [WriteResult], which handles some errors.
	WriteJSON(w *jsonwire.Writer) error
	// Release frees what the result holds. It is called once, whether or not the result was
	// written.
	Release()
}

// Failed reports whether a result says that a tool failed (isError), which is different from a
// JSON-RPC error.
func Failed(r Result) bool {
	f, ok := r.(interface{ Failed() bool })
	return ok && f.Failed()
}

// Agreed returns the protocol version that a result of initialize agrees on. It is the Version of
// the later calls in the session. For other results Agreed returns "".
func Agreed(r Result) string {
	if a, ok := r.(interface{ Agreed() string }); ok {
		return a.Agreed()
	}
	return ""
}
