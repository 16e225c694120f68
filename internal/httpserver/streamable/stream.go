package streamable

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
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
	if !h.options.Shared.streams.take(n.caller.RateKey()) {
		tooMany(w, "streams")
		return
	}
	defer h.options.Shared.streams.give(n.caller.RateKey())
	ctx, release, ok := n.replace(r.Context())
	if !ok {
		hosts.Refuse(w, http.StatusConflict, "another stream of the session has taken the place of this one, or the session has ended")
		return
	}
	defer release()
	n.rewind(r)
	s := newStream(h.exchange(w, r, protocol.Message{}, protocol.Handshake), func() {})
	s.epoch = n.epoch
	_ = s.control().SetReadDeadline(time.Time{}) // a deadline would end the stream
	s.sent = n.subscriber.Sent()
	if s.begin(n.version >= primed) == nil {
		// the client is gone, or the stream has ended
		_ = s.send(ctx, n.subscriber, h.options.Shared.ending)
	}
	n.subscriber.Rewind(s.sent)
}

// streaming returns the session for which a stream is requested. If it returns nil, it has answered
// the request.
func (h *Handler) streaming(w http.ResponseWriter, r *http.Request) *session {
	id := r.Header.Get("Mcp-Session-Id")
	id = cmp.Or(id, r.URL.Query().Get("sessionId"))
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
	case last != "", n.moved && (n.version < primed || n.owner.options.Shared.sessions.keys.Local):
		n.subscriber.NotifyAll()
	}
	n.moved = false
}

// A stream is a body of server-sent events
// (https://html.spec.whatwg.org/multipage/server-sent-events.html). It begins with the first event or comment. start
// has a goroutine of its own send the notifications of a call while the call runs; most calls end before that.
type stream struct {
	timed
	*exchange
	// see session; "": events have no ids, because the stream cannot be resumed
	epoch  string
	pause  time.Duration // between comments
	opened func()        // called when the stream begins
	cancel func()        // ends the call if the client is gone

	once       sync.Once
	over, done chan struct{} // closed when the call has ended, and when the goroutine has

	// The following belong to the goroutine until it has ended.
	begun bool
	sent  uint64 // number of the last notification that was sent
	err   error  // the client is gone
	buf   []byte
}

func newStream(x *exchange, cancel func()) *stream {
	return &stream{timed: newTimed(x.w, x.r), exchange: x, pause: keepAlive, opened: func() {}, cancel: cancel, over: make(chan struct{}), done: make(chan struct{})}
}

// start has the notifications of a source sent, if it was not called before and the call has not ended. If the call is slow, a comment comes first.
func (s *stream) start(from source, slow bool) {
	s.once.Do(func() {
		go func() {
			defer close(s.done)
			if slow {
				s.err = s.comment()
			}
			if s.err == nil {
				s.err = s.send(s.r.Context(), from, s.over)
			}
			if s.err != nil {
				s.cancel()
			}
		}()
	})
}

// end waits until the notifications are sent. It returns an error if the client is gone.
func (s *stream) end() error {
	close(s.over)
	s.once.Do(func() { close(s.done) })
	<-s.done
	return s.err
}

// A source has notifications, see [notify.Subscriber.Next].
type source interface {
	Next(ctx context.Context, over <-chan struct{}, pause <-chan time.Time) (notify.Notification, error)
}

// send sends the notifications of a source until over is closed, and comments in between.
func (s *stream) send(ctx context.Context, from source, over <-chan struct{}) error {
	pause := time.NewTicker(s.pause)
	defer pause.Stop()
	for {
		next, err := from.Next(ctx, over, pause.C)
		switch err {
		case notify.ErrOver:
			return nil
		case notify.ErrPause:
			err = s.comment()
		case nil:
			err = s.notification(next)
		}
		if err != nil {
			return err
		}
	}
}

// open begins the body.
func (s *stream) open() {
	if s.begun {
		return
	}
	s.begun = true
	header := s.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-cache, no-transform")
	header.Set("X-Accel-Buffering", "no") // nginx would buffer the stream
	s.WriteHeader(http.StatusOK)
	s.opened()
}

// put sends bytes at once.
func (s *stream) put(p []byte) error {
	s.open()
	if _, err := s.timed.Write(p); err != nil {
		return err
	}
	return s.flush()
}

// id appends the line with the id of an event.
func (s *stream) id(b []byte, number uint64) []byte {
	return append(strconv.AppendUint(append(append(b, "id: "...), s.epoch...), number, 10), '\n')
}

// begin writes when to connect again. If primed, it is an event that has an id and no data.
func (s *stream) begin(primed bool) error {
	b := fmt.Appendf(nil, "retry: %d\n", retry)
	if primed {
		b = append(s.id(b, s.sent), "data:\n"...)
	}
	return s.put(append(b, '\n'))
}

// comment writes a comment, which keeps proxies from closing the stream and which clients ignore.
func (s *stream) comment() error { return s.put([]byte(": keep-alive\n\n")) }

// notification writes a notification as an event. The id of an event is the number of the change, so that a client can resume the
// stream.
func (s *stream) notification(n notify.Notification) error {
	b := s.buf[:0]
	if s.epoch != "" {
		b = s.id(b, n.Number)
	}
	b = append(b, "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\""...)
	b = append(append(b, n.Method...), `","params":`...)
	s.buf = append(append(b, n.Params...), "}\n\n"...)
	err := s.put(s.buf)
	if err == nil {
		s.sent = n.Number
		s.options.Notified(n.Method)
	}
	return err
}

// answer writes the answer to a call as the last event.
func (s *stream) answer(id []byte, result protocol.Result, failure error) (bytes int64, err error) {
	json := jsonWriters.Get().(*jsonwire.Writer)
	json.Reset(&s.timed)
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
		err = failed
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
