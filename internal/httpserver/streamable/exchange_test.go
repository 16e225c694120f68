package streamable

import (
	"bufio"
	"context"
	"encoding/json"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/auth"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
	"github.com/mcp-docs-server/mcp-docs-server/internal/mcp/server"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/notify"
)

// In both eras, a call that requests progress is answered by a stream with each notification as it
// happens. Without a request for progress, or without progress, the answer is JSON.
func TestProgress(t *testing.T) {
	next, gone := make(chan bool), make(chan bool, 1)
	work := tools.Tool{Name: "work", Schema: json.RawMessage(`{"type":"object"}`), Run: func(ctx context.Context, c tools.Call) (*tools.Output, error) {
		if string(c.Arguments) == `{"quiet":true}` {
			return tools.Answer(tools.Block{Text: "quiet"}), nil
		}
		c.Report(1, 3, "a \"page\"")
		if c.Progress != nil {
			select {
			case <-next:
			case <-ctx.Done():
				gone <- true
				return nil, ctx.Err()
			}
		}
		c.Report(1, 3, "not more")
		c.Report(3, 3, "")
		return tools.Answer(tools.Block{Text: "done"}), nil
	}}
	s := startWith(t, DefaultLimits, given.Resources("x/h/a=1"), server.Options{Tools: []tools.Tool{work}})
	session := s.session("2025-11-25")
	const token = `"_meta":{"progressToken":"p\u0031"}`
	const first = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p\u0031","progress":1,"total":3,"message":"a \"page\""}}`
	const last = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p\u0031","progress":3,"total":3}}`
	if status, body := s.post(call("tools/call", `"name":"work"`), session); status != 200 || body != `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"done"}]}}` {
		t.Errorf("%d %s", status, body)
	}
	if status, body := s.post(call("tools/call", `"name":"work","arguments":{"quiet":true},`+token), s.session("2025-06-18")); status != 200 || body != `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"quiet"}]}}` {
		t.Errorf("%d %s", status, body)
	}
	message, headers := modern("tools/call", `"name":"work"`, "work")
	message = message[:len(message)-3] + `,"progressToken":"p\u0031"}}}`
	for _, test := range []struct {
		message string
		headers []string
		want    string
	}{
		{strings.Replace(call("tools/call", `"name":"work",`+token), `"id":1`, `"id":3`, 1), []string{session}, `{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"done"}]}}`},
		{message, headers, `{"jsonrpc":"2.0","id":7,"result":{"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"Acme","title":"Acme Documentation Server","version":"1.2.3"}},"resultType":"complete","content":[{"type":"text","text":"done"}]}}`},
	} {
		res := s.request(http.MethodPost, test.message, test.headers...)
		if got := res.Header.Get("Content-Type"); got != "text/event-stream" {
			t.Fatalf("%s is answered with %s", test.message, got)
		}
		heard := events(res)
		if got := heard(); got.data != first {
			t.Errorf("first %s", got.data)
		}
		next <- true
		if got := heard(); got.data != last {
			t.Errorf("then %s", got.data)
		}
		if got := heard(); got.data != test.want {
			t.Errorf("answered %s", got.data)
		}
	}
	// When a client disconnects, its call ends.
	again := strings.Replace(call("tools/call", `"name":"work",`+token), `"id":1`, `"id":2`, 1)
	res := s.request(http.MethodPost, again, session)
	if got := events(res)(); got.data != first {
		t.Errorf("first %s", got.data)
	}
	res.Body.Close()
	<-gone
}

