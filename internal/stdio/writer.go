package stdio

import (
	"context"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// keepBuffer is how large a write buffer is kept for the next frame: full pages
// of lists, and not the one large read of a session.
const keepBuffer = 2 << 20

// frameWriter writes frames. Its goroutine, run, owns the output, so that
// whoever waits for a client that does not read can stop waiting.
type frameWriter struct {
	out    io.Writer
	frames chan pending
	closed <-chan struct{}
	done   chan struct{}
}

type pending struct {
	frame   frame
	written chan error // has room for one
}

func newFrameWriter(out io.Writer, closed <-chan struct{}) *frameWriter {
	return &frameWriter{out: out, frames: make(chan pending), closed: closed, done: make(chan struct{})}
}

func (w *frameWriter) run() {
	defer close(w.done)
	var buf []byte
	var broken error // a frame may have been cut: nothing can follow it
	for {
		select {
		case <-w.closed:
			return
		case p := <-w.frames:
			if broken == nil {
				n := p.frame.size() + 1
				if cap(buf) < n {
					buf = make([]byte, 0, n)
				}
				buf = buf[:0]
				for _, part := range p.frame {
					buf = append(buf, part...)
				}
				_, broken = w.out.Write(append(buf, '\n'))
				if cap(buf) > keepBuffer {
					buf = nil
				}
			}
			p.written <- broken
		}
	}
}

// write hands f over and waits until it is written.
func (w *frameWriter) write(ctx context.Context, f frame) error {
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
