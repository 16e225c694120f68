package store

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	mathrand "math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/postgres"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/database"
)

// A replica is a store with a connection of its own.
type replica struct {
	*Store
	engine *postgresql
	db     *database.DB
}

// openReplica opens the store of a project in a database.
func openReplica(t testing.TB, url string, change func(*Settings)) replica {
	t.Helper()
	logger := slog.New(slog.DiscardHandler)
	db := must.Get(database.Open(t.Context(), database.Options{URL: url, Instance: t.Name(), Logger: logger, Migrate: true}))(t)
	t.Cleanup(db.Close)
	settings := DefaultSettings()
	settings.Kind, settings.DB, settings.Project = Postgres, db, "project"
	if change != nil {
		change(&settings)
	}
	s := must.Get(Open(t.Context(), settings, logger))(t)
	t.Cleanup(func() { s.Close() })
	return replica{s, s.engine.(*postgresql), db}
}

// run runs a replica until the test ends.
func (r replica) run(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{}, 2)
	go func() { r.db.Run(ctx); ended <- struct{}{} }()
	go func() { r.Run(ctx); ended <- struct{}{} }()
	t.Cleanup(func() { cancel(); <-ended; <-ended })
}

// keys returns KEY.VERSION of all captures of an owner.
func keys(s *Store, owner string) (all []string) {
	for _, c := range s.All(owner) {
		all = append(all, folderName(c.Meta.Key, c.version))
	}
	return all
}

// rowsOf returns KEY.VERSION of all captures of an owner in the database.
func rowsOf(t testing.TB, url, owner string) (all []string) {
	t.Helper()
	conn := must.Get(pgx.Connect(t.Context(), url))(t)
	defer conn.Close(context.Background())
	rows, _ := conn.Query(t.Context(), "SELECT key, version FROM mcp_docs.captures WHERE coalesce(convert_from(meta, 'UTF8')::json->>'owner', '') = $1 ORDER BY key", pgx.QueryExecModeExec, owner)
	var key, version string
	must.Get(pgx.ForEachRow(rows, []any{&key, &version}, func() error {
		all = append(all, folderName(key, version))
		return nil
	}))(t)
	return all
}

// query runs a statement, as another program would.
func query(t testing.TB, url, sql string, args ...any) (n int64) {
	t.Helper()
	conn := must.Get(pgx.Connect(t.Context(), url))(t)
	defer conn.Close(context.Background())
	rows := must.Get(conn.Query(t.Context(), sql, args...))(t)
	must.Get(pgx.ForEachRow(rows, []any{&n}, func() error { return nil }))(t)
	return n
}

// All that is put comes back, also in another replica.
func TestPostgresKeepsEverything(t *testing.T) {
	url := postgres.URL(t)
	a, b := openReplica(t, url, nil), openReplica(t, url, nil)
	large := make([]byte, 2*maxPart+maxPart/2)
	rand.Read(large)
	m := everything(t)
	for _, text := range []string{hostile, "", string(large[:maxPart]), string(large)} {
		put := must.Get(a.Put(t.Context(), m, Contents{Raw: []byte(text), Cleaned: []byte(text), Extracted: nil}))(t)
		if c, err := b.Get(t.Context(), m.Key); err == nil && c.version != put.version { // b has not read the log
			if _, err := c.Content(t.Context(), Raw); !errors.Is(err, ErrNotFound) {
				t.Errorf("contents that were replaced: %v", err)
			}
		}
		got := must.Get(b.Get(t.Context(), m.Key))(t)
		must.Equal(t, put.Meta, got.Meta)
		if content(t, got, Raw) != text || content(t, got, Cleaned) != text || content(t, got, Extracted) != "" {
			t.Errorf("%d bytes differ", len(text))
		}
		if _, err := got.Read(t.Context(), Raw, func(int) []byte { return nil }); !errors.Is(err, ErrNoBuffer) {
			t.Errorf("without a buffer: %v", err)
		}
	}
	if n := query(t, url, "SELECT count(*) FROM mcp_docs.capture_parts"); n != 7 { // three tiers of the last version
		t.Errorf("there are %d parts", n)
	}
	for _, key := range []string{"", "../../etc", "a\x00b", "\xff", strings.Repeat("a", 200)} {
		if _, err := b.Get(t.Context(), key); !errors.Is(err, ErrNotFound) {
			t.Errorf("%q: %v", key, err)
		}
	}
	must.Equal(t, "capture://raw/key", a.URI(Raw, "key"))
}

