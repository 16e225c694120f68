// Package stdio is the MCP stdio transport of a server: JSON-RPC 2.0 messages,
// one a line, over a reader and a writer.
//
// In the order things happen:
//
// A line ends with "\n" or "\r\n"; the last one may end with the input. Blank
// lines are ignored. A line longer than [Transport.MaxFrameBytes] is skipped
// without being buffered and answered with -32600 and a null id.
//
// A line that is not one JSON value in UTF-8 is answered with -32700 and a null
// id; a value that is not a request (JSON-RPC 2.0 section 4) with -32600 and the
// id if that is a string or a number, else null. An id that is null, a fraction
// or not representable is not an id of MCP. A response to a call of the server goes
// to the SDK; one that cannot be read is dropped. None of this ends the session.
//
// Calls that [Transport.Handler] handles are its to answer; all else goes to
// the SDK. The handler's results are written in pieces while they are encoded.
// Notifications are written as fast as the client reads them.
//
// An array is a batch (JSON-RPC 2.0 section 6) until the session has negotiated
// 2025-06-18 or later, the version that removed batches; then, or if an entry
// names such a version in its _meta, it is answered with one -32600. The
// answers of a batch go out as one array, in the order of its calls. It begins
// when the SDK has answered its calls of the batch; those of the handler are
// answered one after the other while the array is written, so that a batch
// holds no more than one of their results. initialize is refused inside a batch
// (MCP 2025-03-26, Lifecycle).
//
// A call whose id is in flight is answered with -32600: the SDK would drop it
// without an answer. An id is echoed in the client's own spelling, so that
// integers beyond 2^53, which the SDK reads as floating point, survive.
//
// At most maxRunning calls, and maxRunningBytes of them, are worked on at a
// time, maxWithSDK of them by the SDK, subscriptions/listen not counted. A call
// or notification that comes before initialize is answered waits for that. Past
// that, lines are read a little further, so that a cancellation or a response
// that would free a slot is not stuck behind the call that waits for it.
//
// After notifications/cancelled the call gets no answer (MCP, Cancellation),
// whatever the SDK writes for it; inside a batch its place stays out of the
// array.
//
// A frame goes out in one Write if it is small, and in several otherwise; none
// is interleaved with another. The encoded result is copied into its frame as it
// is. Errors that reach the wire
// without a code, as plain Go errors do, get -32603, or -32600 for a call that
// came before initialize. A client that stops reading stops the answers: that
// is the back-pressure of the pipe. Close ends it.
//
// At the end of the input the calls already read are still answered:
// Read reports [io.EOF] once the last answer is written, or after
// drainTimeout. subscriptions/listen and cancelled calls are not waited for.
package stdio

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
)

// DefaultMaxFrameBytes is the longest inbound line, without its line ending,
// that a [Transport] accepts unless it says otherwise. Requests to a server of
// documents are some hundred bytes; the SDK's own transport allows as much.
const DefaultMaxFrameBytes = 16 << 20

// Transport is an [mcp.Transport] over a pair of byte streams, in production
// [os.Stdin] and [os.Stdout]. It connects once.
type Transport struct {
	// In and Out carry the protocol and nothing else. Closing the connection
	// closes those that are an [io.Closer], for that is what wakes a blocked
	// Read or Write; os.Stdin and os.Stdout stay open, because a file opened
	// later would take their descriptor.
	In  io.Reader
	Out io.Writer

	// MaxFrameBytes limits an inbound line; 0 stands for
	// [DefaultMaxFrameBytes].
	MaxFrameBytes int

	// Handler, if not nil, answers the calls that it handles. Those of the
	// session are notified through its subscriber.
	Handler protocol.Handler

	// Answered, if not nil, is called when the first frame has been written.
	Answered func()
}

// Connect starts one goroutine that reads lines and one that writes frames.
// [mcp.Connection.Close] of the connection stops both and waits for them, but
// no longer than closeGrace: a read of a terminal or of a pipe in blocking mode
// cannot be interrupted, and such a goroutine is left to end with its stream.
//
// Read is for one caller at a time; Write and Close are for any number.
// Read returns [io.EOF] at the end of the input and after Close, Write returns
// [mcp.ErrConnectionClosed] after Close. A Write whose context ends before its
// turn writes nothing; one whose context ends later leaves its frame to be
// written whole.
func (t *Transport) Connect(ctx context.Context) (mcp.Connection, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if t.In == nil || t.Out == nil {
		return nil, errors.New("stdio: no input or no output")
	}
	limit := t.MaxFrameBytes
	switch {
	case limit < 0:
		return nil, fmt.Errorf("stdio: frame limit of %d bytes", limit)
	case limit == 0:
		limit = DefaultMaxFrameBytes
	}
	return newConn(t, limit), nil
}
