package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/database"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/fserr"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/contents"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// codeResourceNotFound is the code for a resource that does not exist, up to 2025-11-25. Later
// versions use the code of invalid parameters.
const codeResourceNotFound = -32002

var errInternal = &protocol.Error{Code: protocol.CodeInternalError, Message: contents.ErrInternal.Error()}

// clientError returns the error that a client may read. Errors that were made for clients pass
// unchanged. Other errors are reduced to their kind and contain no local path. The result is a
// [*protocol.Error].
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
		return &protocol.Error{Code: protocol.CodeInternalError, Message: fmt.Sprintf("%s: a file cannot be read: %v", method, err)}
	case errors.As(err, &rpc):
		return err
	case errors.Is(err, context.DeadlineExceeded):
		return &protocol.Error{Code: protocol.CodeInternalError, Message: fmt.Sprintf("%s took too long", method)}
	case errors.Is(err, context.Canceled):
		return &protocol.Error{Code: protocol.CodeInternalError, Message: fmt.Sprintf("%s was cancelled", method)}
	}
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		s.options.Logger.Warn("a request failed", "method", method, "error", err)
		return errInternal
	}
	return &protocol.Error{Code: protocol.CodeInternalError, Message: err.Error()}
}

// errorData is the data of an error about a resource.
type errorData struct {
	URI          string   `json:"uri"` // as the client spelled it; cut if it is long
	CloseMatches []string `json:"closeMatches,omitempty"`
	Reason       string   `json:"reason,omitempty"` // the mistake in the URI
	Size         int64    `json:"size,omitempty"`   // bytes
	Limit        int64    `json:"limit,omitempty"`  // bytes
}

// notFound returns the error for a URI that names nothing, with similar URIs.
func notFound(v view.View, requested string, e protocol.Era) error {
	missing := contents.NotFound(v, requested)
	if e == protocol.Stateless {
		// The official client recognizes the error by data that has only the URI.
		return resourceError(protocol.CodeInvalidParams, missing.Error(), errorData{URI: requested})
	}
	return resourceError(codeResourceNotFound, missing.Error(), errorData{URI: requested, CloseMatches: missing.Close})
}

// unreadable returns the error for a resource that exists but cannot be read.
func unreadable(err *contents.Error) error {
	why, data := "an input or output error", errorData{URI: err.URI}
	var pathErr *fs.PathError
	var tooLarge *loader.TooLargeError
	var frame *contents.FrameError
	var refusal *view.Refusal
	switch {
	case errors.As(err, &refusal):
		// Data with only the URI would mean to the official client that the resource does not
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
	case errors.Is(err, database.ErrUnreachable):
		why = database.Public(err).Error()
	}
	return resourceError(protocol.CodeInternalError, fmt.Sprintf("cannot read %s: %s", protocol.Shown(err.URI), why), data)
}

func resourceError(code int64, message string, data errorData) error {
	if len(data.URI) > uri.MaxLength {
		data.URI = protocol.Cut(data.URI)
	}
	raw, err := json.Marshal(data)
	if err != nil {
		raw = nil // the message suffices
	}
	return &protocol.Error{Code: code, Message: message, Data: raw}
}
