// Package stdio is the MCP stdio transport of a server: JSON-RPC 2.0 messages, one per line, over a
// reader and a writer.
//
//  1. A line ends with "\n" or "\r\n"; the last one may end with the input. Blank lines are ignored.
//     A line longer than [Transport.MaxFrameBytes] is skipped without being buffered and answered
//     with -32600 and a null id.
//  2. A line that is not one JSON value in UTF-8 is answered with -32700 and a null id. A value that
//     is not a request (JSON-RPC 2.0 section 4) is answered with -32600, and with the id if that is a
//     string or a number, else null. A null, a fraction and a number that is not representable are
//     not ids in MCP. Responses are ignored, because the server sends no requests. None of this ends
//     the session.
//  3. [Transport.Handler] answers all calls. A result is written in pieces while it is encoded.
//     Notifications are written as fast as the client reads them.
//  4. An array is a batch until the session has negotiated a version without batches
//     ([protocol.ReadBatch]). The session answers one batch at a time, and its calls one after the
//     other.
//  5. A call whose id is in flight is answered with -32600. An id is repeated in the client's
//     spelling, so that integers beyond 2^53 are preserved.
//  6. At most maxRunning calls and one batch are handled at a time, subscriptions/listen not counted.
//     Some more messages are read ahead, so that a cancellation is not stuck behind the call that
//     waits for a place. Lines after initialize are read when it is answered.
//  7. After notifications/cancelled, a call gets no answer (MCP, Cancellation). Inside a batch, its
//     place is left out of the array; a call whose turn has not come cannot be cancelled.
//  8. A small frame is written in one Write, others in several. Frames are never interleaved. An
//     error of the handler without a code, such as a plain Go error, gets -32603. If a client stops
//     reading, answers wait: that is the back-pressure of the pipe.
//  9. At the end of the input, the calls that were read are still answered, within drainTimeout. The
//     session does not wait for subscriptions/listen and cancelled calls. The end is behind the calls: if
//     a client closes its end after hundreds of calls and reads no answer, calls that are not read yet
//     stay in the pipe, and the session ends when the client reads, closes our output or sends SIGTERM.
package stdio

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

// defaultMaxFrameBytes is the maximum length of an input line without its line ending if a
// [Transport] sets none. Requests to a server of documents have some hundred bytes; the SDK's own
// transport has the same limit.
const defaultMaxFrameBytes = 16 << 20

// Transport serves one session over a pair of byte streams, in production [os.Stdin] and
// [os.Stdout].
type Transport struct {
	// In and Out carry only the protocol. At its end, Run closes each of them that is an [io.Closer],
	// because that wakes a blocked Read or Write. os.Stdin and os.Stdout stay open, because a file
	// opened later would get their descriptor.
	In  io.Reader
	Out io.Writer

	// MaxFrameBytes limits an input line; 0 means 16 MiB.
	MaxFrameBytes int

	// Handler answers the calls. The session is notified through its subscriber.
	Handler protocol.Handler
}

// Run serves the session until the input ends and its calls are answered, and returns nil then. It
// returns early with the error of the input or the output, or with the cause of ctx. It waits for
// its goroutines, but no longer than closeGrace: a read of a terminal or of a pipe in blocking mode
// cannot be interrupted, and such a goroutine ends with its stream.
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

// readBuffer is how many bytes one read of the input returns at most: the size of a pipe on Linux.
const readBuffer = 64 << 10

// readLine reads the next line, without its ending. With an error it may also return the bytes before the error. If tooLong is true, the
// line has more than limit bytes, and is not returned.
func readLine(buf *bufio.Reader, limit int) (line []byte, tooLong bool, err error) {
	for {
		part, err := buf.ReadSlice('\n')
		if !tooLong {
			line = append(line, part...)
			// A line of the maximum length may have a mark and an ending of two bytes.
			if tooLong = len(line) > limit+2+len(protocol.ByteOrderMark); tooLong {
				line = nil
			}
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		if end, ok := bytes.CutSuffix(line, []byte("\n")); ok {
			line = bytes.TrimSuffix(end, []byte("\r"))
		}
		line = bytes.TrimPrefix(line, protocol.ByteOrderMark)
		return line, tooLong || len(line) > limit, err
	}
}

// frameWriter writes frames, one at a time.
type frameWriter struct {
	turn   chan struct{} // full while a frame is written
	json   *jsonwire.Writer
	broken error // the last frame may be incomplete, so nothing can follow it
}

func newFrameWriter(out io.Writer) *frameWriter {
	return &frameWriter{turn: make(chan struct{}, 1), json: jsonwire.NewWriter(out)}
}

// errNoFrame is returned for a frame that was cancelled before anything of it was written.
var errNoFrame = errors.New("no frame")

// put writes one frame and the line ending. It waits for its turn, unless ctx ends, and for the
// client. Any error of frame other than errNoFrame leaves the frame incomplete and ends the output.
func (w *frameWriter) put(ctx context.Context, frame func(json *jsonwire.Writer) error) error {
	select {
	case w.turn <- struct{}{}:
	case <-ctx.Done():
		return errNoFrame
	}
	defer func() { <-w.turn }()
	if ctx.Err() != nil { // ctx may have ended at the same time
		return errNoFrame
	}
	if w.broken != nil {
		return w.broken
	}
	err := frame(w.json)
	if err == errNoFrame {
		return err
	}
	if w.broken = err; err == nil {
		w.json.RawString("\n")
		w.broken = w.json.Flush()
	}
	return w.broken
}
