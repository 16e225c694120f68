package streamable

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/postgres"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/database"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/auth"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
	"github.com/mcp-docs-server/mcp-docs-server/internal/mcp/server"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/notify"
)

// A replica is a site whose sessions are shared by a store.
type replica struct {
	*site
	db *database.DB
}

// replicate starts a replica that uses the store at a URL.
func replicate(t *testing.T, url string, o server.Options) replica {
	t.Helper()
	db, err := database.Open(t.Context(), database.Options{URL: url, Instance: "test", Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	shared := NewShared(Limits{Idle: time.Minute, CallerTotal: 100, OverallTotal: 100}, parseKeys(t, oldKey), NewStore(db))
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { db.Run(ctx) })
	t.Cleanup(running.Wait)
	t.Cleanup(cancel)
	return replica{startShared(t, shared, files("acme/host/a.md=hello", "acme/host/b.md=hello"), o), db}
}

// eventually waits until a condition holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for began := time.Now(); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Since(began) > 30*time.Second {
			t.Fatalf("not after 30 s: %s", what)
		}
	}
}

// updates opens a stream and counts the notifications of updates in it by URI.
func (r replica) updates(session string) (count func(uri string) int) {
	r.t.Helper()
	res := r.request(http.MethodGet, "", session, "MCP-Protocol-Version: 2025-11-25")
	if res.StatusCode != http.StatusOK {
		r.t.Fatalf("the stream has status %d", res.StatusCode)
	}
	var mu sync.Mutex
	var text strings.Builder
	go func() {
		for lines := bufio.NewScanner(res.Body); lines.Scan(); {
			mu.Lock()
			text.WriteString(lines.Text() + "\n")
			mu.Unlock()
		}
	}()
	return func(uri string) int {
		mu.Lock()
		defer mu.Unlock()
		return strings.Count(text.String(), fmt.Sprintf(`"method":"notifications/resources/updated","params":{"uri":%q}`, uri))
	}
}

func (r replica) rows(table string) (n int) {
	r.t.Helper()
	if err := r.db.Query(r.t.Context(), func(rows pgx.Rows) error { return rows.Scan(&n) }, "SELECT count(*) FROM mcp_docs."+table); err != nil {
		r.t.Fatal(err)
	}
	return n
}

