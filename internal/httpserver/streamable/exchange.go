package streamable

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/hosts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/serverlog"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/notify"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

// An exchange is a call and its answer.
type exchange struct {
	*Handler
	w     http.ResponseWriter
	r     *http.Request
	m     protocol.Message
	era   protocol.Era
	began time.Time
}

func (h *Handler) exchange(w http.ResponseWriter, r *http.Request, m protocol.Message, era protocol.Era) *exchange {
	return &exchange{h, w, r, m, era, time.Now()}
}

// status returns the status for an error that is not sent as a stream: up to 2025-11-25 always 200, because the HTTP request was
// valid (2026-07-28: SEP-2575).
func (x *exchange) status(e *protocol.Error) int {
	if x.era == protocol.Handshake {
		return http.StatusOK
	}
	switch e.Code {
	case protocol.CodeMethodNotFound:
		return http.StatusNotFound
	case protocol.CodeInvalidParams, protocol.CodeInvalidRequest, protocol.CodeUnsupportedVersion, protocol.CodeMissingCapabilities, protocol.CodeHeaderMismatch:
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// call returns the call for the server. n is nil if it belongs to no session.
func (x *exchange) call(n *session) *protocol.Call {
	call := &protocol.Call{ID: x.m.ID, Method: x.m.Method, Params: x.m.Params, Oldest: oldest, Caller: caller(x.r).Key, Shared: true}
	if n != nil {
		call.Session, call.Version = n.subscriber, n.version
	}
	return call
}

// answer answers a call. If the client accepts streams, the first notification of progress that it requested or some time turns the
// answer into one: such notifications belong to the stream of their request (MCP, "Streamable HTTP"), and proxies end a request
// without any bytes.
func (x *exchange) answer(ctx context.Context, call *protocol.Call) {
	if _, events := accepts(x.r); !events {
		x.write(x.options.Server.Answer(ctx, call))
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s, latest := newStream(x, cancel), notify.NewLatest()
	call.Notify = func(n notify.Notification) {
		latest.Put(n)
		s.start(latest, false)
	}
	s.pause = x.options.Shared.slow
	slow := time.AfterFunc(s.pause, func() { s.start(latest, true) })
	result, err := x.options.Server.Answer(ctx, call)
	slow.Stop()
	x.finish(s, result, err)
}

// listen answers subscriptions/listen with a stream that ends with the result. When it begins, done gives back the room of the body,
// of which nothing is kept.
func (x *exchange) listen(call *protocol.Call, done func()) {
	counted := caller(x.r).RateKey()
	if !x.options.Shared.streams.take(counted) {
		tooMany(x.w, "streams")
		return
	}
	defer x.options.Shared.streams.give(counted)
	x.m.ID, x.m.Params = bytes.Clone(x.m.ID), nil
	call.ID = x.m.ID
	call.Session = x.options.Server.Open(call.Caller)
	defer call.Session.Close()
	ctx, cancel := context.WithCancel(x.r.Context())
	defer cancel()
	s := newStream(x, cancel)
	s.opened = done
	s.start(call.Session, false)
	result, err := x.options.Server.Answer(ctx, call)
	x.finish(s, result, err)
}

// finish ends a stream with the answer, or sends the answer as JSON if the stream has not begun.
func (x *exchange) finish(s *stream, result protocol.Result, failure error) {
	lost := s.end() != nil || x.r.Context().Err() != nil
	if !lost && !s.begun {
		x.write(result, failure)
		return
	}
	if result != nil {
		defer result.Release()
	}
	if !lost {
		bytes, err := s.answer(x.m.ID, result, failure)
		x.observed(bytes, result, err)
	}
}

// write sends the answer as JSON. If it becomes incomplete, the connection ends.
func (x *exchange) write(result protocol.Result, err error) {
	if err != nil {
		e := protocol.WireError(err)
		x.observed(0, nil, e)
		hosts.RefuseCall(x.w, x.status(e), x.m.ID, e)
		return
	}
	defer result.Release()
	isList := strings.HasSuffix(x.m.Method, "/list")
	if isList {
		x.w.Header().Add("Vary", "Accept-Encoding")
	}
	a := newAnswer(x.w, x.r, isList && slices.Contains(slices.Collect(accepted(x.r, "Accept-Encoding")), "gzip"))
	failed, cut := protocol.WriteResult(a.Writer, x.m.ID, result)
	bytes := a.Written()
	if cut != nil {
		x.options.Logger.Warn("an answer was not sent completely", "method", x.m.Method, "error", cut)
	}
	cut = a.end(cut)
	x.observed(bytes, result, cmp.Or(cut, failed)) // incomplete, or with an error
	if cut != nil {
		panic(http.ErrAbortHandler)
	}
}

// observed reports an answered call.
func (x *exchange) observed(bytes int64, result protocol.Result, err error) {
	outcome := "ok"
	if rpc, ok := errors.AsType[*protocol.Error](err); ok {
		outcome = strconv.FormatInt(rpc.Code, 10)
	} else if err != nil {
		outcome = "cut"
	} else if protocol.Failed(result) {
		outcome = "tool_error"
	}
	x.options.Observe(x.r, serverlog.Call{
		Method: x.m.Method, Subject: subjectOf(x.m), Caller: caller(x.r).Name,
		Outcome: outcome, Bytes: bytes, Duration: time.Since(x.began),
	})
}

// A timed writer limits the time for each piece of an answer, and for the whole answer in
// proportion to its size. Only the time in which the server waits for the client counts.
type timed struct {
	http.ResponseWriter
	// ends when the caller's token is removed, even in the middle of an answer
	request context.Context
	written int64
	waited  time.Duration
}

// slowest is how many bytes a second a client must read on average after its first writeTimeout.
// Otherwise a client that reads a piece now and then would hold the memory of a large answer for an
// hour.
const slowest = 16 << 10

func newTimed(w http.ResponseWriter, r *http.Request) timed {
	return timed{ResponseWriter: w, request: r.Context()}
}

// control sets the deadlines of the connection.
func (t *timed) control() *http.ResponseController {
	return http.NewResponseController(t.ResponseWriter)
}

func (t *timed) Write(p []byte) (int, error) {
	if t.request.Err() != nil {
		return 0, context.Cause(t.request)
	}
	now := time.Now()
	t.written += int64(len(p))
	left := writeTimeout + time.Duration(t.written/slowest)*time.Second - t.waited
	// The deadline that the server set for the request may have passed while the call
	// waited for the disk. Writers without deadlines exist only in tests, whose clients read.
	_ = t.control().SetWriteDeadline(now.Add(min(left, writeTimeout)))
	n, err := t.ResponseWriter.Write(p)
	t.waited += time.Since(now)
	return n, err
}

// flush sends the written bytes to the client.
func (t *timed) flush() error {
	_ = t.control().SetWriteDeadline(time.Now().Add(writeTimeout))
	return t.control().Flush()
}

var (
	jsonWriters = sync.Pool{New: func() any { return jsonwire.NewWriter(nil) }}
	gzipWriters = sync.Pool{New: func() any {
		z, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is valid
		return z
	}}
)

// An answer is a JSON body that is being written. If it fits one piece, it has a Content-Length;
// otherwise it is sent in chunks.
type answer struct {
	*jsonwire.Writer
	to     timed
	zipped *gzip.Writer
}

// newAnswer begins a body. zip turns on compression.
func newAnswer(w http.ResponseWriter, r *http.Request, zip bool) *answer {
	a := &answer{Writer: jsonWriters.Get().(*jsonwire.Writer), to: newTimed(w, r)}
	w.Header().Set("Content-Type", "application/json")
	if zip {
		w.Header().Set("Content-Encoding", "gzip")
		a.zipped = gzipWriters.Get().(*gzip.Writer)
		a.zipped.Reset(&a.to)
		a.Reset(a.zipped)
	} else {
		a.Reset(&a.to)
	}
	return a
}

// end sends the rest, or nothing more after an error. It returns that error, or one of the connection.
func (a *answer) end(err error) error {
	if err == nil {
		if n := a.Buffered(); n > 0 && a.zipped == nil && a.Written() == int64(n) {
			a.to.Header().Set("Content-Length", strconv.Itoa(n))
		}
		err = a.Flush()
		if a.zipped != nil {
			err = cmp.Or(err, a.zipped.Close())
		}
	}
	a.Reset(nil)
	jsonWriters.Put(a.Writer)
	if a.zipped != nil {
		a.zipped.Reset(nil)
		gzipWriters.Put(a.zipped)
	}
	return err
}