// Replicas find each other's captures at once, and notify their watcher when they read the log.
func TestReplicasSeeEachOther(t *testing.T) {
	url := postgres.URL(t)
	a, b := openReplica(t, url, nil), openReplica(t, url, nil)
	changes := make(chan Change, 100)
	b.Watch(func(all []Change) {
		for _, c := range all {
			changes <- c
		}
	})
	early := put(t, a.Store, "early", "early", nil)
	must.Equal(t, "early", content(t, must.Get(b.Find(t.Context(), early.Meta.Key))(t), Cleaned), "before the log is read")
	a.run(t)
	b.run(t)
	<-changes
	one := put(t, a.Store, "1", "one", nil)
	if c := <-changes; c.Old != nil || c.New.Meta.Key != one.Meta.Key || content(t, c.New, Cleaned) != "one" {
		t.Errorf("put: %+v", c)
	}
	two := put(t, a.Store, "1", "two", nil)
	if c := <-changes; c.Old.version != one.version || c.New.version != two.version {
		t.Errorf("replaced: %+v", c)
	}
	mine := put(t, b.Store, "1", "three", nil)
	if c := <-changes; c.New.version != mine.version { // not the same pointer: the log may have been read in between
		t.Errorf("of itself: %+v", c)
	}
	must.Until(t, "a has the version of b", func() bool { return slices.Contains(keys(a.Store, ""), folderName(mine.Meta.Key, mine.version)) })
	must.Do(t, a.Delete(t.Context(), mine.Meta.Key))
	if c := <-changes; c.Old.version != mine.version || c.New != nil {
		t.Errorf("deleted: %+v", c)
	}
	if _, err := b.Get(t.Context(), mine.Meta.Key); !errors.Is(err, ErrNotFound) {
		t.Errorf("deleted: %v", err)
	}
	if err := b.Delete(t.Context(), mine.Meta.Key); !errors.Is(err, ErrNotFound) {
		t.Errorf("deleted twice: %v", err)
	}
	select {
	case c := <-changes:
		t.Errorf("another change %+v", c)
	default:
	}
}

// A page is removed for all callers, with its contents, and replicas that run see it.
func TestForget(t *testing.T) {
	url := postgres.URL(t)
	a, b := openReplica(t, url, nil), openReplica(t, url, func(s *Settings) { s.Project = "other" })
	a.run(t)
	const page = "https://example.com/1"
	shared := put(t, a.Store, page, "one", nil)
	put(t, a.Store, page, "mine", func(m *Meta) { m.Key, m.Owner, m.Title = "mine", "token:alice", "\x00" })
	put(t, a.Store, "moved", "moved", func(m *Meta) { m.Location = page })
	rest := put(t, a.Store, page+"/2", "two", nil)
	put(t, b.Store, page, "other", nil)
	must.Equal(t, 4, must.Get(Forget(t.Context(), a.db, page))(t), "removed")
	must.Until(t, "the replica sees it", func() bool { _, err := a.Get(t.Context(), shared.Meta.Key); return errors.Is(err, ErrNotFound) })
	must.Until(t, "the lists are right", func() bool { return len(keys(a.Store, "token:alice")) == 0 && len(keys(a.Store, "")) == 1 })
	must.Equal(t, "two", content(t, must.Get(a.Get(t.Context(), rest.Meta.Key))(t), Cleaned), "another page")
	must.Equal(t, int64(1), query(t, url, "SELECT count(DISTINCT key) FROM mcp_docs.capture_parts"), "captures with contents")
	must.Equal(t, 0, must.Get(Forget(t.Context(), a.db, page))(t), "again")
}

