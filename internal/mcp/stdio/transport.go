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
// or not representable is not an id of MCP. Responses are ignored, since the server
// calls no client. None of this ends the session.
//
// [Transport.Handler] answers all calls. A result is written in pieces while it is
// encoded. Notifications are written as fast as the client reads them.
//
// An array is a batch (JSON-RPC 2.0 section 6) until the session has negotiated
// 2025-06-18 or later, the version that removed batches; then, or if an entry
// names such a version in its _meta, it is answered with one -32600. The
// answers of a batch go out as one array, in the order of its calls. The session
// answers one batch at a time, and its calls one after the other, into a buffer of
// at most maxBatchBytes; a call whose result does not fit gets an error, and the
// client can send that call alone. initialize is refused inside a batch
// (MCP 2025-03-26, Lifecycle).
//
// A call whose id is in flight is answered with -32600. An id is echoed in the client's
// own spelling, so that integers beyond 2^53 survive.
//
// At most maxRunning calls and batches are worked on at a time, subscriptions/listen
// not counted. Some more are read ahead, so that a cancellation that would make room
// is not stuck behind the call that waits for it. A call or notification that
// comes before initialize is answered waits for that answer.
//
// After notifications/cancelled the call gets no answer (MCP, Cancellation); inside
// a batch its place stays out of the array.
//
// A frame goes out in one Write if it is small, and in several otherwise; none
// is interleaved with another. Errors of the handler
// without a code, as plain Go errors are, get -32603. A client that stops reading
// stops the answers: that is the back-pressure of the pipe.
//
// At the end of the input the calls already read are still answered, within
// drainTimeout. subscriptions/listen and cancelled calls are not waited for.
package stdio

import (
	"context"
	"io"

	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
)

// defaultMaxFrameBytes is the longest inbound line, without its line ending,
// that a [Transport] accepts unless it says otherwise. Requests to a server of
// documents are some hundred bytes; the SDK's own transport allows as much.
const defaultMaxFrameBytes = 16 << 20

// Transport serves one session over a pair of byte streams, in production
// [os.Stdin] and [os.Stdout].
type Transport struct {
	// In and Out carry the protocol and nothing else. Run closes those that are an
	// [io.Closer] at its end, for that is what wakes a blocked Read or Write; os.Stdin
	// and os.Stdout stay open, because a file opened later would take their descriptor.
	In  io.Reader
	Out io.Writer

	// MaxFrameBytes limits an inbound line; 0 stands for 16 MiB.
	MaxFrameBytes int

	// Handler answers the calls. The session is notified through its subscriber.
	Handler protocol.Handler

	// Answered, if not nil, is called when the first frame has been written.
	Answered func()
}

// Run serves the session until the input ends and its calls are answered, and
// returns nil then. It returns early with the error of the input or the output, or the
// cause of ctx. It waits for what it started, but no longer than closeGrace:
// a read of a terminal or of a pipe in blocking mode cannot be interrupted, and such a
// goroutine is left to end with its stream.
func (t *Transport) Run(ctx context.Context) error {
	widen(t.Out)
	s := newSession(ctx, t)
	read := make(chan error, 1)
	go func() { read <- s.read() }()
	s.rest.Go(s.notify)
	err := s.wait(read)
	s.close()
	return err
}