// reach makes a database accept connections, or ends them and accepts none.
func reach(t *testing.T, url string, yes bool) {
	t.Helper()
	config, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	name := config.Database
	config.Database = "postgres"
	conn, err := pgx.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	for _, sql := range []string{
		fmt.Sprintf("ALTER DATABASE %s ALLOW_CONNECTIONS %t", name, yes),
		fmt.Sprintf("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '%s'", name),
	} {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
}

const (
	uriA = "acme://host/a.md"
	uriB = "acme://host/b.md"
)

func subscribe(method, uri string) string {
	return call("resources/"+method, fmt.Sprintf(`"uri":%q`, uri))
}

// A client subscribes at one replica and has its stream at another one. It gets an update from the replica with the stream,
// and none after it has unsubscribed at a third one.
func TestSubscriptionsOfReplicas(t *testing.T) {
	url := postgres.URL(t)
	a, b, c := replicate(t, url, server.Options{}), replicate(t, url, server.Options{}), replicate(t, url, server.Options{})
	session := a.session("2025-11-25")
	count := b.updates(session)
	post := func(r replica, body string) {
		t.Helper()
		if status, answer := r.post(body, session); status != http.StatusOK || !strings.Contains(answer, `"result"`) {
			t.Fatalf("%s: %d %s", body, status, answer)
		}
	}
	post(a, subscribe("subscribe", uriA))
	post(a, subscribe("subscribe", uriA)) // counts once
	post(c, subscribe("subscribe", uriB))
	eventually(t, "the subscriptions are at the replica of the stream", func() bool { return b.server.Subscriptions() == 2 })
	// What was subscribed elsewhere may have changed since, so the client is notified once.
	eventually(t, "both are marked", func() bool { return count(uriA) == 1 && count(uriB) == 1 })
	b.changeTouched(files("acme/host/a.md=changed", "acme/host/b.md=hello"), false)
	eventually(t, "the update arrives", func() bool { return count(uriA) == 2 })
	if n := count(uriB); n != 1 {
		t.Errorf("%d notifications of a file that has not changed", n)
	}
	post(c, subscribe("unsubscribe", uriA))
	post(c, subscribe("unsubscribe", uriA)) // without effect
	eventually(t, "the subscription has ended at the replica of the stream", func() bool { return b.server.Subscriptions() == 1 })
	b.change(files("acme/host/a.md=again", "acme/host/b.md=again"))
	eventually(t, "the update arrives", func() bool { return count(uriB) == 2 })
	if n := count(uriA); n != 2 {
		t.Errorf("%d notifications after the end of the subscription", n)
	}
	// A replica that learns of the session later has its subscriptions.
	d := replicate(t, url, server.Options{})
	later := d.updates(session)
	eventually(t, "the new replica has marked the file", func() bool { return later(uriB) == 1 && d.server.Subscriptions() == 1 })
	// Only what is new to a replica costs a query. One may follow the first connection, which reads everything again.
	queries := d.shared.sessions.turns.Load()
	for range 10 {
		post(d, call("resources/read", `"uri":"acme://host/a.md"`))
	}
	if more := d.shared.sessions.turns.Load() - queries; more > 1 {
		t.Errorf("%d queries for requests of a known session", more)
	}
	if n := d.rows("subscriptions"); n != 1 {
		t.Errorf("%d rows", n)
	}
}

// A session that ended at one replica is unknown to all.
func TestEndOfReplicatedSession(t *testing.T) {
	url := postgres.URL(t)
	a, b := replicate(t, url, server.Options{}), replicate(t, url, server.Options{})
	session, other := a.session("2025-11-25"), a.session("2025-11-25")
	b.updates(session)
	if status, body := b.post(subscribe("subscribe", uriA), session); status != http.StatusOK {
		t.Fatalf("%d %s", status, body)
	}
	if res := a.request(http.MethodDelete, "", session); res.StatusCode != http.StatusNoContent {
		t.Fatalf("DELETE: %d", res.StatusCode)
	}
	eventually(t, "the stream has ended", func() bool { _, streams := b.shared.Counts(); return streams == 0 })
	c := replicate(t, url, server.Options{})
	for _, r := range []replica{a, b, c, c} {
		if status, body := r.post(call("ping", ""), session); status != http.StatusNotFound {
			t.Errorf("%d %s", status, body)
		}
		if status, body := r.post(call("ping", ""), other); status != http.StatusOK {
			t.Errorf("another session: %d %s", status, body)
		}
	}
	if n := a.rows("subscriptions"); n != 0 {
		t.Errorf("%d subscriptions of an ended session", n)
	}
	if sessions, _ := c.shared.Counts(); sessions != 1 {
		t.Errorf("%d sessions at a replica with one", sessions)
	}
	// An end that a replica has not learned yet wins over a subscription there.
	n := b.shared.sessions.newSession(&Handler{server: b.server}, auth.Caller{Key: "token:"}, strings.TrimPrefix(session, "Mcp-Session-Id: "), "", time.Now().Add(time.Hour))
	if err := b.shared.sessions.store.subscribe(t.Context(), n, uriA, uriA); err != errNoSession {
		t.Errorf("subscribe: %v", err)
	}
}

// A cancellation ends the call at the replica that has it.
func TestCancellationAtAnotherReplica(t *testing.T) {
	url := postgres.URL(t)
	began, ended := make(chan struct{}), make(chan struct{})
	slow := tools.Tool{Name: "slow", Schema: []byte(`{"type":"object"}`), Run: func(ctx context.Context, _ tools.Call) (*tools.Output, error) {
		close(began)
		<-ctx.Done()
		close(ended)
		return nil, ctx.Err()
	}}
	a, b := replicate(t, url, server.Options{Tools: []tools.Tool{slow}}), replicate(t, url, server.Options{})
	session := a.session("2025-11-25")
	if status, body := b.post(call("ping", ""), session); status != http.StatusOK {
		t.Fatalf("%d %s", status, body)
	}
	id := `"` + strings.Repeat("x", 60_000) + `"`
	var calling sync.WaitGroup
	t.Cleanup(calling.Wait)
	calling.Go(func() {
		a.post(`{"jsonrpc":"2.0","id":`+id+`,"method":"tools/call","params":{"name":"slow","arguments":{}}}`, session)
	})
	<-began
	for _, other := range []string{"1", `"1"`, id[:1000] + `"`} {
		b.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`+other+`}}`, session)
	}
	eventually(t, "the call is cancelled", func() bool { // a replica that has just connected to the store does not see earlier cancellations
		if status, _ := b.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`+id+`}}`, session); status != http.StatusAccepted {
			t.Fatalf("%d", status)
		}
		select {
		case <-ended:
			return true
		default:
			return false
		}
	})
}

