package streamable

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/hosts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/notify"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

// primed is the first protocol version whose streams begin with an event without data, so that a
// client has an id to resume from (MCP 2025-11-25, SEP-1699).
const primed = "2025-11-25"

// get opens the stream of a session.
func (h *Handler) get(w http.ResponseWriter, r *http.Request) {
	n := h.streaming(w, r)
	if n == nil {
		return
	}
	defer n.leave()
	if !h.options.Shared.streams.Take(n.counted) {
		tooMany(w, "streams")
		return
	}
	defer h.options.Shared.streams.Give(n.counted)
	ctx, release, ok := n.replace(r.Context())
	if !ok {
		hosts.Refuse(w, http.StatusConflict, "another stream of the session has taken the place of this one, or the session has ended")
		return
	}
	defer release()
	n.rewind(r)
	s := newStream(w, r)
	s.epoch = n.epoch
	_ = s.to.control().SetReadDeadline(time.Time{}) // a deadline would end the stream
	s.begin(n.version >= primed, n.subscriber.Sent())
	if s.flush() != nil {
		return
	}
	for {
		next, err := s.next(ctx, n.subscriber, h.options.Shared.ending)
		if err != nil {
			return
		}
		if s.notification(next, true) != nil || s.flush() != nil {
			n.subscriber.Rewind(next.Number - 1)
			return
		}
		h.options.Notified(next.Method)
	}
}

// streaming returns the session for which a stream is requested. If it returns nil, it has answered
// the request.
func (h *Handler) streaming(w http.ResponseWriter, r *http.Request) *session {
	id := r.Header.Get("Mcp-Session-Id")
	if id == "" {
		id = r.URL.Query().Get("sessionId")
	}
	switch _, events := accepts(r); {
	case versionOf(r) >= protocol.FirstStateless:
		hosts.NotAllowed(w, "POST", "use subscriptions/listen in protocol version "+protocol.FirstStateless)
		return nil
	case id == "":
		hosts.NotAllowed(w, "POST", "a stream belongs to a session, which begins with initialize")
		return nil
	case !events:
		hosts.Refuse(w, http.StatusNotAcceptable, "Accept must have text/event-stream")
		return nil
	}
	return h.find(w, r, id)
}

// rewind makes a stream begin after the last event that its client has received. If another replica sent that event, or may
// have had a stream whose client got no id, or if the server was restarted, the stream begins with all notifications, because the changes since then are not
// known here.
func (n *session) rewind(r *http.Request) {
	last := r.Header.Get("Last-Event-ID")
	after, here := strings.CutPrefix(last, n.epoch)
	number, err := strconv.ParseUint(after, 10, 64)
	switch {
	case here && err == nil:
		n.subscriber.Rewind(number)
	case last != "" && n.epoch != "", n.moved && (n.version < primed || n.owner.options.Shared.sessions.keys.Local):
		n.subscriber.NotifyAll()
	}
	n.moved = false
}

// listen answers subscriptions/listen with a stream that ends with the result. When it begins, done gives back the room of the body,
// of which nothing is kept.
func (h *Handler) listen(w http.ResponseWriter, r *http.Request, m protocol.Message, call *protocol.Call, began time.Time, done func()) {
	counted := caller(r).RateKey()
	if !h.options.Shared.streams.Take(counted) {
		tooMany(w, "streams")
		return
	}
	defer h.options.Shared.streams.Give(counted)
	m.ID, m.Params = bytes.Clone(m.ID), nil
	call.ID = m.ID
	call.Session = h.options.Server.Open(call.Caller)
	defer call.Session.Close()
	ctx, cancel := context.WithCancel(r.Context())
	var result protocol.Result // until over is closed, the goroutine has result and failure
	var failure error
	over := make(chan struct{})
	go func() {
		defer close(over)
		result, failure = h.options.Server.Answer(ctx, call)
	}()
	defer func() { // the listen ends with the stream
		cancel()
		<-over
		if result != nil {
			result.Release()
		}
	}()
	var s *stream // nil: not begun
	for {
		next, err := s.next(ctx, call.Session, over)
		if err == nil {
			if s == nil {
				s = newStream(w, r)
				done()
			}
			if s.notification(next, false) != nil || s.flush() != nil {
				return
			}
			h.options.Notified(next.Method)
			continue
		}
		if !errors.Is(err, notify.ErrOver) || r.Context().Err() != nil {
			return
		}
		<-over
		if s == nil { // the server answered without beginning the stream
			last := result
			result = nil // write releases it
			h.write(w, r, m, began, last, failure, statusOf)
			return
		}
		bytes, err := s.answer(m.ID, result, failure)
		h.observed(r, m, began, bytes, result, err)
		return
	}
}

