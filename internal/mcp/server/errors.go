package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/fserr"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/contents"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// codeResourceNotFound is the code of a resource that does not exist, up to 2025-11-25. Later it is
// an invalid parameter.
const codeResourceNotFound = -32002

var errInternal = &protocol.Error{Code: protocol.CodeInternalError, Message: contents.ErrInternal.Error()}

// clientError is what a client may read of an error. Errors that were made for it pass; of the
// others it learns the kind, but no path of the machine. The error is a [*protocol.Error].
func (s *Server) clientError(method string, err error) error {
	var rpc *protocol.Error
	var unread *contents.Error
	var unknown *tools.UnknownError
	switch {
	case errors.As(err, &unread):
		return unreadable(unread)
	case errors.As(err, &unknown):
		return protocol.InvalidParams("%v", unknown)
	case errors.Is(err, contents.ErrSlow), errors.Is(err, contents.ErrHanging):
		return &protocol.Error{Code: protocol.CodeInternalError, Message: fmt.Sprintf("%s: a file cannot be looked at: %v", method, err)}
	case errors.As(err, &rpc):
		return err
	case errors.Is(err, context.DeadlineExceeded):
		return &protocol.Error{Code: protocol.CodeInternalError, Message: fmt.Sprintf("%s took too long", method)}
	case errors.Is(err, context.Canceled):
		return &protocol.Error{Code: protocol.CodeInternalError, Message: fmt.Sprintf("%s was cancelled", method)}
	}
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		s.logger.Warn("a request failed", "method", method, "error", err)
		return errInternal
	}
	return &protocol.Error{Code: protocol.CodeInternalError, Message: err.Error()}
}

// errorData is the data of an error about a resource.
type errorData struct {
	URI          string   `json:"uri"` // as the client spelled it, but not at any length
	CloseMatches []string `json:"closeMatches,omitempty"`
	Reason       string   `json:"reason,omitempty"` // what is wrong with the URI
	Size         int64    `json:"size,omitempty"`   // bytes
	Limit        int64    `json:"limit,omitempty"`  // bytes
}

// notFound is the error for a URI that names nothing, with what it may have meant.
func notFound(v view.View, requested string, e protocol.Era) error {
	missing := contents.NotFound(v, requested)
	if e == protocol.Stateless {
		// The official client knows the error by data that has the URI and nothing else.
		return resourceError(protocol.CodeInvalidParams, missing.Error(), errorData{URI: requested})
	}
	return resourceError(codeResourceNotFound, missing.Error(), errorData{URI: requested, CloseMatches: missing.Close})
}

// unreadable is the error for a resource that exists but cannot be read.
func unreadable(err *contents.Error) error {
	why, data := "an input or output error", errorData{URI: err.URI}
	var pathErr *fs.PathError
	var tooLarge *loader.TooLargeError
	var frame *contents.FrameError
	var refusal *view.Refusal
	switch {
	case errors.As(err, &refusal):
		// More than the URI: the official client takes that alone for a resource that does not
		// exist.
		data.Reason = refusal.Reason
		return resourceError(protocol.CodeInvalidParams, fmt.Sprintf("cannot read %s: %s", protocol.Shown(err.URI), refusal.Reason), data)
	case errors.As(err, &tooLarge):
		why = fmt.Sprintf("%d bytes are more than limits.maxReadBytes allows (%d)", tooLarge.Size, tooLarge.Limit)
		data.Size, data.Limit = tooLarge.Size, tooLarge.Limit
	case errors.As(err, &frame):
		why, data.Limit = frame.Error(), frame.Limit
	case errors.Is(err, fs.ErrPermission):
		why = "permission denied"
	case errors.As(err, &pathErr):
		why = fserr.Reason(pathErr)
	case errors.Is(err, contents.ErrHanging), errors.Is(err, contents.ErrSlow), errors.Is(err, loader.ErrChanging):
		why = err.Err.Error()
	}
	return resourceError(protocol.CodeInternalError, fmt.Sprintf("cannot read %s: %s", protocol.Shown(err.URI), why), data)
}

func resourceError(code int64, message string, data errorData) error {
	if len(data.URI) > uri.MaxLength {
		data.URI = protocol.Cut(data.URI)
	}
	raw, err := json.Marshal(data)
	if err != nil {
		raw = nil // the message says enough
	}
	return &protocol.Error{Code: code, Message: message, Data: raw}
}
