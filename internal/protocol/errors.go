package protocol

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

func newError(code int64, message string, data json.RawMessage) error {
	return &jsonrpc.Error{Code: code, Message: message, Data: data}
}

// InvalidParams is the error for parameters that are wrong.
func InvalidParams(format string, args ...any) error {
	return newError(jsonrpc.CodeInvalidParams, fmt.Sprintf(format, args...), nil)
}

// InvalidRequest is the error for a request that cannot be made, or not now.
func InvalidRequest(format string, args ...any) error {
	return newError(jsonrpc.CodeInvalidRequest, fmt.Sprintf(format, args...), nil)
}

// MethodNotFound is the error for a method that does not exist, or not in this version.
func MethodNotFound(format string, args ...any) error {
	return newError(jsonrpc.CodeMethodNotFound, fmt.Sprintf(format, args...), nil)
}

// Shown is a name or URI of a client as a message quotes it: not at any length.
func Shown(s string) string {
	if c := Cut(s); c != s {
		return fmt.Sprintf("%q…", c)
	}
	return fmt.Sprintf("%q", s)
}

// Cut is the start of a string that is too long to repeat.
func Cut(s string) string { return excerpt.Cut(s, 200) }

// CodeOf returns the code of an error that clients may read, or 0.
func CodeOf(err error) int64 {
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return e.Code
	}
	return 0
}
