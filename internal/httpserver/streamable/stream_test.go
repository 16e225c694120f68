package streamable

import (
	"bufio"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
)

// An event is one event of a stream.
type event struct{ id, data string }

// events reads a stream.
func events(res *http.Response) func() event {
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 1<<26)
	return func() (e event) {
		for lines.Scan() {
			name, value, _ := strings.Cut(lines.Text(), ":")
			switch value = strings.TrimPrefix(value, " "); {
			case name == "id":
				e.id = value
			case name == "data":
				e.data = value
			case lines.Text() == "" && (e.id != "" || e.data != ""):
				return e
			}
		}
		return event{data: "end"}
	}
}

// until reads a stream until an event has a text, and returns the id of the event.
func until(t *testing.T, next func() event, want string) (id string) {
	t.Helper()
	for {
		switch e := next(); {
		case strings.Contains(e.data, want):
			return e.id
		case e.data == "end":
			t.Fatalf("no %q", want)
		}
	}
}

func TestStreamOfASession(t *testing.T) {
	s := start(t, DefaultLimits, given.Resources("x/h/a=1"))
	session := s.session("2025-11-25")
	s.post(call("resources/subscribe", `"uri":"x://h/a"`), session)
	s.change(given.Resources("x/h/a=2", "x/h/b=1")) // before there is a stream
	first := s.request(http.MethodGet, "", session)
	if first.StatusCode != 200 || first.Header.Get("Content-Type") != "text/event-stream" || first.Header.Get("X-Accel-Buffering") != "no" {
		t.Fatalf("%d %v", first.StatusCode, first.Header)
	}
	next := events(first)
	begun := next()
	epoch, _ := strings.CutSuffix(begun.id, "0")
	changed := event{epoch + "1", `{"jsonrpc":"2.0","method":"notifications/resources/list_changed","params":{}}`}
	updated := event{epoch + "2", `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"x://h/a"}}`}
	for _, want := range []event{changed, updated} {
		if got := next(); got != want {
			t.Errorf("%v, want %v", got, want)
		}
	}
	// A new stream replaces the old one, and repeats the notifications after the event that its client
	// received last.
	second := events(s.request(http.MethodGet, "", session, "Last-Event-ID: "+changed.id))
	if got := next(); got.data != "end" {
		t.Errorf("the old stream continues: %v", got)
	}
	for _, want := range []event{{changed.id, ""}, updated} {
		if got := second(); got != want {
			t.Errorf("%v, want %v", got, want)
		}
	}
	third := events(s.request(http.MethodGet, "", "Mcp-Session-Id:", "Query: sessionId="+strings.TrimPrefix(session, "Mcp-Session-Id: ")))
	if got := third(); got != (event{updated.id, ""}) {
		t.Errorf("%v", got)
	}
	s.change(given.Resources("x/h/a=3", "x/h/b=1"))
	if got := third(); got.id != epoch+"3" || got.data != updated.data {
		t.Errorf("%v", got)
	}
	s.request(http.MethodDelete, "", session)
	if got := third(); got.data != "end" {
		t.Errorf("the stream of an ended session: %v", got)
	}
}

func TestListen(t *testing.T) {
	s := start(t, DefaultLimits, given.Resources("x/h/a=1"))
	body, headers := modern("subscriptions/listen", `"notifications":{"resourcesListChanged":true,"resourceSubscriptions":["x://h/a","no://"]}`, "")
	next := events(s.request(http.MethodPost, body, headers...))
	for _, want := range []string{
		`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":7},"notifications":{"resourcesListChanged":true,"resourceSubscriptions":["x://h/a"]}}}`,
	} {
		if got := next(); got != (event{"", want}) {
			t.Errorf("%v, want %v", got, want)
		}
	}
	s.change(given.Resources("x/h/a=2"))
	if got := next(); got.data != `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":7},"uri":"x://h/a"}}` {
		t.Errorf("%v", got)
	}
	s.server.EndListens()
	var last struct {
		ID     int
		Result struct {
			ResultType string
			Meta       map[string]any `json:"_meta"`
		}
	}
	if err := json.Unmarshal([]byte(next().data), &last); err != nil || last.ID != 7 || last.Result.ResultType != "complete" || last.Result.Meta["io.modelcontextprotocol/subscriptionId"] != 7.0 {
		t.Errorf("%v %+v", err, last)
	}
	body, headers = modern("subscriptions/listen", "", "")
	if status, answer := s.post(body, headers...); status != 400 || !strings.Contains(answer, "-32602") {
		t.Errorf("%d %s", status, answer)
	}
	for s.shared.streams.count() > 0 {
		time.Sleep(time.Millisecond)
	}
}

// When a client disconnects, its listen ends.
func TestListenEndsWithItsClient(t *testing.T) {
	s := start(t, DefaultLimits, given.Resources("x/h/a=1"))
	body, headers := modern("subscriptions/listen", `"notifications":{"resourceSubscriptions":["x://h/a"]}`, "")
	res := s.request(http.MethodPost, body, headers...)
	events(res)()
	if _, streams := s.shared.Counts(); streams != 1 {
		t.Errorf("%d streams", streams)
	}
	res.Body.Close()
	for s.shared.streams.count() > 0 {
		time.Sleep(time.Millisecond)
	}
}
