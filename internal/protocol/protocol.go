// Package protocol defines the types that transports and the answer layer exchange.
//
// A transport reads a message and makes a [Call] from it. The answer layer, a [Handler], returns an
// error or a [Result] that writes itself as JSON in pieces. The transport writes the frame around
// the JSON and releases the result after its last byte. Until then the result holds its share of
// the memory that all answers have together.
//
//	transport  ── Call ──▶  Handler.Answer  ── Result ──▶  transport  ──▶  client
//	transport  ◀── notify.Subscriber.Next ── hub
//
// The package knows the versions of MCP and the errors that clients may read. It knows nothing
// about files.
package protocol

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/notify"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

// A Call is a JSON-RPC request with an id.
type Call struct {
	ID     []byte // JSON, as the client wrote it
	Method string
	Params []byte // JSON; nil if there are none

	// Session is the subscriber that receives the notifications of the session. It is nil if the
	// client cannot be notified.
	Session *notify.Subscriber
	// Notify sends a notification that belongs to this call, before its answer. It never waits: if
	// the client reads too slowly, notifications are dropped. It is nil if the transport cannot
	// send any.
	Notify func(notify.Notification)
	// Version is the protocol version that initialize agreed on, or "" if there was no initialize;
	// see [Agreed]. A version in the _meta of Params takes precedence.
	Version string
	// Oldest is the first protocol version that the transport accepts, or "" for all versions.
	Oldest string

	// Caller is the caller whose budgets and limits the call counts against. It is "" for the only
	// caller of a process.
	Caller string
	// Shared reports that there may be other callers, so one caller must not use up shared
	// resources.
	Shared bool
}

// A Handler answers calls. Its methods may be called at the same time.
type Handler interface {
	// Answer answers a call. It returns early when ctx ends. An error is an [*Error].
	Answer(ctx context.Context, c *Call) (Result, error)

	// Open returns the subscriber of a new session of a caller; caller is as in [Call]. The
	// transport closes the subscriber when the session ends.
	Open(caller string) *notify.Subscriber
}

// A Result is the result of a call, not yet encoded.
type Result interface {
	// WriteJSON writes the result in parts; a slow client may delay each part for any time. It is
	// called at most once. After an error the frame is incomplete, and the transport ends the
	// connection; transports call WriteJSON only through [WriteResult], which handles some errors.
	WriteJSON(w *jsonwire.Writer) error
	// Release frees what the result holds. It is called once, whether or not the result was
	// written.
	Release()
}

// Failed reports whether a result says that a tool failed (isError), which is different from a
// JSON-RPC error.
func Failed(r Result) bool {
	f, ok := r.(interface{ Failed() bool })
	return ok && f.Failed()
}

// Agreed returns the protocol version that a result of initialize agrees on. It is the Version of
// the later calls in the session. For other results Agreed returns "".
func Agreed(r Result) string {
	if a, ok := r.(interface{ Agreed() string }); ok {
		return a.Agreed()
	}
	return ""
}

// Methods that transports treat differently from the other methods.
const (
	MethodInitialize  = "initialize"
	MethodInitialized = "notifications/initialized"
	MethodCancelled   = "notifications/cancelled"
	MethodListen      = "subscriptions/listen"
	MethodPing        = "ping"
	MethodSubscribe   = "resources/subscribe"
	MethodUnsubscribe = "resources/unsubscribe"
)

// Versions of MCP. They are dates and compare as text.
const (
	// NoBatches is the first version without JSON-RPC batches (MCP 2025-06-18, Key Changes).
	NoBatches = "2025-06-18"
	// LastHandshake is the last version whose sessions begin with initialize.
	LastHandshake = "2025-11-25"
	// FirstStateless is the first version in which each request names its version in _meta.
	FirstStateless = "2026-07-28"
)

// Versions are the versions that the program speaks, the newest first.
var Versions = []string{"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// VersionsFrom returns the versions from oldest on, the newest first; "" means all versions.
func VersionsFrom(oldest string) []string {
	return slices.DeleteFunc(slices.Clone(Versions), func(v string) bool { return v < oldest })
}

// An Era says which form the answer to a request has, depending on its protocol version.
type Era bool

const (
	Handshake Era = false // up to 2025-11-25
	Stateless Era = true  // from 2026-07-28 on
)

// Meta keys of MCP 2026-07-28.
const (
	MetaVersion      = "io.modelcontextprotocol/protocolVersion"
	MetaClientInfo   = "io.modelcontextprotocol/clientInfo"
	MetaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	MetaServerInfo   = "io.modelcontextprotocol/serverInfo"
)

// UnsupportedVersion returns the error for a version that the server does not support (MCP
// 2026-07-28, SEP-2575).
func UnsupportedVersion(requested, oldest string) error {
	data, _ := json.Marshal(mcp.UnsupportedProtocolVersionData{Supported: VersionsFrom(oldest), Requested: Cut(requested)})
	return &Error{Code: CodeUnsupportedVersion, Message: "unsupported protocol version", Data: data}
}

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

// InternalError returns the error for a request that the server could not answer.
func InternalError(format string, args ...any) *Error {
	return &Error{Code: CodeInternalError, Message: fmt.Sprintf(format, args...)}
}

// ParseError returns the error for a body that is not JSON.
func ParseError(message string) *Error { return &Error{Code: CodeParseError, Message: message} }

// Shown quotes a name or URI of a client for a message, and shortens it if it is long.
func Shown(s string) string {
	if c := Cut(s); c != s {
		return fmt.Sprintf("%q…", c)
	}
	return fmt.Sprintf("%q", s)
}

// Cut returns the start of a string that is too long to repeat.
func Cut(s string) string { return excerpt.Cut(s, 200) }
