package streamable

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/postgres"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/database"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/mcp/server"
)

const (
	oldKey = "0123456789abcdef0123456789abcdef"
	newKey = "fedcba9876543210fedcba9876543210"
)

func parseKeys(t *testing.T, text string) *Keys {
	t.Helper()
	return must.Get(ParseKeys(text, time.Hour))(t)
}

func TestParseKeys(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "has no key",
		" ,\n":                         "has no key",
		"short":                        "key 1 has 5 characters, must have at least 32",
		oldKey + ",short":              "key 2 has 5 characters, must have at least 32",
		oldKey + " a\n b":              "key 2 has 1 characters",
		strings.Repeat(oldKey+"\n", 3): "has more than two keys",
	} {
		if _, err := ParseKeys(text, time.Hour); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		} else if strings.Contains(err.Error(), oldKey) {
			t.Errorf("the error shows a key: %v", err)
		}
	}
}

// An id opens only for its project and caller, with one of the keys, before it expires, and if no character has changed.
func TestSeal(t *testing.T) {
	now := time.Now()
	old, both, other := parseKeys(t, oldKey), parseKeys(t, newKey+"\n"+oldKey), parseKeys(t, newKey)
	id, expires := old.seal("docs/mcp", "token:alice", "2025-11-25", now)
	if len(id) > 512 || expires.Sub(now) != time.Hour {
		t.Errorf("%q expires at %v", id, expires)
	}
	if again, _ := old.seal("docs/mcp", "token:alice", "2025-11-25", now); again == id {
		t.Error("two sessions have one id")
	}
	for _, k := range []*Keys{old, both} {
		if version, until, ok := k.open(id, "docs/mcp", "token:alice", now); !ok || version != "2025-11-25" || until.Unix() != expires.Unix() {
			t.Errorf("%q %v %v", version, until, ok)
		}
	}
	refused := func(what string, k *Keys, id, project, caller string, now time.Time) {
		t.Helper()
		if _, _, ok := k.open(id, project, caller, now); ok {
			t.Errorf("the id opens: %s", what)
		}
	}
	refused("another key", other, id, "docs/mcp", "token:alice", now)
	refused("another project", old, id, "other/mcp", "token:alice", now)
	refused("another caller", old, id, "docs/mcp", "token:bob", now)
	refused("a caller and a project that look the same together", old, id, "docs", "/mcp\x00token:alice", now)
	refused("expired", old, id, "docs/mcp", "token:alice", now.Add(time.Hour+time.Second))
	refused("long", old, strings.Repeat(id, 100), "docs/mcp", "token:alice", now)
	for i := range id {
		for _, c := range "A_z" {
			if changed := id[:i] + string(c) + id[i+1:]; changed != id {
				refused("changed", old, changed, "docs/mcp", "token:alice", now)
			}
		}
		refused("cut", old, id[:i], "docs/mcp", "token:alice", now)
	}
}

// FuzzOpen looks for a text that opens or panics.
func FuzzOpen(f *testing.F) {
	k := must.Get(ParseKeys(oldKey, time.Hour))(f)
	f.Add("")
	f.Add(base64.RawURLEncoding.EncodeToString(make([]byte, 46)))
	f.Fuzz(func(t *testing.T, id string) {
		if _, _, ok := k.open(id, "docs/mcp", "", time.Now()); ok {
			t.Error("the text opens")
		}
	})
}

