package server

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/notify"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// change publishes another tree and sends notifications, as if a watcher had seen changes of all files.
func (f *fixture) change(fsys fs.FS) {
	f.t.Helper()
	old := must.Get(f.current.Load(f.t.Context()))(f.t)
	f.publish(fsys, "[]")
	catalog := must.Get(f.current.Load(f.t.Context()))(f.t)
	f.server.Changed(old, catalog, func(loader.Resource) bool { return true })
}

// heard is a notification of the client: its method, URI and listen.
type heard struct {
	Method, URI string
	Listen      any
}

const (
	listChanged = "notifications/resources/list_changed"
	updated     = "notifications/resources/updated"
)

// hears reads notifications until n have come, in any order.
func (f *fixture) hears(want ...heard) {
	f.t.Helper()
	var got []heard
	for len(got) < len(want) {
		m := must.Get(f.conn.Read(f.t.Context()))(f.t)
		if req, ok := m.(*jsonrpc.Request); ok { // the answer to a cancelled listen may come in between
			got = append(got, notice(f.t, req))
		}
	}
	sort := func(a, b heard) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) }
	slices.SortFunc(got, sort)
	slices.SortFunc(want, sort)
	if diff := cmp.Diff(want, got); diff != "" {
		f.t.Fatalf("notifications (-want +got):\n%s", diff)
	}
}

func notice(t *testing.T, req *jsonrpc.Request) heard {
	t.Helper()
	var params struct {
		URI  string         `json:"uri"`
		Meta map[string]any `json:"_meta"`
	}
	must.Do(t, json.Unmarshal(req.Params, &params))
	return heard{req.Method, params.URI, params.Meta[mcp.MetaKeySubscriptionID]}
}

// silent checks that no notification is being sent.
func (f *fixture) silent() {
	f.t.Helper()
	if got := f.rest(); len(got) > 0 {
		f.t.Fatalf("unexpected: %+v", got)
	}
}

// rest returns the notifications that are being sent: the ones that come before the answer to a
// request.
func (f *fixture) rest() []heard {
	f.t.Helper()
	f.id++
	id, _ := jsonrpc.MakeID(f.id)
	raw, _ := json.Marshal(map[string]any{"_meta": metaOf(f.era)})
	f.send(&jsonrpc.Request{ID: id, Method: "tools/list", Params: raw})
	var got []heard
	for {
		m := must.Get(f.conn.Read(f.t.Context()))(f.t)
		switch m := m.(type) {
		case *jsonrpc.Request:
			got = append(got, notice(f.t, m))
		case *jsonrpc.Response:
			if m.ID == id {
				return got
			}
		}
	}
}

func metaOf(e protocol.Era) map[string]any {
	if e == protocol.Handshake {
		return map[string]any{}
	}
	return map[string]any{
		"io.modelcontextprotocol/protocolVersion":    "2026-07-28",
		"io.modelcontextprotocol/clientInfo":         map[string]any{"name": "t", "version": "1"},
		"io.modelcontextprotocol/clientCapabilities": map[string]any{},
	}
}

// listen starts a listen and returns its id and the acknowledged notifications.
func (f *fixture) listen(wants map[string]any) (float64, map[string]any) {
	f.t.Helper()
	f.id++
	id, _ := jsonrpc.MakeID(f.id)
	raw := must.Get(json.Marshal(map[string]any{"_meta": metaOf(protocol.Stateless), "notifications": wants}))(f.t)
	f.send(&jsonrpc.Request{ID: id, Method: "subscriptions/listen", Params: raw})
	m := must.Get(f.conn.Read(f.t.Context()))(f.t)
	ack, ok := m.(*jsonrpc.Request)
	if !ok || ack.Method != "notifications/subscriptions/acknowledged" {
		f.t.Fatalf("listen is answered with %+v", m)
	}
	var params struct {
		Meta          map[string]any `json:"_meta"`
		Notifications map[string]any `json:"notifications"`
	}
	must.Do(f.t, json.Unmarshal(ack.Params, &params))
	if params.Meta[mcp.MetaKeySubscriptionID] != f.id {
		f.t.Fatalf("the acknowledgement is for %v, want %v", params.Meta, f.id)
	}
	return f.id, params.Notifications
}

// cancel ends a listen. call ignores its answer, if there is one.
func (f *fixture) cancel(id float64) {
	f.t.Helper()
	before := f.server.hub.Counts().Streams
	raw, _ := json.Marshal(map[string]any{"requestId": id})
	f.send(&jsonrpc.Request{Method: "notifications/cancelled", Params: raw})
	f.eventually(func() bool { return f.server.hub.Counts().Streams == before-1 })
}