// The limits of a session hold over replicas, and a URI may be as long as a client wants.
func TestLimitsOfReplicatedSessions(t *testing.T) {
	a := replicate(t, postgres.URL(t), server.Options{})
	s := a.shared.sessions.store
	n := a.shared.sessions.newSession(&Handler{name: "docs/mcp", server: a.server}, auth.Caller{Key: "token:"}, "one", "", time.Now().Add(time.Hour))
	subscribe := func(uri, wrong string) {
		t.Helper()
		if err := s.subscribe(t.Context(), n, uri, "key\x00"); (err == nil) != (wrong == "") || err != nil && !strings.Contains(err.Error(), wrong) {
			t.Errorf("%v, want %q", err, wrong)
		}
	}
	add := func(session, owner string, count int) {
		t.Helper()
		if _, err := a.db.Exec(t.Context(), `INSERT INTO mcp_docs.subscriptions (session, uri_digest, owner, uri, resource, expires)
			SELECT $1, number::text, $2, number::text::bytea, '', now() + interval '1 hour' FROM generate_series(1, $3::int) number`, session, owner, count); err != nil {
			t.Fatal(err)
		}
	}
	mine := digest("docs/mcp\x00token:")
	add(n.key, mine, notify.MaxURIs-1)
	long := strings.Repeat("\x00é", 1<<15)
	subscribe(long, "")
	subscribe(long, "") // counts once
	subscribe("more", "a session may subscribe to 1000 resources")
	states, err := s.read(t.Context(), []string{n.key, "unknown"})
	if err != nil || len(states) != 2 || len(states[n.key].keys) != notify.MaxURIs || states["unknown"].ended || len(states["unknown"].keys) != 0 {
		t.Errorf("%v, %d states", err, len(states))
	}
	if key := states[n.key].keys[long]; key != "key\x00" {
		t.Errorf("%q", key)
	}
	if err := s.unsubscribe(t.Context(), n, long); err != nil {
		t.Error(err)
	}
	add("another session", mine, maxOwned-notify.MaxURIs)
	subscribe("the last one", "")
	if err := s.unsubscribe(t.Context(), n, "the last one"); err != nil {
		t.Error(err)
	}
	add("a third session", mine, 1)
	subscribe("one too many", "the sessions of a caller may have 100000 subscriptions")
}

// Without the store, reads go on; what must be kept fails with an error that says so and not where the store is.
func TestSessionsWithoutTheirStore(t *testing.T) {
	url := postgres.URL(t)
	a, b := replicate(t, url, server.Options{}), replicate(t, url, server.Options{})
	session := a.session("2025-11-25")
	if status, body := a.post(subscribe("subscribe", uriB), session); status != http.StatusOK {
		t.Fatalf("%d %s", status, body)
	}
	reach(t, url, false)
	for _, r := range []replica{a, b} {
		if status, body := r.post(call("resources/read", `"uri":"acme://host/a.md"`), session); status != http.StatusOK || !strings.Contains(body, "hello") {
			t.Errorf("%d %s", status, body)
		}
		for _, method := range []string{"subscribe", "unsubscribe"} {
			if status, body := r.post(subscribe(method, uriA), session); status != http.StatusOK || !strings.Contains(body, "resources/"+method+": the server cannot reach its store") {
				t.Errorf("%s: %d %s", method, status, body)
			}
		}
		res := r.request(http.MethodDelete, "", session)
		if body, _ := io.ReadAll(res.Body); res.StatusCode != http.StatusServiceUnavailable || !strings.Contains(string(body), "DELETE: the server cannot reach its store") {
			t.Errorf("%d %s", res.StatusCode, body)
		}
		r.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, session)
		// 2026-07-28 needs no store.
		body, headers := modern("resources/read", `"uri":"acme://host/a.md"`, "acme://host/a.md")
		if status, answer := r.post(body, headers...); status != http.StatusOK || !strings.Contains(answer, "hello") {
			t.Errorf("%d %s", status, answer)
		}
		body, headers = modern("subscriptions/listen", `"notifications":{"resourceSubscriptions":["acme://host/a.md"]}`, "")
		listen := r.request(http.MethodPost, body, headers...)
		next := events(listen)
		next() // the acknowledgement
		r.change(files("acme/host/a.md=changed", "acme/host/b.md=hello"))
		if got := next(); !strings.Contains(got.data, "notifications/resources/updated") {
			t.Errorf("%v", got)
		}
		listen.Body.Close()
		r.change(files("acme/host/a.md=hello", "acme/host/b.md=hello"))
	}
	eventually(t, "the session has the subscription that was acknowledged", func() bool { return a.server.Subscriptions() == 1 })
	// Afterwards, all replicas have what the store has.
	reach(t, url, true)
	eventually(t, "the other replica has the subscription", func() bool { return b.server.Subscriptions() == 1 })
	eventually(t, "DELETE works", func() bool { return a.request(http.MethodDelete, "", session).StatusCode == http.StatusNoContent })
	eventually(t, "the session has ended", func() bool { status, _ := b.post(call("ping", ""), session); return status == http.StatusNotFound })
}