// The answer to a slow call becomes a stream with comments, so that no proxy gives it up. A client that accepts only JSON gets JSON.
func TestSlowCalls(t *testing.T) {
	next := make(chan bool)
	work := tools.Tool{Name: "work", Schema: json.RawMessage(`{"type":"object"}`), Run: func(context.Context, tools.Call) (*tools.Output, error) {
		<-next
		return tools.Answer(tools.Block{Text: "done"}), nil
	}}
	s := startWith(t, DefaultLimits, given.Resources("x/h/a=1"), server.Options{Tools: []tools.Tool{work}})
	s.shared.slow = time.Millisecond
	session := s.session("2025-11-25")
	res := s.request(http.MethodPost, call("tools/call", `"name":"work"`), session)
	if got := res.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Fatalf("it is answered with %s", got)
	}
	lines := bufio.NewScanner(res.Body)
	for range 3 {
		if lines.Scan(); lines.Text() != ": keep-alive" {
			t.Errorf("a line is %q", lines.Text())
		}
		lines.Scan() // empty
	}
	next <- true
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "data:") {
	}
	const want = `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"done"}]}}`
	must.Equal(t, "data: "+want, lines.Text(), "answered")
	for lines.Scan() {
	}
	for range 40 { // no call keeps the place of its caller
		res := s.request(http.MethodPost, call("tools/call", `"name":"work"`), session)
		select {
		case next <- true:
			for lines := bufio.NewScanner(res.Body); lines.Scan(); {
			}
		case <-time.After(10 * time.Second):
			t.Fatal("a call does not begin after other slow calls of its caller")
		}
	}
	go func() {
		time.Sleep(20 * time.Millisecond)
		next <- true
	}()
	if status, body := s.post(call("tools/call", `"name":"work"`), s.session("2025-11-25"), "Accept: application/json"); status != 200 || body != want {
		t.Errorf("%d %s", status, body)
	}
	listen, headers := modern("subscriptions/listen", `"notifications":{"toolsListChanged":true}`, "")
	if status, body := s.post(listen, append(headers, "Accept: application/json")...); status != 406 {
		t.Errorf("a listen without streams: %d %s", status, body)
	}
}

// A slowTree opens the files of resources slowly.
type slowTree struct{ fstest.MapFS }

func (t slowTree) Open(name string) (fs.File, error) {
	if strings.HasSuffix(name, ".txt") {
		time.Sleep(3 * shortTimeout)
	}
	return t.MapFS.Open(name)
}

const shortTimeout = 50 * time.Millisecond

// An answer that takes longer than the server's write deadline for a request is
// sent nevertheless, as a result or as an error.
func TestAnswersAfterTheDeadlineOfTheRequest(t *testing.T) {
	s := startWith(t, Limits{}, slowTree{fstest.MapFS{"resources/x/h/slow.txt": {Data: []byte("slow")}}}, server.Options{})
	slow := httptest.NewUnstartedServer(s.handler)
	slow.Config.WriteTimeout = shortTimeout
	slow.Start()
	defer slow.Close()
	s.url = slow.URL + "/mcp"
	for uri, want := range map[string]string{"x://h/slow.txt": `"text":"slow"`, "x://h/other.txt": `"error"`} {
		body, headers := modern("resources/read", `"uri":"`+uri+`"`, uri)
		if status, answer := s.post(body, headers...); !strings.Contains(answer, want) {
			t.Errorf("%s: %d %s", uri, status, answer)
		}
	}
}

// When a session ends, its calls end: those that are running, and one that begins
// meanwhile.
func TestEndOfSessionEndsCalls(t *testing.T) {
	h := New(Options{Server: opener{hub: notify.New(nil)}, Shared: NewShared(DefaultLimits, NewKeys(time.Hour), nil)})
	s := h.options.Shared.sessions
	if !s.room(auth.Caller{}) {
		t.Fatal("the quota is used up")
	}
	n := s.known(digest(s.open(h, auth.Caller{}, "2025-11-25")))
	before, end, fault := n.begin(t.Context(), protocol.Message{Key: "1"})
	if fault != nil || before.Err() != nil {
		t.Fatal("a call cannot begin")
	}
	defer end()
	if _, _, fault := n.begin(t.Context(), protocol.Message{Key: "1"}); fault == nil {
		t.Error("two calls have one id")
	}
	s.close(n)
	<-before.Done()
	after, end, fault := n.begin(t.Context(), protocol.Message{Key: "2"})
	if fault != nil {
		t.Fatal("a call cannot begin")
	}
	<-after.Done()
	end()
}

// An opener is a server of sessions without calls.
type opener struct {
	Server
	hub *notify.Hub
}

func (o opener) Open(caller string) *notify.Subscriber { return o.hub.Open(caller) }

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