// A stream is a body of server-sent events
// (https://html.spec.whatwg.org/multipage/server-sent-events.html).
type stream struct {
	to    timed
	buf   []byte
	epoch string // see session
}

// newStream begins the body.
func newStream(w http.ResponseWriter, r *http.Request) *stream {
	header := w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-cache, no-transform")
	header.Set("X-Accel-Buffering", "no") // nginx would buffer the stream
	w.WriteHeader(http.StatusOK)
	return &stream{to: newTimed(w, r)}
}

func (s *stream) flush() error { return s.to.flush() }

// next waits for a notification, and writes comments meanwhile. s may be nil: a stream that has not
// begun.
func (s *stream) next(ctx context.Context, from *notify.Subscriber, over <-chan struct{}) (notify.Notification, error) {
	pause := time.NewTimer(keepAlive) // needs less memory per stream than a context with a deadline
	defer pause.Stop()
	for {
		next, err := from.NextWithin(ctx, over, pause.C)
		if err != notify.ErrPause {
			return next, err
		}
		if s != nil {
			if err := s.comment(); err != nil {
				return next, err
			}
		}
		pause.Reset(keepAlive)
	}
}

// id appends the line with the id of an event.
func (s *stream) id(b []byte, number uint64) []byte {
	return append(strconv.AppendUint(append(append(b, "id: "...), s.epoch...), number, 10), '\n')
}

// begin writes when to connect again. If primed, it is an event that has an id and no data.
func (s *stream) begin(primed bool, number uint64) {
	s.buf = fmt.Appendf(s.buf[:0], "retry: %d\n", retry)
	if primed {
		s.buf = append(s.id(s.buf, number), "data:\n"...)
	}
	s.buf = append(s.buf, '\n')
	_, _ = s.to.Write(s.buf) // the following flush reports an error
}

// comment writes a comment, which keeps proxies from closing the stream and which clients ignore.
func (s *stream) comment() error {
	if err := s.write([]byte(": keep-alive\n\n")); err != nil {
		return err
	}
	return s.flush()
}

// notification writes a notification as an event. If numbered, the event has the number of the
// change as its id, so that a client can resume the stream.
func (s *stream) notification(n notify.Notification, numbered bool) error {
	b := s.buf[:0]
	if numbered {
		b = s.id(b, n.Number)
	}
	b = append(b, "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\""...)
	b = append(append(b, n.Method...), `","params":`...)
	b = append(append(b, n.Params...), "}\n\n"...)
	s.buf = b
	return s.write(b)
}

// write writes p within writeTimeout.
func (s *stream) write(p []byte) error {
	_ = s.to.control().SetWriteDeadline(time.Now().Add(writeTimeout))
	_, err := s.to.ResponseWriter.Write(p)
	return err
}

// answer writes the answer to a call as the last event.
func (s *stream) answer(id []byte, result protocol.Result, failure error) (bytes int64, err error) {
	json := jsonWriters.Get().(*jsonwire.Writer)
	json.Reset(&s.to)
	defer func() {
		json.Reset(nil)
		jsonWriters.Put(json)
	}()
	json.RawString("event: message\ndata: ")
	if failure != nil {
		e := protocol.WireError(failure)
		json.Raw(protocol.ErrorFrame(id, e))
		err = e
	} else {
		failed, cut := protocol.WriteResult(json, id, result)
		if cut != nil {
			return json.Written(), cut
		}
		err = outcome(failed, nil)
	}
	json.RawString("\n\n")
	bytes = json.Written()
	if failed := json.Flush(); failed != nil {
		return bytes, failed
	}
	if failed := s.flush(); failed != nil {
		return bytes, failed
	}
	return bytes, err
}
