package protocol

import (
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

// An Error is a JSON-RPC error. Clients may read its text.
type Error = jsonrpc.Error

// Codes of errors.
const (
	CodeParseError     = jsonrpc.CodeParseError
	CodeInvalidRequest = jsonrpc.CodeInvalidRequest
	CodeMethodNotFound = jsonrpc.CodeMethodNotFound
	CodeInvalidParams  = jsonrpc.CodeInvalidParams
	CodeInternalError  = jsonrpc.CodeInternalError

	CodeHeaderMismatch      = mcp.CodeHeaderMismatch
	CodeUnsupportedVersion  = mcp.CodeUnsupportedProtocolVersion
	CodeMissingCapabilities = mcp.CodeMissingRequiredClientCapabilities
)

// InvalidParams returns the error for wrong parameters.
func InvalidParams(format string, args ...any) *Error {
	return &Error{Code: CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
}

// InvalidRequest returns the error for a request that cannot be made at all, or not at the moment.
func InvalidRequest(format string, args ...any) *Error {
	return &Error{Code: CodeInvalidRequest, Message: fmt.Sprintf(format, args...)}
}

// MethodNotFound returns the error for a method that does not exist, or does not exist in this
// version.
func MethodNotFound(format string, args ...any) *Error {
	return &Error{Code: CodeMethodNotFound, Message: fmt.Sprintf(format, args...)}
}

// Shown quotes a name or URI of a client for a message, and shortens it if it is long.
func Shown(s string) string {
	if c := Cut(s); c != s {
		return fmt.Sprintf("%q…", c)
	}
	return fmt.Sprintf("%q", s)
}

// Cut returns the start of a string that is too long to repeat.
func Cut(s string) string { return excerpt.Cut(s, 200) }

// CodeOf returns the code of an error if clients may read the error, or 0.
func CodeOf(err error) int64 {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return 0
}
