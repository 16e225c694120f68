package stdio

import (
	"context"
	"errors"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

// frameWriter writes frames, one at a time.
type frameWriter struct {
	frames chan pending
	closed <-chan struct{}
	done   chan struct{}

	turn   chan struct{} // full while a frame is written
	json   *jsonwire.Writer
	broken error  // a frame may have been cut: nothing can follow it
	first  func() // is called when the first frame has been written; then nil
}

type pending struct {
	frame   protocol.Frame
	written chan error // has room for one
}

func newFrameWriter(out io.Writer, closed <-chan struct{}, first func()) *frameWriter {
	return &frameWriter{
		frames: make(chan pending),
		closed: closed,
		done:   make(chan struct{}),
		turn:   make(chan struct{}, 1),
		json:   jsonwire.NewWriter(out),
		first:  first,
	}
}

// run writes what write hands over, so that whoever waits for a client that does
// not read can stop waiting.
func (w *frameWriter) run() {
	defer close(w.done)
	for {
		select {
		case <-w.closed:
			return
		case p := <-w.frames:
			p.written <- w.put(context.Background(), func(json *jsonwire.Writer) error {
				for _, part := range p.frame {
					json.Raw(part)
				}
				return nil
			})
		}
	}
}

// errNoFrame is of a frame that turned out not to be wanted any more, before
// anything of it was written.
var errNoFrame = errors.New("no frame")

// put writes one frame and the end of its line. It waits for its turn, unless
// ctx ends, and for the client. An error of the frame, but errNoFrame, leaves it
// cut, and is the end of the output.
func (w *frameWriter) put(ctx context.Context, frame func(json *jsonwire.Writer) error) error {
	select {
	case w.turn <- struct{}{}:
	case <-ctx.Done():
		return errNoFrame
	case <-w.closed:
		return mcp.ErrConnectionClosed
	}
	defer func() { <-w.turn }()
	// The turn may have come at the same time as the end.
	select {
	case <-ctx.Done():
		return errNoFrame
	case <-w.closed:
		return mcp.ErrConnectionClosed
	default:
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
	if w.first != nil {
		w.first()
		w.first = nil
	}
	return w.broken
}

// write hands f over and waits until it is written.
func (w *frameWriter) write(ctx context.Context, f protocol.Frame) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	p := pending{f, make(chan error, 1)}
	select {
	case w.frames <- p:
	case <-ctx.Done():
		return ctx.Err()
	case <-w.closed:
		return mcp.ErrConnectionClosed
	}
	select {
	case err := <-p.written:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-w.closed:
		return mcp.ErrConnectionClosed
	}
}