// While connections are killed, no acknowledged Put or Delete is lost, and in the end all replicas agree.
func TestKilledConnections(t *testing.T) {
	url := postgres.URL(t)
	var replicas []replica
	for range 3 {
		r := openReplica(t, url, func(s *Settings) { s.Cleanup = 100 * time.Millisecond })
		r.Watch(func([]Change) {})
		r.run(t)
		replicas = append(replicas, r)
	}
	const pages = 12
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var work sync.WaitGroup
	allowed := make([]map[string]bool, pages) // titles that a page may have; "": it may be missing
	failed := make([]int, pages)
	for page := range pages {
		key := killedKey(page)
		work.Go(func() {
			allowed[page] = map[string]bool{"": true}
			for n := 1; ctx.Err() == nil; n++ {
				s := replicas[mathrand.IntN(len(replicas))]
				title := ""
				var err error
				if mathrand.IntN(4) == 0 {
					if err = s.Delete(context.Background(), key); errors.Is(err, ErrNotFound) {
						continue // the replica may not know it yet
					}
				} else {
					title = strconv.Itoa(n)
					text := []byte(title + strings.Repeat(" ", mathrand.IntN(100_000)))
					_, err = s.Put(context.Background(), Meta{Key: key, Title: title}, Contents{Raw: text, Cleaned: text})
				}
				switch {
				case err == nil:
					allowed[page] = map[string]bool{title: true}
				case errors.Is(err, database.ErrUnreachable):
					allowed[page][title] = true
					failed[page]++
				default:
					t.Error(err)
				}
			}
		})
	}
	kills := 10 * killsOf(t)
	for range kills {
		time.Sleep(time.Duration(mathrand.IntN(20)) * time.Millisecond) // a moment within a transaction
		query(t, url, "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND random() < 0.5")
	}
	cancel()
	work.Wait()
	fresh := openReplica(t, url, nil)
	for page := range pages {
		got := ""
		if c, err := fresh.Get(t.Context(), killedKey(page)); err == nil {
			got = c.Meta.Title
			for _, tier := range []Tier{Raw, Cleaned} {
				if text := content(t, c, tier); strings.TrimRight(text, " ") != got || partOf(c.Meta.Parts[tier].MIME, []byte(text)) != c.Meta.Parts[tier] {
					t.Errorf("page %d has %.30q of %s", page, text, got)
				}
			}
		}
		if !allowed[page][got] {
			t.Errorf("page %d has %q, want one of %v", page, got, allowed[page])
		}
	}
	want := keys(fresh.Store, "")
	for _, r := range replicas {
		must.Until(t, "a replica agrees", func() bool { return slices.Equal(keys(r.Store, ""), want) })
	}
	must.Equal(t, int64(0), query(t, url, "SELECT count(*) FROM mcp_docs.capture_parts WHERE version NOT IN (SELECT version FROM mcp_docs.captures)"), "parts without a capture")
	t.Logf("%d kills, %v failed calls", kills, failed)
}