// Replicas answer for the sessions that others began. A stream that begins at another replica than its last event repeats
// all notifications.
func TestReplicas(t *testing.T) {
	tree := given.Resources("acme/host/a.md=hello")
	replica := func(keys string) *site {
		s := startWith(t, Limits{Idle: time.Minute, CallerTotal: 2, OverallTotal: 10}, tree, server.Options{Replicated: true})
		s.shared.sessions.keys = parseKeys(t, keys)
		return s
	}
	a, b, stranger := replica(oldKey), replica(newKey+","+oldKey), replica(newKey)
	alice, bob, version := "Caller: alice", "Caller: bob", "MCP-Protocol-Version: 2025-11-25"
	session := a.session("2025-11-25", alice)
	list := call("resources/list", "")
	for _, s := range []*site{a, b, b, a} {
		if status, body := s.post(list, session, alice, version); status != http.StatusOK || !strings.Contains(body, "a.md") {
			t.Fatalf("%d %s", status, body)
		}
	}
	for _, refused := range []struct {
		at     *site
		caller string
	}{{stranger, alice}, {b, bob}, {a, bob}} {
		if status, body := refused.at.post(list, session, refused.caller, version); status != http.StatusNotFound {
			t.Errorf("%s: %d %s", refused.caller, status, body)
		}
	}
	if _, body := b.post(call("resources/subscribe", `"uri":"acme://host/a.md"`), session, alice, version); !strings.Contains(body, "subscriptions/listen") {
		t.Errorf("resources/subscribe: %s", body)
	}
	if res := a.request(http.MethodPost, hello("2025-11-25"), alice); true {
		data, _ := io.ReadAll(res.Body)
		if strings.Contains(string(data), `"subscribe":true`) || !strings.Contains(string(data), `"listChanged":true`) {
			t.Errorf("%s", data)
		}
	}
	first := events(a.request(http.MethodGet, "", session, alice, version))
	last := first().id
	a.change(given.Resources("acme/host/a.md=hello", "acme/host/b.md=more"))
	next := until(t, first, "resources/list_changed")
	if next == last {
		t.Errorf("two events have the id %q", next)
	}
	second := events(b.request(http.MethodGet, "", session, alice, version, "Last-Event-ID: "+next)) // b knows nothing of the change
	for _, kind := range []string{"resources", "tools", "prompts"} {
		until(t, second, kind+"/list_changed")
	}
	// A session that begins again counts like others.
	b.session("2025-11-25", alice)
	if status, body := b.post(list, a.session("2025-11-25", "Caller: carol"), "Caller: carol", version); status != http.StatusOK {
		t.Errorf("another caller: %d %s", status, body)
	}
	if status, body := b.post(list, replica(oldKey).session("2025-11-25", alice), alice, version); status != http.StatusOK {
		t.Errorf("a third session of a caller at a replica: %d %s", status, body)
	}
}

// TestExpiredSession is about a session whose id is not valid any more.
func TestExpiredSession(t *testing.T) {
	s := start(t, DefaultLimits, given.Resources("acme/host/a.md=hello"))
	header := s.session("2025-11-25")
	id := strings.TrimPrefix(header, "Mcp-Session-Id: ")
	s.shared.sessions.mu.Lock()
	s.shared.sessions.byID[digest(id)].expires = time.Now().Add(-time.Second)
	s.shared.sessions.mu.Unlock()
	if status, body := s.post(call("ping", ""), header); status != http.StatusNotFound {
		t.Errorf("%d %s", status, body)
	}
	s.shared.sessions.sweep(func(n *session) bool { return n.over(time.Now(), time.Hour) })
	if sessions, _ := s.shared.Counts(); sessions != 0 {
		t.Errorf("%d sessions are left", sessions)
	}
}

// Before 2025-11-25, a stream has no id until a list changes. When it moves to another replica, the first stream there has
// each list notification once.
func TestStreamsMoveWithoutIDs(t *testing.T) {
	for _, version := range []string{"2025-03-26", "2025-06-18"} {
		replica := func() *site {
			s := startWith(t, DefaultLimits, given.Resources("x/h/a=1"), server.Options{Replicated: true})
			s.shared.sessions.keys = parseKeys(t, oldKey)
			return s
		}
		a, b := replica(), replica()
		session := a.session(version)
		a.request(http.MethodGet, "", session)
		first := events(b.request(http.MethodGet, "", session))
		lists := make(map[string]bool)
		for range 3 {
			lists[first().data] = true
		}
		if len(lists) != 3 || lists["end"] {
			t.Errorf("%s: %v", version, lists)
		}
		second := events(b.request(http.MethodGet, "", session))
		b.change(given.Resources("x/h/a=1", "x/h/b=1"))
		if got := second(); !strings.Contains(got.data, "resources/list_changed") {
			t.Errorf("%s: %v", version, got)
		}
		b.request(http.MethodDelete, "", session)
		if got := second(); got.data != "end" {
			t.Errorf("%s: a notification is repeated: %v", version, got)
		}
	}
}

