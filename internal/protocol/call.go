// Package protocol is what transports and the answer layer say to each other.
//
// A transport reads a message and makes a [Call] of it. The answer layer, a [Handler], returns a
// [Result], which writes itself as JSON in pieces, or an error. The transport writes the frame
// around it and releases the result when its last byte is written: until then the result holds its
// share of the memory that all answers have together.
//
//	transport  ── Call ──▶  Handler.Answer  ── Result ──▶  transport  ──▶  client
//	transport  ◀── notify.Subscriber.Next ── hub
//
// The package knows the versions of MCP and the errors that clients may read. It knows no files.
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

	// Session is what the session of the call is notified through. It is nil where the client
	// cannot be notified.
	Session *notify.Subscriber
	// Notify sends a notification that belongs to this call, before its answer. It waits for nobody:
	// one that the client is too slow for is left out. It is nil where there is no way to.
	Notify func(notify.Notification)
	// Version is the protocol version that initialize agreed on, or "" if there was no initialize;
	// see [Agreed]. A version in the _meta of Params comes before it.
	Version string
	// Oldest is the first protocol version that the transport speaks, or "" for all of them.
	Oldest string

	// Caller is whom the call is accounted to: budgets and limits are kept for each caller. It is
	// "" for the only caller of a process.
	Caller string
	// Shared reports that there may be other callers, so that one may not use up what all share.
	Shared bool
}

// A Handler answers calls. Its methods may be called at the same time.
type Handler interface {
	// Answer answers a call. It returns early when ctx ends. An error is an [*Error].
	Answer(ctx context.Context, c *Call) (Result, error)

	// Open returns the subscriber of a new session of a caller, as in [Call]. The transport closes
	// it at its end.
	Open(caller string) *notify.Subscriber
}

// A Result is the result of a call, yet to be encoded.
type Result interface {
	// WriteJSON writes the result, in parts that a slow client may hold up for any time. It is
	// called at most once. An error leaves the frame cut, and the transport ends the connection;
	// but see [WriteResult], by which all transports call it.
	WriteJSON(w *jsonwire.Writer) error
	// Release gives back what the result holds. It is called once, whether or not it was written.
	Release()
}

// Failed reports whether a result says that a tool failed: isError, which is not an error of
// JSON-RPC.
func Failed(r Result) bool {
	f, ok := r.(interface{ Failed() bool })
	return ok && f.Failed()
}

// Agreed returns the protocol version that a result of initialize agrees on, which is the Version
// of the calls that follow in the session. It is "" for other results.
func Agreed(r Result) string {
	if a, ok := r.(interface{ Agreed() string }); ok {
		return a.Agreed()
	}
	return ""
}