// eventually waits for a state. It has no deadline of its own: a slow machine is not a
// mistake, and go test reports a state that is never reached.
func (f *fixture) eventually(ok func() bool) {
	f.t.Helper()
	for !ok() {
		time.Sleep(time.Millisecond)
	}
}

func TestHandshakeNotifications(t *testing.T) {
	f := start(t, protocol.Handshake, given.Resources("x/h/a=1", "x/h/b=1"), "[]")
	f.eventually(func() bool { return f.server.hub.Counts().Streams == 1 })
	f.change(given.Resources("x/h/a=1", "x/h/b=1", "x/h/c=1"))
	f.hears(heard{Method: listChanged})
	f.must("resources/subscribe", map[string]any{"uri": "X://h/%61"})
	f.must("resources/subscribe", map[string]any{"uri": "X://h/%61"})
	f.must("resources/subscribe", map[string]any{"uri": "x://h/b"})
	f.change(given.Resources("x/h/a=2", "x/h/b=1", "x/h/c=222"))
	f.hears(heard{Method: updated, URI: "X://h/%61"})
	f.change(given.Resources("x/h/b=1", "x/h/c=222"))
	f.hears(heard{Method: updated, URI: "X://h/%61"}, heard{Method: listChanged})
	f.change(given.Resources("x/h/a=2", "x/h/b=1", "x/h/c=222"))
	f.hears(heard{Method: updated, URI: "X://h/%61"}, heard{Method: listChanged})
	f.must("resources/unsubscribe", map[string]any{"uri": "X://h/%61"})
	f.change(given.Resources("x/h/a=3", "x/h/b=2", "x/h/c=222"))
	f.hears(heard{Method: updated, URI: "x://h/b"})
	f.silent()
}

func TestListens(t *testing.T) {
	f := start(t, protocol.Stateless, given.Resources("x/h/a=1", "x/h/b=1"), "[]")
	f.change(given.Resources("x/h/a=1", "x/h/b=1", "x/h/c=1"))
	f.silent() // nobody listens
	first, agreed := f.listen(map[string]any{"resourcesListChanged": true, "resourceSubscriptions": []any{"x://h/a", "no://such", "x://h/%61"}})
	must.Equal(t, map[string]any{"resourcesListChanged": true, "resourceSubscriptions": []any{"x://h/a", "x://h/%61"}}, agreed, "agreed")
	second, _ := f.listen(map[string]any{"resourcesListChanged": true, "resourceSubscriptions": []any{"x://h/b"}})
	f.change(given.Resources("x/h/a=2", "x/h/b=2"))
	f.hears(heard{listChanged, "", first}, heard{updated, "x://h/a", first}, heard{updated, "x://h/%61", first}, heard{listChanged, "", second}, heard{updated, "x://h/b", second})
	f.cancel(first)
	f.change(given.Resources("x/h/a=3", "x/h/b=3", "x/h/c=3"))
	f.hears(heard{listChanged, "", second}, heard{updated, "x://h/b", second})
	f.cancel(second)
	f.change(given.Resources("x/h/a=4"))
	f.silent()
	// A listen is removed from the session's streams first, and then its subscriptions end.
	f.eventually(func() bool { return f.server.hub.Counts() == notify.Counts{Sessions: 1} })
}

func TestListenErrors(t *testing.T) {
	f := start(t, protocol.Stateless, given.Resources("x/h/a=1"), "[]")
	f.fails(jsonrpc.CodeInvalidParams, "subscriptions/listen", nil)
	many := make([]any, 1000+1)
	for i := range many {
		many[i] = "x://h/a"
	}
	f.fails(jsonrpc.CodeInvalidParams, "subscriptions/listen", map[string]any{"notifications": map[string]any{"resourceSubscriptions": many}})
	for range 100 {
		f.listen(map[string]any{"resourcesListChanged": true})
	}
	f.fails(jsonrpc.CodeInvalidParams, "subscriptions/listen", map[string]any{"notifications": map[string]any{"resourcesListChanged": true}})
}

func TestSubscriptionCap(t *testing.T) {
	f := start(t, protocol.Handshake, given.Resources("x/h/a=1"), "[]")
	for i := range 1000 {
		f.must("resources/subscribe", map[string]any{"uri": "x://h/a#" + fmt.Sprint(i)})
	}
	f.fails(jsonrpc.CodeInvalidParams, "resources/subscribe", map[string]any{"uri": "x://h/a#more"})
	f.must("resources/unsubscribe", map[string]any{"uri": "x://h/a#0"})
	f.must("resources/subscribe", map[string]any{"uri": "x://h/a#more"})
}

