package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/database"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/fserr"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/contents"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/notify"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// A reply is a result that is written without reflection: first the members that every result has,
// then the members of its body.
type reply struct {
	serverInfo []byte // JSON; nil up to 2025-11-25, whose results have no such common members
	meta       []byte // further members of _meta, JSON with a comma after each
	body       body
	agreed     string // the version that initialize agrees on

	// ttl returns how long a client may keep the result (MCP 2026-07-28, "Caching"); nil: the result does not say. It is
	// called when the result is about to be written, so that no notification of a change can have been written before.
	ttl func() time.Duration

	written int64
	err     error
	// logs a panic of the body, and returns the error for the client
	panicked func(p any) error
	released func(bytes int64, err error)
}

// A body is the members of a result.
type body interface {
	// WriteJSON writes the members with commas between them. It is called at most once. After an
	// error, the output is incomplete.
	WriteJSON(w *jsonwire.Writer) error
	// Release returns the memory of the body.
	Release()
}

// WriteJSON writes the result.
func (r *reply) WriteJSON(w *jsonwire.Writer) (err error) {
	before := w.Written()
	defer func() {
		if p := recover(); p != nil {
			err = r.panicked(p)
		}
		r.written, r.err = w.Written()-before, err
	}()
	w.RawString("{")
	comma := ""
	if r.serverInfo != nil {
		w.RawString(`"_meta":{`)
		w.Raw(r.meta)
		w.RawString(`"` + protocol.MetaServerInfo + `":`)
		w.Raw(r.serverInfo)
		w.RawString(`},"resultType":"complete"`)
		if r.ttl != nil {
			w.RawString(`,"ttlMs":` + strconv.FormatInt(r.ttl().Milliseconds(), 10) + `,"cacheScope":"private"`)
		}
		comma = ","
	}
	if r.body != nil {
		w.RawString(comma)
		if err := r.body.WriteJSON(w); err != nil {
			return err
		}
	}
	w.RawString("}")
	return nil
}

// Failed reports whether a tool failed, see [protocol.Failed].
func (r *reply) Failed() bool {
	out, ok := r.body.(*tools.Output)
	return ok && out.Failed()
}

// Agreed returns the version that initialize agrees on, see [protocol.Agreed].
func (r *reply) Agreed() string { return r.agreed }

// Release returns the memory of the result.
func (r *reply) Release() {
	defer func() {
		if p := recover(); p != nil {
			_ = r.panicked(p) // the client has its answer
		}
		r.released(r.written, r.err)
	}()
	if r.body != nil {
		r.body.Release()
	}
}

// empty returns a result without members.
func empty() *reply { return &reply{} }

// encoded returns a reply with the members of a struct, which must have at least one.
func encoded(v any) (*reply, error) {
	b, err := encode(v)
	if err != nil {
		return nil, err
	}
	return &reply{body: b}, nil
}

// encode returns a body with the members of a struct, which must have at least one.
func encode(v any) (*encodedBody, error) {
	data, err := jsonwire.Encode(v)
	if err != nil {
		return nil, err
	}
	return &encodedBody{members: data[1 : len(data)-1]}, nil
}

// How long a client may keep a result. A client that is notified of changes may keep it longer than
// one that would miss them.
const (
	coveredTTL = time.Hour
	listTTL    = time.Second
)

// Liveness says how soon the server itself notices a change.
type Liveness struct {
	On  bool
	Lag time.Duration // delay of polling; 0 if the system reports changes
}

// listed returns the reply with a list. Clients may keep the list only if it is still current when
// it is written. Otherwise the notification of the change may have been written earlier, and a
// client would keep an outdated list.
func (s *Server) listed(r request, lists notify.Lists, current func() bool, list body) *reply {
	return &reply{body: list, ttl: func() time.Duration {
		if !current() {
			return 0
		}
		return s.ttl(r.Session.Covers(lists), listTTL)
	}}
}

// ofView is listed for a list of resources or templates that was made from the view of a request.
func (s *Server) ofView(r request, list body) *reply {
	return s.listed(r, notify.Lists{Resources: true}, func() bool { return s.views.UpToDate(r.View, r.Caller) }, list)
}

// readTTL is how long a session may keep what it read: not at all, even if it is notified of
// changes of the file. A large file takes so long to encode that a notification may overtake it,
// and the client would keep an outdated file until the next change.
func readTTL() time.Duration { return 0 }

func (s *Server) ttl(covered bool, uncovered time.Duration) time.Duration {
	live := Liveness{}
	if s.options.Live != nil {
		live = s.options.Live()
	}
	switch {
	case !live.On:
		return 0
	case !covered:
		return max(0, uncovered-live.Lag)
	case live.Lag > 0:
		return live.Lag
	}
	return coveredTTL
}

// codeResourceNotFound is the code for a resource that does not exist, up to 2025-11-25. Later
// versions use the code of invalid parameters.
const codeResourceNotFound = -32002

var errInternal = protocol.InternalError("%v", contents.ErrInternal)

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
		return protocol.InternalError("%s: a file cannot be read: %v", method, err)
	case errors.As(err, &rpc):
		return err
	case errors.Is(err, context.DeadlineExceeded):
		return protocol.InternalError("%s took too long", method)
	case errors.Is(err, context.Canceled):
		return protocol.InternalError("%s was cancelled", method)
	}
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		s.options.Logger.Warn("a request failed", "method", method, "error", err)
		return errInternal
	}
	return protocol.InternalError("%v", err)
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
	raw, _ := json.Marshal(data) // strings and numbers can always be encoded
	return &protocol.Error{Code: code, Message: message, Data: raw}
}
