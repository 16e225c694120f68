package database

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/postgres"
)

// A copyOfLog is the log of one project in one copy of the database.
type copyOfLog []entry

// TestFollows runs random schedules: writers commit, the log is pruned, the database becomes an older copy of itself, and a
// reader reads or is paused. After each read, the reader knows every row of the log, or it has read everything again.
func TestFollows(t *testing.T) {
	schedules, err := strconv.ParseUint(cmp.Or(os.Getenv("MCP_DOCS_LOG_SCHEDULES"), "3000"), 10, 64) // see .ci/long
	must.Do(t, err)
	for seed := range schedules {
		r := rand.New(rand.NewPCG(seed, 40))
		var db copyOfLog
		var backups []copyOfLog
		first := int64(1) // that is not pruned
		known := make(map[[16]byte]bool)
		var last entry
		var written []entry
		has := false // last
		for range 60 {
			switch r.IntN(6) {
			case 0, 1: // a commit, perhaps of this process, which knows it before it reads it
				e := entry{seq: 1}
				if len(db) > 0 {
					e.seq = db[len(db)-1].seq + 1
				}
				for i := range e.random {
					e.random[i] = byte(r.Uint32())
				}
				db = append(slices.Clone(db), e)
				if r.IntN(3) == 0 {
					known[e.random] = true
					written = append(written, e)
				}
			case 2:
				backups = append(backups, db)
			case 3:
				if len(backups) > 0 && r.IntN(3) == 0 {
					db = backups[r.IntN(len(backups))]
				}
			case 4:
				if len(db) > 0 && r.IntN(3) == 0 { // the newest row stays
					first = db[r.IntN(len(db))].seq
				}
			default:
				visible := func(from int64) copyOfLog {
					i := slices.IndexFunc(db, func(e entry) bool { return e.seq >= max(from, min(first, db[len(db)-1].seq)) })
					return db[max(i, 0):]
				}
				from := last.seq
				for _, e := range written {
					from = min(from, e.seq)
				}
				if len(db) > 0 {
					from = min(from, db[len(db)-1].seq)
				}
				rows := visible(from)
				if !has || !follows(last, rows, written) {
					clear(known)
					for _, e := range db {
						known[e.random] = true // everything is read
					}
				}
				written = nil
				for _, e := range rows {
					if e.seq > last.seq {
						known[e.random] = true
					}
				}
				if last, has = (entry{}), true; len(db) > 0 {
					last = db[len(db)-1]
				}
				if len(known) != len(db) || slices.ContainsFunc(db, func(e entry) bool { return !known[e.random] }) {
					t.Fatalf("seed %d: the reader knows %d rows, and there are %d others", seed, len(known), len(db))
				}
			}
		}
	}
}

// Writers at the same time, of two projects in one transaction and in any order, with killed connections: every committed key
// is read, and in the order of the commits.
func TestNoCommitIsMissed(t *testing.T) {
	url := postgres.URL(t)
	var heards [2]heard
	var writers []*DB
	for i := range heards {
		reader := open(t, url)
		reader.Watch("a", "t", heards[i].changed)
		reader.Watch("b", "t", heards[i].changed)
		run(t, reader)
		writers = append(writers, open(t, url))
	}
	must.Until(t, "the first reads", func() bool { return heards[0].all() >= 2 && heards[1].all() >= 2 })
	var work sync.WaitGroup
	var mu sync.Mutex
	var committed []string
	for i := range 6 {
		work.Go(func() {
			for n := range 40 {
				key := string(rune('A'+i)) + string(rune('0'+n))
				err := writers[i%2].Change(context.Background(), key, func(context.Context, pgx.Tx) ([]Change, error) {
					all := []Change{{"a", "t", []string{key + "a"}}, {"b", "t", []string{key + "b"}}}
					if n%2 == 0 {
						slices.Reverse(all)
					}
					return all, nil
				})
				if err == nil {
					mu.Lock()
					committed = append(committed, key+"a", key+"b")
					mu.Unlock()
				}
			}
		})
	}
	admin := open(t, url)
	for range 10 {
		time.Sleep(5 * time.Millisecond)
		_, _ = admin.Exec(t.Context(), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND random() < 0.2 AND query LIKE '%cursors%'")
	}
	work.Wait()
	for i := range heards {
		for _, key := range committed {
			must.Until(t, "a commit is read", func() bool { return heards[i].has(key) })
		}
	}
	if len(committed) < 100 {
		t.Errorf("only %d commits", len(committed))
	}
}

// A stopper passes messages of a client to PostgreSQL until none is left, and then none until it is released.
type stopper struct {
	left              atomic.Int64
	stopped, released chan struct{}
	cut               atomic.Bool // then the connection ends instead
}

// newStopper returns a stopper in front of a database, and the URL of the database behind it.
func newStopper(t *testing.T, of string) (*stopper, string) {
	u := must.Get(url.Parse(of))(t)
	dir := t.TempDir()
	const socket = "/.s.PGSQL.5432"
	l := must.Get(net.Listen("unix", dir+socket))(t)
	t.Cleanup(func() { l.Close() })
	s := &stopper{stopped: make(chan struct{}), released: make(chan struct{})}
	s.left.Store(1000)
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("unix", u.Query().Get("host")+socket)
			if err != nil {
				client.Close()
				continue
			}
			go func() { _, _ = io.Copy(client, server); client.Close() }()
			go func() { _, _ = io.Copy(server, s.pass(client)); server.Close() }()
		}
	}()
	return s, strings.Replace(of, url.QueryEscape(u.Query().Get("host")), url.QueryEscape(dir), 1)
}

