package streamable

import (
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

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/postgres"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/database"
	"github.com/mcp-docs-server/mcp-docs-server/internal/mcp/server"
)

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
