package contents

import (
	"errors"
	"fmt"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
)

var (
	// ErrHanging is the error for work that was not begun because too much other work hangs.
	ErrHanging = errors.New("too many reads hang; is a network drive gone?")
	// ErrSlow is the error for work that took too long.
	ErrSlow = fmt.Errorf("it took more than %v", diskTime)
	// ErrInternal is the error for work that panicked.
	ErrInternal = errors.New("internal error: see the log of the server")

	// errLongChanged ends a frame that already has parts of two versions of a file.
	errLongChanged = errors.New("a file changed while it was sent")
)

// An Error reports that a resource exists but cannot be read. Err may contain a local path.
type Error struct {
	URI string // as the client spelled it, at any length
	Err error
}

func (e *Error) Error() string {
	return fmt.Sprintf("cannot read %s: %v", protocol.Shown(e.URI), e.Err)
}
func (e *Error) Unwrap() error { return e.Err }

// A FrameError reports that an answer does not fit into a frame.
type FrameError struct{ Limit int64 }

func (e *FrameError) Error() string {
	return fmt.Sprintf("the answer would have more bytes than limits.maxFrameBytes allows (%d)", e.Limit)
}

// A NotFoundError reports that a URI names nothing. Its text is for clients.
type NotFoundError struct {
	URI   string   // as the client spelled it, at any length
	Close []string // URIs that it may have meant

	folder string // the canonical URI, if it names one
}

// maxClose is how many similar URIs an error suggests.
const maxClose = 3

// NotFound returns the error for a URI that names nothing in the view.
func NotFound(v view.View, requested string) *NotFoundError {
	e := &NotFoundError{URI: requested, Close: v.Files.Close(requested, maxClose)}
	if folder, ok := v.Files.LookupFolder(requested); ok {
		e.folder = folder.URI()
	}
	if len(e.Close) < maxClose {
		e.Close = append(e.Close, v.Close(requested, maxClose-len(e.Close))...)
	}
	return e
}

func (e *NotFoundError) Error() string {
	if e.folder != "" {
		return fmt.Sprintf("%s is a folder: the URIs of what is in it begin with %s", protocol.Shown(e.URI), protocol.Cut(e.folder))
	}
	message := "resource not found: " + protocol.Shown(e.URI)
	if len(e.Close) > 0 {
		message += "; did you mean " + strings.Join(e.Close, " or ") + "?"
	}
	return message
}
