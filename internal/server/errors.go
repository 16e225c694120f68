package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/mcp-docs-server/mcp-docs-server/internal/fserr"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/uri"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// codeResourceNotFound is the code of a resource that does not exist, up to 2025-11-25. Later it is an invalid parameter.
const codeResourceNotFound = -32002

var errInternal = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error: the server's log tells more"}

// clientError is what a client may read of an error. Errors that were made for it, which include the SDK's own, pass; of
// the others it learns the kind, but no path of the machine.
func (s *Server) clientError(method string, err error) error {
	var rpc *jsonrpc.Error
	switch {
	case errors.As(err, &rpc):
		if rpc.Code == 0 {
			return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: rpc.Message, Data: rpc.Data}
		}
		return err
	case errors.Is(err, context.DeadlineExceeded):
		return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: fmt.Sprintf("%s took too long", method)}
	case errors.Is(err, context.Canceled):
		return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: fmt.Sprintf("%s was cancelled", method)}
	}
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		s.logger.Warn("a request failed", "method", method, "error", err)
		return errInternal
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: err.Error()}
}

// errorData is the data of an error about a resource.
type errorData struct {
	URI          string   `json:"uri"` // as the client spelled it, but not at any length
	CloseMatches []string `json:"closeMatches,omitempty"`
	Size         int64    `json:"size,omitempty"`  // bytes
	Limit        int64    `json:"limit,omitempty"` // bytes
}

// notFound is the error for a URI that names nothing, with what it may have meant.
func notFound(catalog *loader.Catalog, requested string, e protocol.Era) error {
	message := missing(catalog, requested)
	if e == protocol.Stateless {
		// The official client knows the error by data that has the URI and nothing else.
		return resourceError(jsonrpc.CodeInvalidParams, message, errorData{URI: requested})
	}
	return resourceError(codeResourceNotFound, message, errorData{URI: requested, CloseMatches: catalog.Close(requested, closeMatches)})
}

// closeMatches is how many URIs are offered for one that names nothing.
const closeMatches = 3

// missing says that a URI names nothing, and what it may have meant.
func missing(catalog *loader.Catalog, requested string) string {
	if folder, ok := catalog.LookupFolder(requested); ok {
		return fmt.Sprintf("%s is a folder: the URIs of what is in it begin with %s", protocol.Shown(requested), protocol.Cut(folder.URI()))
	}
	message := "resource not found: " + protocol.Shown(requested)
	if near := catalog.Close(requested, closeMatches); len(near) > 0 {
		message += "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return message
}

// unreadable is the error for a resource that exists but cannot be read.
func unreadable(name string, err error) error {
	why, data := "an input or output error", errorData{URI: name}
	var pathErr *fs.PathError
	var tooLarge *loader.TooLargeError
	switch {
	case errors.As(err, &tooLarge):
		why = fmt.Sprintf("%d bytes are more than limits.maxReadBytes allows (%d)", tooLarge.Size, tooLarge.Limit)
		data.Size, data.Limit = tooLarge.Size, tooLarge.Limit
	case errors.Is(err, fs.ErrPermission):
		why = "permission denied"
	case errors.As(err, &pathErr):
		why = fserr.Reason(pathErr)
	case errors.Is(err, errHanging), errors.Is(err, loader.ErrChanging):
		why = err.Error()
	case errors.Is(err, context.DeadlineExceeded):
		why = fmt.Sprintf("it took more than %v", readTimeout)
	}
	return resourceError(jsonrpc.CodeInternalError, fmt.Sprintf("cannot read %s: %s", protocol.Shown(name), why), data)
}

func resourceError(code int64, message string, data errorData) error {
	if len(data.URI) > uri.MaxLength {
		data.URI = protocol.Cut(data.URI)
	}
	raw, err := json.Marshal(data)
	if err != nil {
		raw = nil // the message says enough
	}
	return &jsonrpc.Error{Code: code, Message: message, Data: raw}
}