// Bounds hold for all replicas together. The replica that puts a capture makes room for it, and keeps what other replicas have read.
func TestReplicasShareBounds(t *testing.T) {
	url := postgres.URL(t)
	bounds := func(s *Settings) { s.MaxItems = 4 }
	a := openReplica(t, url, bounds)
	b := openReplica(t, url, bounds)
	u := func(i int) string { return fmt.Sprint(i) }
	for i := range 4 {
		put(t, a.Store, u(i), "a", nil)
	}
	last := time.UnixMicro(query(t, url, "SELECT (extract(epoch FROM max(used)) * 1e6)::bigint FROM mcp_docs.captures"))
	must.Until(t, "the clock of b, which may be some milliseconds late", func() bool { return b.now().After(last) })
	must.Get(b.Get(t.Context(), request(t, u(0)).Key()))(t)
	b.keepUse()
	put(t, a.Store, u(4), "a", nil)
	a.follow(t.Context()) // finds the capture that b has read
	a.clean(t.Context())
	b.engine.changed(nil, true) // what a has put
	b.follow(t.Context())
	put(t, b.Store, u(5), "b", nil)
	want := []string{u(0), u(3), u(4), u(5)}
	must.Equal(t, int64(4), query(t, url, "SELECT count(*) FROM mcp_docs.captures"), "captures")
	a.engine.changed(nil, true) // what b has put
	a.follow(t.Context())
	if got := urls(a.Store, ""); !slices.Equal(got, want) {
		t.Errorf("there are %v", got)
	}
	b.run(t)
	must.Until(t, "the other replica has them too", func() bool { return slices.Equal(urls(b.Store, ""), want) })
	must.Equal(t, int64(4), query(t, url, "SELECT count(DISTINCT version) FROM mcp_docs.capture_parts"), "captures with contents")
}

// All replicas hide a capture when it expires, and the next one that looks removes it, also if it expired while no replica ran.
func TestReplicasExpire(t *testing.T) {
	url := postgres.URL(t)
	a, b := openReplica(t, url, nil), openReplica(t, url, nil)
	soon := func(m *Meta) { m.TTL = 300 * time.Millisecond }
	c := put(t, a.Store, "1", "a", soon)
	if _, err := b.Get(t.Context(), c.Meta.Key); err != nil && b.now().Before(c.Meta.Expires()) {
		t.Error(err)
	}
	must.Until(t, "it expires", func() bool { return b.now().After(c.Meta.Expires()) })
	for _, r := range []replica{a, b, openReplica(t, url, nil)} {
		if _, err := r.Get(t.Context(), c.Meta.Key); !errors.Is(err, ErrNotFound) || len(urls(r.Store, "")) != 0 {
			t.Errorf("expired: %v", err)
		}
	}
	must.Equal(t, int64(0), query(t, url, "SELECT count(*) FROM mcp_docs.captures")+query(t, url, "SELECT count(*) FROM mcp_docs.capture_parts"), "rows")
}

// Without the database, lists go on, and everything else fails soon. Then everything is read again.
func TestDatabaseIsUnreachable(t *testing.T) {
	url := postgres.URL(t)
	a, b := openReplica(t, url, nil), openReplica(t, url, nil)
	a.run(t)
	b.run(t)
	c := put(t, a.Store, "1", "a", nil)
	gone := put(t, a.Store, "gone", "a", nil)
	must.Until(t, "b has both", func() bool { return len(urls(b.Store, "")) == 2 })
	name := url[strings.LastIndex(url, "/")+1 : strings.Index(url, "?")]
	admin := strings.Replace(url, "/"+name+"?", "/postgres?", 1)
	accept := func(yes bool) {
		t.Helper()
		query(t, admin, fmt.Sprintf("ALTER DATABASE %s WITH ALLOW_CONNECTIONS %v", name, yes))
		query(t, admin, "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = $1", name)
	}
	accept(false)
	for range 2 {
		for what, call := range map[string]func() error{
			"put":    func() error { _, err := b.Put(t.Context(), Meta{Key: "key"}, Contents{Raw: nil}); return err },
			"get":    func() error { _, err := b.Get(t.Context(), "unknown"); return err },
			"read":   func() error { _, err := c.Content(t.Context(), Raw); return err },
			"delete": func() error { return b.Delete(t.Context(), c.Meta.Key) },
		} {
			began := time.Now()
			if err := call(); !errors.Is(err, database.ErrUnreachable) || !strings.HasPrefix(err.Error(), "the store cannot be reached: ") {
				t.Errorf("%s: %v", what, err)
			}
			if took := time.Since(began); took > 10*time.Second {
				t.Errorf("%s takes %v", what, took)
			}
		}
		must.Equal(t, 2, len(urls(b.Store, "")), "captures in the list")
		must.Until(t, "it is known", func() bool { return b.db.Err() != nil })
	}
	accept(true)
	query(t, url, "DELETE FROM mcp_docs.captures WHERE key = $1 RETURNING 1", gone.Meta.Key) // the log says nothing of it
	must.Until(t, "both are up to date", func() bool { return len(urls(a.Store, "")) == 1 && len(urls(b.Store, "")) == 1 })
	put(t, a.Store, "2", "a", nil)
	must.Until(t, "b has the new one", func() bool { return len(urls(b.Store, "")) == 2 })
}