// Idle sessions keep nobody out: neither other callers nor people who share an address.
func TestIdleSessionsMakeRoom(t *testing.T) {
	s := start(t, Limits{Idle: time.Minute, CallerTotal: 2, OverallTotal: 4}, given.Resources("x/h/a=1"))
	first := s.session("2025-11-25", "Caller: a")
	for _, caller := range []string{"a", "b", "b", "c"} {
		s.session("2025-11-25", "Caller: "+caller)
	}
	if status, body := s.post(hello("2025-11-25"), "Caller: b"); status != http.StatusOK {
		t.Errorf("a third session of a caller: %d %s", status, body)
	}
	if status, body := s.post(call("ping", ""), first, "Caller: a"); status != http.StatusOK {
		t.Errorf("a session that made room: %d %s", status, body)
	}
}

// A session goes on after a restart with the same key. Its stream gets notifications that lists may have changed, and of each resource that
// changes, because subscriptions are not known. A session that its client ended stays ended.
func TestRestart(t *testing.T) {
	dir := t.TempDir()
	begin := func() *site {
		s := startWith(t, Limits{Idle: time.Minute, CallerTotal: 10, OverallTotal: 10}, given.Resources("acme/host/a.md=hello", "acme/host/b.md=hello"), server.Options{})
		s.shared.sessions.keys = parseKeys(t, oldKey)
		s.shared.sessions.keys.Local = true
		folder := must.Get(rootfs.Open(dir))(t)
		t.Cleanup(func() { folder.Close() })
		must.Do(t, s.shared.sessions.keys.KeepEnded(folder))
		return s
	}
	before := begin()
	session, other := before.session("2025-11-25"), before.session("2025-11-25")
	if _, body := before.post(call("resources/subscribe", `"uri":"acme://host/a.md"`), session); !strings.Contains(body, `"result":{}`) {
		t.Errorf("resources/subscribe: %s", body)
	}
	if res := before.request(http.MethodDelete, "", other); res.StatusCode != http.StatusNoContent {
		t.Errorf("the end of a session: %d", res.StatusCode)
	}
	if status, body := before.post(call("ping", ""), other); status != http.StatusNotFound {
		t.Errorf("a session that its client ended: %d %s", status, body)
	}
	must.Write(t, filepath.Join(dir, endedFile+"1"), "long ago\n")
	after := begin()
	if status, body := after.post(call("ping", ""), other); status != http.StatusNotFound {
		t.Errorf("a session that its client ended before the restart: %d %s", status, body)
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("%d files of ended sessions", len(files))
	}
	next := events(after.request(http.MethodGet, "", session))
	until(t, next, "resources/list_changed")
	until(t, next, "prompts/list_changed")
	after.change(given.Resources("acme/host/a.md=hello", "acme/host/b.md=changed"))
	until(t, next, `notifications/resources/updated","params":{"uri":"acme://host/b.md"}`)
	if status, body := after.post(call("ping", ""), session); status != http.StatusOK {
		t.Errorf("%d %s", status, body)
	}
}

// A replica is a site whose sessions are shared by a store.
type replica struct {
	*site
	db *database.DB
}

// replicate starts a replica that uses the store at a URL.
func replicate(t *testing.T, url string, o server.Options) replica {
	t.Helper()
	return replicateWith(t, url, parseKeys(t, oldKey), o)
}

func replicateWith(t *testing.T, url string, keys *Keys, o server.Options) replica {
	t.Helper()
	db := must.Get(database.Open(t.Context(), database.Options{URL: url, Instance: "test", Logger: slog.New(slog.DiscardHandler), Migrate: true}))(t)
	t.Cleanup(db.Close)
	shared := NewShared(Limits{Idle: time.Minute, CallerTotal: 100, OverallTotal: 100}, keys, NewStore(t.Context(), db, keys, slog.New(slog.DiscardHandler)))
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { db.Run(ctx) })
	t.Cleanup(running.Wait)
	t.Cleanup(cancel)
	return replica{startShared(t, shared, given.Resources("acme/host/a.md=hello", "acme/host/b.md=hello"), o), db}
}