// Only a visible difference is a change of a list, and only other bytes are an update.
func TestWhatIsAChange(t *testing.T) {
	f := start(t, protocol.Handshake, given.Resources("x/h/a=1"), "[]")
	f.eventually(func() bool { return f.server.hub.Counts().Streams == 1 })
	f.must("resources/subscribe", map[string]any{"uri": "x://h/a"})
	touched := given.Resources("x/h/a=1")
	touched["resources/x/h/a"].ModTime = time.Now()
	f.change(touched)
	f.silent()
	f.change(given.Resources("x/h/a=2"))
	f.hears(heard{updated, "x://h/a", nil})
	f.silent()
}

// A client that does not read delays no other client, and finds one notification of each kind.
func TestClientThatDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := start(t, protocol.Handshake, given.Resources("x/h/a=0"), "[]")
		slow.must("resources/subscribe", map[string]any{"uri": "x://h/a"})
		synctest.Wait()

		// Another session of the same server.
		quick := &fixture{t: t, server: slow.server, current: slow.current}
		end := quick.connect(quick.overStdio())
		quick.must("initialize", hello("2025-06-18"))
		quick.send(&jsonrpc.Request{Method: "notifications/initialized"})
		quick.must("resources/subscribe", map[string]any{"uri": "x://h/a"})
		for i := range 7 {
			slow.change(given.Resources(fmt.Sprintf("x/h/a=%d", i+1)))
			quick.hears(heard{updated, "x://h/a", nil})
		}
		// The pipe and the client's end held two when it stopped reading; the others became one, which
		// may come after an answer.
		found := 0
		for {
			synctest.Wait() // all notifications have reached the pipe
			got := slow.rest()
			if len(got) == 0 {
				break
			}
			found += len(got)
		}
		if found < 1 || found > 3 {
			t.Errorf("the slow client finds %d notifications", found)
		}
		end()
		slow.conn.Close()
	})
}

func TestFreshness(t *testing.T) {
	live := Liveness{On: true}
	f := start(t, protocol.Stateless, given.Resources("x/h/a=1"), "[]")
	f.server.options.Live = func() Liveness { return live }
	ttl := func(method string, params map[string]any) float64 { return f.must(method, params)["ttlMs"].(float64) }
	read := map[string]any{"uri": "x://h/a"}
	if list, file := ttl("resources/list", nil), ttl("resources/read", read); list != 1000 || file != 0 {
		t.Errorf("without a listen: list %v, file %v", list, file)
	}
	f.listen(map[string]any{"resourcesListChanged": true, "resourceSubscriptions": []any{"x://h/a"}})
	if list, file := ttl("resources/list", nil), ttl("resources/read", read); list != 3_600_000 || file != 0 {
		t.Errorf("with a listen: list %v, file %v", list, file)
	}
	if other := ttl("resources/read", map[string]any{"uri": "X://h/a"}); other != 0 {
		t.Errorf("a spelling that is not subscribed: %v", other)
	}
	live.Lag = 500 * time.Millisecond
	if list, file := ttl("resources/list", nil), ttl("resources/read", read); list != 500 || file != 0 {
		t.Errorf("while polling: list %v, file %v", list, file)
	}
	live.On = false
	if list, file := ttl("resources/list", nil), ttl("resources/read", read); list != 0 || file != 0 {
		t.Errorf("without liveness: list %v, file %v", list, file)
	}
}

// When a session ends, everything that was held for it ends.
func TestSessionsLeaveNothing(t *testing.T) {
	s := New(Options{Name: "n", Version: "1", Catalog: start(t, protocol.Handshake, given.Resources("x/h/a=1"), "[]").current, Limits: testLimits, Logger: slog.New(slog.DiscardHandler)})
	other := &fixture{t: t, server: s, era: protocol.Stateless}
	other.connect(other.overStdio())
	other.must("resources/list", nil)
	for range 20 {
		f := &fixture{t: t, server: s, era: protocol.Stateless}
		end := f.connect(f.overStdio())
		f.listen(map[string]any{"resourcesListChanged": true, "resourceSubscriptions": []any{"x://h/a"}})
		end() // returns although the other session continues
	}
	other.eventually(func() bool { return s.hub.Counts() == notify.Counts{Sessions: 1} })
	other.must("resources/list", nil)
}