// After everything that replicas can do at the same time, their indexes have exactly the rows of the database.
func TestReplicasAgree(t *testing.T) {
	url := postgres.URL(t)
	var replicas []replica
	for range 3 {
		r := openReplica(t, url, func(s *Settings) { s.MaxItems, s.Cleanup = 10, 20*time.Millisecond })
		r.Watch(func([]Change) {})
		r.run(t)
		replicas = append(replicas, r)
	}
	var work sync.WaitGroup
	for _, r := range replicas {
		for range 3 {
			work.Go(func() {
				for range 60 {
					u := fmt.Sprint(mathrand.IntN(20))
					key := request(t, u).Key()
					switch mathrand.IntN(6) {
					case 0:
						if err := r.Delete(t.Context(), key); err != nil && !errors.Is(err, ErrNotFound) {
							t.Error(err)
						}
					case 1:
						r.keepUse()
					case 2, 3:
						m, contents := page(t, u, "text")
						m.TTL = time.Duration(mathrand.IntN(2)) * 50 * time.Millisecond
						if _, err := r.Put(t.Context(), m, contents); err != nil {
							t.Error(err)
						}
					default:
						if c, err := r.Get(t.Context(), key); err == nil {
							_, err = c.Content(t.Context(), Cleaned)
							if err != nil && !errors.Is(err, ErrNotFound) {
								t.Error(err)
							}
						}
					}
				}
			})
		}
	}
	work.Wait()
	agree := func() bool {
		want := rowsOf(t, url, "")
		return len(want) <= 10 && !slices.ContainsFunc(replicas, func(r replica) bool { return !slices.Equal(keys(r.Store, ""), want) })
	}
	for end := time.Now().Add(20 * time.Second); !agree(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Errorf("the database has %v", rowsOf(t, url, ""))
			for _, r := range replicas {
				t.Errorf("a replica has %v", keys(r.Store, ""))
			}
			break
		}
	}
	must.Equal(t, int64(0), query(t, url, "SELECT count(*) FROM mcp_docs.capture_parts WHERE version NOT IN (SELECT version FROM mcp_docs.captures)"), "parts without a capture")
}

