package stdio

import (
	"context"
	"errors"
	"io"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

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
