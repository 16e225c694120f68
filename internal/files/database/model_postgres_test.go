package database

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/postgres"
)

// TestModel runs random schedules of the operations of leases and the log on PostgreSQL and on the model, which must agree.
// MCP_DOCS_MODEL_SCHEDULES is the number of schedules.
func TestModel(t *testing.T) {
	schedules, _ := strconv.Atoi(os.Getenv("MCP_DOCS_MODEL_SCHEDULES"))
	schedules = max(schedules, 5)
	url := postgres.URL(t)
	for seed := range schedules {
		runSchedule(t, url, uint64(seed))
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// A twin is a replica, with its counterpart in the model.
type twin struct {
	db     *DB
	conn   *pgx.Conn
	reader reader
	leases map[string]*Lease

	theirs reader // of the model
	tokens map[string]int64
	txns   []*twinTxn
}

type twinTxn struct {
	tx     pgx.Tx
	theirs *txn
}

func runSchedule(t *testing.T, url string, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 32))
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	m := newModel()
	began := time.Now()
	twins := make([]*twin, 3)
	for i := range twins {
		// A statement that has to wait for a lock fails at once.
		r := &twin{db: open(t, url+"&lock_timeout=1"), leases: make(map[string]*Lease), tokens: make(map[string]int64)}
		config := r.db.direct.Copy()
		conn, err := pgx.ConnectConfig(ctx, config)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(ctx)
		r.conn = conn
		r.reader = reader{db: r.db, conn: conn}
		twins[i] = r
	}
	defer func() {
		for _, r := range twins {
			for _, x := range r.txns {
				_ = x.tx.Rollback(ctx)
			}
			r.db.Close()
		}
		if _, err := twins[0].conn.Exec(ctx, "DELETE FROM mcp_docs.leases"); err != nil {
			t.Error(err)
		}
	}()
	names := []string{fmt.Sprint(seed, "a"), fmt.Sprint(seed, "b")}
	blocked := func(err error) error {
		if pg, ok := errors.AsType[*pgconn.PgError](err); ok && pg.Code == "55P03" {
			return errBlocked
		}
		return err
	}
	var history []string
	step := func(format string, args ...any) { history = append(history, fmt.Sprintf(format, args...)) }
	agree := func(what string, real, theirs error) bool {
		if !errors.Is(real, theirs) {
			t.Errorf("%s: %v, and in the model %v; after\n%s", what, real, theirs, strings.Join(history, "\n"))
		}
		return real == nil && theirs == nil
	}
	for number := range 150 {
		// The clocks of both run apart, and a lease ends after 6 s.
		if time.Since(began) > 4*time.Second || t.Failed() {
			return
		}
		i := random.IntN(len(twins))
		r, name := twins[i], names[random.IntN(len(names))]
		switch op := random.IntN(13); {
		case op < 2:
			if r.leases[name] != nil {
				continue
			}
			step("%d acquires %s", i, name)
			l, err := r.db.Acquire(ctx, name)
			token, theirs := m.acquire(name)
			if agree("acquire", blocked(err), theirs) {
				r.leases[name], r.tokens[name] = l, token
			}
		case op == 2 && r.leases[name] != nil:
			step("%d releases %s", i, name)
			if theirs := m.release(name, r.tokens[name]); theirs == nil {
				r.leases[name].Release(ctx)
				delete(r.leases, name)
				delete(r.tokens, name)
			}
		case op == 3:
			step("%d renews", i)
			theirs := make(map[string]bool)
			renewed, want := m.renew(r.tokens)
			if agree("renew", blocked(r.db.renew(ctx, r.conn)), want) {
				for name := range r.tokens {
					theirs[name] = !slices.Contains(renewed, name)
				}
				for name, l := range r.leases {
					lost := false
					select {
					case <-l.Lost():
						lost = true
					default:
					}
					if theirs[name] && !lost {
						t.Errorf("%d does not know that it has lost %s; after\n%s", i, name, strings.Join(history, "\n"))
					}
				}
			}
		case op == 4:
			if len(r.txns) < 2 {
				step("%d begins", i)
				tx, err := r.db.pool.BeginTx(ctx, pgx.TxOptions{BeginQuery: begin})
				if err != nil {
					t.Fatal(err)
				}
				r.txns = append(r.txns, &twinTxn{tx, m.begin()})
			}
		case op < 8 && len(r.txns) > 0:
			at := random.IntN(len(r.txns))
			x := r.txns[at]
			switch l := r.leases[name]; random.IntN(4) {
			case 0:
				if l == nil {
					continue
				}
				step("%d fences %s", i, name)
				if agree("fence", blocked(l.Fence(ctx, x.tx)), x.theirs.fence(name, r.tokens[name])) {
					continue
				}
				_ = x.tx.Rollback(ctx)
				x.theirs.abort()
			case 1:
				key := fmt.Sprint("key", number)
				step("%d changes %s", i, key)
				agree("change", Changed(ctx, x.tx, "p", "t", key), x.theirs.change(key))
				continue
			case 2:
				step("%d commits", i)
				agree("commit", x.tx.Commit(ctx), x.theirs.commit())
			case 3:
				step("%d rolls back", i)
				_ = x.tx.Rollback(ctx)
				x.theirs.abort()
			}
			r.txns = slices.Delete(r.txns, at, at+1)
		case op < 11:
			step("%d reads", i)
			real, err := r.reader.next(ctx)
			if err != nil {
				t.Fatal(err)
			}
			var theirs []string
			if r.theirs.snapshot != "" {
				theirs = m.changes(r.theirs.snapshot, r.theirs.at.Sub(time.Time{}))
			}
			missed := r.theirs.take(m.snapshot(), time.Time{}.Add(m.now))
			keys := slices.Clone(real[subject{"p", "t"}])
			slices.Sort(keys)
			slices.Sort(theirs)
			if missed != (real == nil) || !missed && !slices.Equal(keys, theirs) {
				t.Errorf("%d reads %v (missed: %v), and in the model %v (missed: %v); after\n%s", i, keys, real == nil, theirs, missed, strings.Join(history, "\n"))
			}
		case op == 11 && random.IntN(3) == 0:
			step("%d connects again", i)
			r.reader, r.theirs = reader{db: r.db, conn: r.conn}, reader{}
		case op == 12: // time passes
			locked := false
			for _, row := range m.leases {
				locked = locked || len(row.shares) > 0
			}
			if locked {
				continue
			}
			d := []time.Duration{leaseTime + time.Second, gap + time.Minute}[random.IntN(2)]
			step("%v pass", d)
			for _, sql := range []string{"UPDATE mcp_docs.leases SET until = until - $1::interval", "UPDATE mcp_docs.log SET at = at - $1::interval"} {
				if _, err := r.conn.Exec(ctx, sql, d.String()); err != nil {
					t.Fatal(err)
				}
			}
			m.now += d
			for _, r := range twins {
				r.reader.at = r.reader.at.Add(-d)
			}
		}
	}
}

// After a crash, PostgreSQL gives the numbers of transactions again that a snapshot before it counts as ended. A reader
// whose connection a proxy has kept reads their changes nevertheless.
func TestNumbersGivenAgain(t *testing.T) {
	db := open(t, postgres.URL(t))
	conn, err := pgx.ConnectConfig(t.Context(), db.direct.Copy())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	r := reader{db: db, conn: conn}
	if _, err := r.next(t.Context()); err != nil {
		t.Fatal(err)
	}
	next, _, _ := strings.Cut(r.snapshot, ":")
	n, err := strconv.Atoi(next)
	if err != nil {
		t.Fatal(err)
	}
	r.snapshot = fmt.Sprintf("%d:%d:", n+1000, n+1000)
	change(t, db, "p", "t", "a")
	if keys, err := r.next(t.Context()); err != nil || !slices.Equal(keys[subject{"p", "t"}], []string{"a"}) {
		t.Errorf("%v, %v", keys, err)
	}
}