// Replicas that write times of reads, put and remove the same captures do not wait for each other in a circle.
func TestNoDeadlocks(t *testing.T) {
	url := postgres.URL(t)
	bounds := func(s *Settings) { s.MaxItems = 20 }
	a := openReplica(t, url, bounds)
	replicas := []replica{a, openReplica(t, url, bounds), openReplica(t, url, bounds)}
	var work sync.WaitGroup
	for _, r := range replicas {
		work.Go(func() {
			for i := range 60 {
				put(t, r.Store, fmt.Sprint(mathrand.IntN(40)), "a", nil)
				for range 20 {
					_, _ = r.Get(t.Context(), request(t, fmt.Sprint(mathrand.IntN(40))).Key())
				}
				r.keepUse()
				if i%10 == 0 {
					r.engine.changed(nil, true)
					if err := r.look(t.Context()); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	work.Wait()
	for _, r := range replicas {
		r.db.Close() // its connections write their statistics
	}
	must.Equal(t, int64(0), query(t, url, "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"), "deadlocks")
}

func roomy(s *Settings) { s.MaxItems, s.MaxBytes = 1_000_000, 1<<40 }

// manyRows puts captures into a database.
func manyRows(t testing.TB, n int) (url string, keys []string) {
	url = postgres.URL(t)
	openReplica(t, url, nil).db.Close() // makes the schema
	conn := must.Get(pgx.Connect(t.Context(), url))(t)
	defer conn.Close(context.Background())
	var captures, parts [][]any
	for i := range n {
		u := fmt.Sprintf("https://docs.example.com/guides/section-%d/page-%d", i%100, i)
		m, contents := page(t, u, "A text of "+u)
		m.Created, m.TTL, m.Parts = time.Now(), 24*time.Hour, make(map[Tier]Part)
		for tier, data := range contents {
			m.Parts[tier] = partOf("text/markdown", data)
			parts = append(parts, []any{"project", m.Key, fmt.Sprint(i), string(tier), 0, data})
		}
		meta := must.Get(encodeMeta(&m))(t)
		keys = append(keys, m.Key)
		captures = append(captures, []any{"project", m.Key, fmt.Sprint(i), meta, time.Now()})
	}
	fill := func(table string, rows [][]any, columns ...string) {
		must.Get(conn.CopyFrom(t.Context(), pgx.Identifier{"mcp_docs", table}, columns, pgx.CopyFromRows(rows)))(t)
	}
	fill("captures", captures, "project", "key", "version", "meta", "used")
	fill("capture_parts", parts, "project", "key", "version", "tier", "part", "data")
	query(t, url, "ANALYZE")
	return url, keys
}

// grows reports whether a number has grown by more than what differs from time to time.
func grows(few, many []int64) bool {
	for i := range few {
		if many[i] > few[i]+20 {
			return true
		}
	}
	return false
}

// Calls read and write the same number of rows, however many captures there are.
func TestCostDoesNotGrow(t *testing.T) {
	u := func(i int) string { return fmt.Sprint(i) }
	rows := func(captures int) (cost []int64) {
		url, keys := manyRows(t, captures)
		total := func() int64 { // of rows that connections which have ended read and wrote
			must.Until(t, "all connections have ended", func() bool {
				return query(t, url, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()") == 0
			})
			return query(t, url, `SELECT sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) + n_tup_ins + n_tup_upd + n_tup_del)::bigint
				FROM pg_stat_user_tables WHERE schemaname = 'mcp_docs'`)
		}
		for _, call := range []func(s *Store, i int) error{
			func(s *Store, i int) error { put(t, s, u(i), "new", nil); return nil },
			func(s *Store, i int) error { put(t, s, u(i), "replaced", nil); return nil },
			func(s *Store, i int) error { // the log names a capture that another replica has put
				s.drop(s.index.byKey[request(t, u(i)).Key()])
				s.engine.(*postgresql).all = false
				s.engine.(*postgresql).changed([]string{folderName(request(t, u(i)).Key(), "")}, false)
				return s.look(t.Context())
			},
			func(s *Store, i int) error { // it is not in the index yet
				s.drop(s.index.byKey[request(t, u(i)).Key()])
				_, err := s.Find(t.Context(), request(t, u(i)).Key())
				return err
			},
			func(s *Store, _ int) error {
				if _, err := s.Get(t.Context(), "unknown"); !errors.Is(err, ErrNotFound) {
					return err
				}
				return nil
			},
			func(s *Store, i int) error {
				c, err := s.Get(t.Context(), keys[i])
				if err == nil {
					_, err = c.Content(t.Context(), Cleaned)
				}
				return err
			},
			func(s *Store, i int) error { return s.Delete(t.Context(), keys[i]) },
		} {
			before := total()
			openReplica(t, url, roomy).db.Close()
			opening := total() - before
			r := openReplica(t, url, roomy)
			for i := range 10 {
				if err := call(r.Store, i); err != nil {
					t.Error(err)
				}
			}
			r.db.Close()
			cost = append(cost, total()-before-2*opening)
		}
		return cost
	}
	few, many := rows(300), rows(3000)
	if grows(few, many) {
		t.Errorf("10 calls of each kind use %v rows of 300 captures, and %v rows of 3000", few, many)
	}
	t.Logf("10 calls of each kind use %v rows", few)
}
