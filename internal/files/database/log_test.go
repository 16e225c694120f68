package database

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/postgres"
)

// A copyOfLog is the log of one project in one copy of the database.
type copyOfLog []entry

// TestFollows runs random schedules: writers commit, the log is pruned, the database becomes an older copy of itself, and a
// reader reads or is paused. After each read, the reader knows every row of the log, or it has read everything again.
func TestFollows(t *testing.T) {
	for seed := range uint64(3000) {
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
	until(t, "the first reads", func() bool { return heards[0].all() >= 2 && heards[1].all() >= 2 })
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
			until(t, "a commit is read", func() bool { return heards[i].has(key) })
		}
	}
	if len(committed) < 100 {
		t.Errorf("only %d commits", len(committed))
	}
}

// A transaction takes the number of its project last, and with the commit: a writer that is stopped at any point before it
// delays no other one.
func TestStoppedWriterDelaysNobody(t *testing.T) {
	url := postgres.URL(t)
	stopped, other := open(t, url), open(t, url)
	began, end := make(chan struct{}), make(chan struct{})
	var work sync.WaitGroup
	work.Go(func() {
		_ = stopped.Change(context.Background(), "one", func(ctx context.Context, tx pgx.Tx) ([]Change, error) {
			_, err := tx.Exec(ctx, "SELECT 1")
			close(began)
			<-end
			return []Change{{"p", "t", []string{"stopped"}}}, err
		})
	})
	<-began
	for range 20 {
		change(t, other, "p", "t", "other")
	}
	close(end)
	work.Wait()
}

// A capture or another change costs six statements: BEGIN, the lock, what it changes, the row of the log, COMMIT, NOTIFY.
func TestStatementsOfAChange(t *testing.T) {
	c := postgres.NewCluster(t)
	db := open(t, c.URL())
	admin := open(t, c.URL())
	if _, err := admin.Exec(t.Context(), "ALTER SYSTEM SET log_statement = 'all'"); err != nil {
		t.Fatal(err)
	}
	if _, err := admin.Exec(t.Context(), "SELECT pg_reload_conf()"); err != nil {
		t.Fatal(err)
	}
	until(t, "statements are logged", func() bool {
		_, err := admin.Exec(t.Context(), "SELECT 'begin'")
		return err == nil && c.Logged("SELECT 'begin'") > 0
	})
	before := c.Logged("execute ", "statement: ")
	change(t, db, "p", "t", "key")
	until(t, "the change is logged", func() bool { return c.Logged("pg_notify") > 0 })
	if n := c.Logged("execute ", "statement: ") - before; n != 5 { // and what a caller changes
		t.Errorf("%d statements", n)
	}
}
