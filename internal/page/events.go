package page

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/gate"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/notify"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

const (
	// viewerStreams and allStreams are how many pages of one viewer, and of all, follow changes.
	viewerStreams, allStreams = 50, 2000
	keepAlive                 = 25 * time.Second
)

// events sends changes and the calls of the viewer. It is a listen of MCP, so it ends when the
// server ends.
func (q *request) events() {
	if !q.streams.Take(q.caller.Key) {
		gate.Refuse(q.w, http.StatusServiceUnavailable, "too many pages are open")
		return
	}
	defer q.streams.Give(q.caller.Key)
	wants := notify.Wants{ToolsListChanged: true, PromptsListChanged: true, ResourcesListChanged: true}
	if u := q.r.URL.Query().Get("uri"); u != "" {
		wants.ResourceSubscriptions = []string{u}
	}
	params, err := jsonwire.Encode(map[string]any{
		"_meta":         map[string]any{protocol.MetaVersion: protocol.FirstStateless, protocol.MetaCapabilities: struct{}{}},
		"notifications": wants,
	})
	if err != nil {
		return
	}
	ctx, cancel := context.WithCancel(q.ctx)
	session := q.site.Server.Open(q.caller.Key)
	defer session.Close()
	call := &protocol.Call{ID: []byte(`"page"`), Method: protocol.MethodListen, Params: params, Session: session, Caller: q.caller.Key, Shared: true}
	over := make(chan struct{})
	go func() {
		defer close(over)
		if result, err := q.site.Server.Answer(ctx, call); err == nil {
			result.Release()
		}
	}()
	defer func() { cancel(); <-over }()
	notifications := make(chan notify.Notification)
	taking := make(chan struct{})
	go func() {
		defer close(taking)
		for {
			n, err := session.NextUntil(ctx, over)
			if err != nil {
				return
			}
			select {
			case notifications <- n:
			case <-ctx.Done():
				return
			}
		}
	}()
	defer func() { cancel(); <-taking }()
	s := q.startEvents()
	_, number, _ := q.log.Since(q.caller.Key, 0)
	documents := q.site.Server.DocumentsChanged()
	checked, wait := q.checks()
	tick := time.NewTicker(keepAlive)
	defer tick.Stop()
	for ok := s.send("", "hello", "{}"); ok; {
		entries, last, more := q.log.Since(q.caller.Key, number)
		number = last
		for _, e := range entries {
			data, _ := json.Marshal(e) // strings can always be encoded
			ok = ok && s.send("", "call", string(data))
		}
		if checked() {
			ok = ok && s.send("", "check", "{}")
		}
		select {
		case n := <-notifications:
			data := `{"method":"` + n.Method + `","params":` + string(n.Params) + `}`
			ok = s.send("", "notification", data)
		case <-documents:
			documents = q.site.Server.DocumentsChanged()
			ok = s.send("", "documents", "{}")
		case <-more:
		case <-wait():
		case <-tick.C:
			ok = s.send(": ", "", "")
		case <-over:
			return
		case <-ctx.Done():
			return
		}
	}
}

// checks follows the checks of the project for a page that shows findings. checked reports whether
// there is a new result since its last call, or since the page was made. wait returns a channel
// that is closed when there may be one.
func (q *request) checks() (checked func() bool, wait func() <-chan struct{}) {
	s := q.site.Survey
	number, err := strconv.ParseUint(q.r.URL.Query().Get("survey"), 10, 64)
	if s == nil || !q.author || err != nil {
		return func() bool { return false }, func() <-chan struct{} { return nil }
	}
	var changed <-chan struct{}
	return func() bool {
		changed = s.Changed()
		now := s.Number()
		news := now != number
		number = now
		return news
	}, func() <-chan struct{} { return changed }
}

// An eventStream is a body of server-sent events.
type eventStream struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

func (q *request) startEvents() *eventStream {
	h := q.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "private, no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no") // nginx would buffer the stream
	s := &eventStream{q.w, http.NewResponseController(q.w)}
	_ = s.control.SetReadDeadline(time.Time{}) // a deadline would end the stream
	q.w.WriteHeader(http.StatusOK)
	return s
}

// send writes an event, or only a comment if that is not empty. It returns false when the client is
// gone.
func (s *eventStream) send(comment, event, data string) bool {
	_ = s.control.SetWriteDeadline(time.Now().Add(rawTime))
	text := comment + "\n\n"
	if comment == "" {
		text = "event: " + event + "\ndata: " + data + "\n\n"
	}
	if _, err := s.w.Write([]byte(text)); err != nil {
		return false
	}
	return s.control.Flush() == nil
}