// reach makes a database accept connections, or ends them and accepts none.
func reach(t *testing.T, url string, yes bool) {
	t.Helper()
	config := must.Get(pgx.ParseConfig(url))(t)
	name := config.Database
	config.Database = "postgres"
	conn := must.Get(pgx.ConnectConfig(t.Context(), config))(t)
	defer conn.Close(context.Background())
	for _, sql := range []string{
		fmt.Sprintf("ALTER DATABASE %s ALLOW_CONNECTIONS %t", name, yes),
		fmt.Sprintf("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '%s'", name),
	} {
		must.Get(conn.Exec(t.Context(), sql))(t)
	}
}

// A session that ended at one replica is unknown to all.
func TestEndOfReplicatedSession(t *testing.T) {
	url := postgres.URL(t)
	a, b := replicate(t, url, server.Options{}), replicate(t, url, server.Options{})
	session, other := a.session("2025-11-25"), a.session("2025-11-25")
	if res := b.request(http.MethodGet, "", session, "MCP-Protocol-Version: 2025-11-25"); res.StatusCode != http.StatusOK {
		t.Fatalf("the stream has status %d", res.StatusCode)
	}
	if res := a.request(http.MethodDelete, "", session); res.StatusCode != http.StatusNoContent {
		t.Fatalf("DELETE: %d", res.StatusCode)
	}
	must.Until(t, "the stream has ended", func() bool { _, streams := b.shared.Counts(); return streams == 0 })
	c := replicate(t, url, server.Options{})
	for _, r := range []replica{a, b, c, c} {
		if status, body := r.post(call("ping", ""), session); status != http.StatusNotFound {
			t.Errorf("%d %s", status, body)
		}
		if status, body := r.post(call("ping", ""), other); status != http.StatusOK {
			t.Errorf("another session: %d %s", status, body)
		}
	}
	if sessions, _ := c.shared.Counts(); sessions != 1 {
		t.Errorf("%d sessions at a replica with one", sessions)
	}
}

// Replicas without a configured key share the one in the store, also after a restart of all. A replica that reaches the store later
// keeps the sessions that it began before.
func TestKeyInTheStore(t *testing.T) {
	url := postgres.URL(t)
	list := call("resources/list", "")
	a, b := replicateWith(t, url, NewKeys(time.Hour), server.Options{}), replicateWith(t, url, NewKeys(time.Hour), server.Options{})
	session := a.session("2025-11-25")
	for _, r := range []replica{b, a, replicateWith(t, url, NewKeys(time.Hour), server.Options{})} {
		if status, body := r.post(list, session); status != http.StatusOK {
			t.Errorf("%d %s", status, body)
		}
	}
	late := NewKeys(time.Hour)
	id, _ := late.seal("docs/mcp", "", "2025-11-25", time.Now())
	must.Do(t, late.share(t.Context(), a.db))
	if _, _, ok := late.open(id, "docs/mcp", "", time.Now()); !ok {
		t.Error("a session of before is lost")
	}
}

// Without the store, reads go on; what must be kept fails with an error that says so and not where the store is.
func TestSessionsWithoutTheirStore(t *testing.T) {
	url := postgres.URL(t)
	a, b := replicate(t, url, server.Options{}), replicate(t, url, server.Options{})
	session := a.session("2025-11-25")
	reach(t, url, false)
	for _, r := range []replica{a, b} {
		if status, body := r.post(call("resources/read", `"uri":"acme://host/a.md"`), session); status != http.StatusOK || !strings.Contains(body, "hello") {
			t.Errorf("%d %s", status, body)
		}
		res := r.request(http.MethodDelete, "", session)
		if body, _ := io.ReadAll(res.Body); res.StatusCode != http.StatusServiceUnavailable || !strings.Contains(string(body), "DELETE: the store cannot be reached; try again later") {
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
		r.change(given.Resources("acme/host/a.md=changed", "acme/host/b.md=hello"))
		if got := next(); !strings.Contains(got.data, "notifications/resources/updated") {
			t.Errorf("%v", got)
		}
		listen.Body.Close()
		r.change(given.Resources("acme/host/a.md=hello", "acme/host/b.md=hello"))
	}
	reach(t, url, true)
	must.Until(t, "DELETE works", func() bool { return a.request(http.MethodDelete, "", session).StatusCode == http.StatusNoContent })
	must.Until(t, "the session has ended", func() bool { status, _ := b.post(call("ping", ""), session); return status == http.StatusNotFound })
}