type passing func([]byte) (int, error)

func (p passing) Read(b []byte) (int, error) { return p(b) }

func (s *stopper) pass(client net.Conn) io.Reader {
	return passing(func(b []byte) (int, error) {
		n, err := client.Read(b)
		if s.left.Add(-1) == -1 {
			close(s.stopped)
			<-s.released
			if s.cut.Load() {
				return 0, io.EOF
			}
		}
		return n, err
	})
}

// A connection that ends at any point of a change is a store that cannot be reached, so the change is tried again.
func TestConnectionIsLostDuringAChange(t *testing.T) {
	url := postgres.URL(t)
	for points := int64(0); ; points++ {
		s, behind := newStopper(t, url)
		s.cut.Store(true)
		close(s.released)
		writer := open(t, behind)
		s.left.Store(points)
		err := writer.Change(t.Context(), "one", func(ctx context.Context, tx pgx.Tx) ([]Change, error) {
			_, err := tx.Exec(ctx, "SELECT 1")
			return []Change{{"p", "t", []string{"a"}}}, err
		})
		if s.left.Load() >= 0 {
			if points < 4 || err != nil {
				t.Errorf("a transaction of %d messages: %v", points, err)
			}
			return
		}
		if !errors.Is(err, ErrUnreachable) {
			t.Errorf("without a connection after %d messages: %v", points, err)
		}
	}
}

// A writer that stops at any point of its transaction delays no other writer. Readers miss no row that it commits later, although
// its transaction began before the transactions of the other writers.
func TestStoppedWriterDelaysNobody(t *testing.T) {
	url := postgres.URL(t)
	other, reader := open(t, url), open(t, url)
	var h heard
	reader.Watch("p", "t", h.changed)
	run(t, reader)
	must.Until(t, "the first read", func() bool { return h.all() == 1 })
	points := int64(0)
	for ; ; points++ {
		s, behind := newStopper(t, url)
		writer := open(t, behind)
		s.left.Store(points)
		ended := make(chan error, 1)
		go func() {
			ended <- writer.Change(context.Background(), "one", func(ctx context.Context, tx pgx.Tx) ([]Change, error) {
				_, err := tx.Exec(ctx, "SELECT 1")
				return []Change{{"p", "t", []string{fmt.Sprint("stopped", points)}}}, err
			})
		}()
		select {
		case err := <-ended:
			if points < 4 || err != nil {
				t.Errorf("a transaction of %d messages: %v", points, err)
			}
			close(s.released)
		case <-s.stopped:
			for i := range 3 {
				change(t, other, "p", "t", fmt.Sprint("other", points, i))
			}
			close(s.released)
			<-ended
			continue
		}
		break
	}
	t.Logf("stopped before each of %d messages", points)
	must.Do(t, other.Query(t.Context(), func(row pgx.Rows) error {
		var key string
		err := row.Scan(&key)
		must.Until(t, "a committed row is read", func() bool { return h.has(key) })
		return err
	}, "SELECT unnest(keys) FROM mcp_docs.log"))
}
