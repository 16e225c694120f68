package database

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/postgres"
)

// limit is how long tests wait for something that takes milliseconds on a quiet machine.
const limit = 30 * time.Second

func open(t *testing.T, url string) *DB {
	t.Helper()
	db := must.Get(Open(t.Context(), Options{URL: url, Instance: t.Name(), Logger: slog.New(slog.DiscardHandler), Migrate: true}))(t)
	t.Cleanup(db.Close)
	return db
}

// run runs a DB until the test ends.
func run(t *testing.T, db *DB) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); db.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
}

// heard collects the calls of a watcher.
type heard struct {
	mu   sync.Mutex
	keys []string
	alls int
}

func (h *heard) changed(keys []string, all bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.keys = append(h.keys, keys...)
	if all {
		h.alls++
	}
}

func (h *heard) all() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.alls
}

func (h *heard) has(key string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Contains(h.keys, key)
}

func change(t *testing.T, db *DB, project, topic string, keys ...string) {
	t.Helper()
	must.Do(t, db.Change(t.Context(), "test", func(context.Context, pgx.Tx) ([]Change, error) { return []Change{{project, topic, keys}}, nil }))
}

func TestChangesReachWatchers(t *testing.T) {
	url := postgres.URL(t)
	writer, reader := open(t, url), open(t, url)
	var of, other heard
	reader.Watch("p", "captures", of.changed)
	reader.Watch("q", "captures", other.changed)
	run(t, reader)
	must.Until(t, "everything is read at first", func() bool { return of.all() == 1 })
	change(t, writer, "p", "captures", "a", "b", "a")
	must.Until(t, "the change", func() bool { return of.has("a") && of.has("b") })
	if len(of.keys) != 3 || len(other.keys) != 0 {
		t.Errorf("got %v and %v", of.keys, other.keys)
	}
}

func TestConnectionsAreMadeAgain(t *testing.T) {
	url := postgres.URL(t)
	db, admin := open(t, url), open(t, url)
	var h heard
	db.Watch("p", "t", h.changed)
	run(t, db)
	for n := 1; n <= 3; n++ {
		must.Until(t, "a connection", func() bool { return h.all() == n })
		change(t, db, "p", "t", "a") // its connection was not cut
		must.Get(admin.Exec(t.Context(), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"))(t)
	}
	must.Until(t, "a connection", func() bool { return h.all() == 4 && db.Err() == nil })
	change(t, db, "p", "t", "a")
	must.Until(t, "a change", func() bool { return h.has("a") })
}

// An outage is reported once, and so is its end.
func TestOutage(t *testing.T) {
	c := postgres.NewCluster(t)
	said := make(chan string, 100)
	db := must.Get(Open(t.Context(), Options{URL: c.URL(), Logger: slog.New(slog.NewTextHandler(writer(said), nil)), Migrate: true}))(t)
	t.Cleanup(db.Close)
	var h heard
	db.Watch("p", "t", h.changed)
	run(t, db)
	must.Until(t, "a connection", func() bool { return h.all() == 1 })
	for range 2 {
		c.Stop()
		if line := <-said; !strings.Contains(line, "calls that need it fail until it can") {
			t.Errorf("said %s", line)
		}
		c.Start()
		if line := <-said; !strings.Contains(line, "can be reached again") {
			t.Errorf("said %s", line)
		}
	}
	change(t, db, "p", "t", "a")
	if len(said) > 0 {
		t.Errorf("said %s", <-said)
	}
}

func TestConnections(t *testing.T) {
	url := postgres.URL(t)
	db, admin := open(t, url), open(t, url)
	run(t, db)
	var work sync.WaitGroup
	for range 40 {
		work.Go(func() { _, _ = db.Exec(t.Context(), "SELECT pg_sleep(0.05)") })
	}
	done := make(chan struct{})
	go func() { defer close(done); work.Wait() }()
	most := 0
	for n, ended := 0, false; !ended; {
		select {
		case <-done:
			ended = true
		default:
		}
		must.Do(t, admin.Query(t.Context(), func(rows pgx.Rows) error { return rows.Scan(&n) },
			"SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"))
		most = max(most, n)
	}
	if most > 5 || most < 2 {
		t.Errorf("%d connections, want 2 to 5", most)
	}
}

// Ready finds out that a store can be read only.
func TestReady(t *testing.T) {
	url := postgres.URL(t)
	db, standby := open(t, url), open(t, url+"&default_transaction_read_only=on")
	for range 2 {
		if err := db.Ready(t.Context()); err != nil {
			t.Error(err)
		}
		if err := standby.Ready(t.Context()); err == nil || errors.Is(err, ErrUnreachable) {
			t.Errorf("a store that is only read: %v", err)
		}
	}
}

// A full disk refuses a capture, and takes the small row that Ready writes.
func TestReadyAfterARefusedChange(t *testing.T) {
	db := open(t, postgres.URL(t))
	err := db.Tx(t.Context(), func(context.Context, pgx.Tx) error {
		return &pgconn.PgError{Code: "53100", Message: "No space left on device"}
	})
	if ready := db.Ready(t.Context()); err == nil || ready == nil || !strings.Contains(ready.Error(), "No space left") {
		t.Errorf("ready: %v after %v", ready, err)
	}
	if why := Public(err); why == nil || why.Error() != "the disk of the store is full" {
		t.Errorf("a client reads %v", why)
	}
	change(t, db, "p", "t", "a")
	db.probed = time.Time{}
	if err := db.Ready(t.Context()); err != nil {
		t.Errorf("after a change: %v", err)
	}
}

// A store that could only be read is writable as soon as a write succeeds.
func TestReadyAfterAStandby(t *testing.T) {
	db := open(t, postgres.URL(t))
	err := db.Tx(t.Context(), func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "SET TRANSACTION READ ONLY; DELETE FROM mcp_docs.log", pgx.QueryExecModeSimpleProtocol)
		return err
	})
	if why := Public(err); why == nil || why.Error() != "the store can only be read at the moment" {
		t.Errorf("a client reads %v of %v", why, err)
	}
	if err := db.Ready(t.Context()); err != nil {
		t.Error(err)
	}
}

// A replica follows a store that it can only read.
func TestReadOnlyStoreIsFollowed(t *testing.T) {
	url := postgres.URL(t)
	writer := open(t, url)
	db := open(t, url+"&default_transaction_read_only=on")
	var h heard
	db.Watch("p", "t", h.changed)
	run(t, db)
	for i := range 20 { // a new connection would have been made meanwhile
		key := strconv.Itoa(i)
		must.Until(t, "everything is read", func() bool { return h.all() > 0 })
		change(t, writer, "p", "t", key)
		must.Until(t, "the change", func() bool { return h.has(key) })
	}
	if h.all() != 1 {
		t.Errorf("everything was read %d times", h.all())
	}
}

// A database that is created again gets no tables from a replica that runs, as a backup could not be restored then.
func TestDatabaseMadeAnew(t *testing.T) {
	url := postgres.URL(t)
	db := open(t, url)
	var h heard
	db.Watch("p", "t", h.changed)
	run(t, db)
	must.Until(t, "a connection", func() bool { return h.all() == 1 })
	admin := must.Get(pgx.Connect(t.Context(), url))(t)
	defer admin.Close(context.Background())
	must.Get(admin.Exec(t.Context(), "DROP SCHEMA mcp_docs CASCADE; SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()", pgx.QueryExecModeSimpleProtocol))(t)
	must.Until(t, "the reason", func() bool { err := db.Err(); return err != nil && strings.Contains(err.Error(), "created again") })
	if _, err := Open(t.Context(), Options{URL: url, Logger: slog.New(slog.DiscardHandler)}); err == nil || !strings.Contains(err.Error(), "has no store yet") {
		t.Errorf("a command that reads: %v", err)
	}
	if v, err := readVersions(t.Context(), admin); err != nil || v != (versions{}) {
		t.Errorf("tables were made: %v, %v", v, err)
	}
	open(t, url) // stands for pg_restore
	must.Until(t, "the store is read again", func() bool { return h.all() > 1 && db.Err() == nil })
}

// A later release changes the tables while this program runs: no change of this program gets into them, and the reason names the release.
func TestLaterReleaseWhileItRuns(t *testing.T) {
	url := postgres.URL(t)
	db := open(t, url)
	run(t, db)
	change(t, db, "p", "t", "a")
	admin, err := pgx.Connect(t.Context(), url)
	must.Do(t, err)
	defer admin.Close(context.Background())
	must.Get(admin.Exec(t.Context(), "UPDATE mcp_docs.schema_version SET version = version + 1, oldest = version + 1, release = '9.9.9'"))(t)
	err = db.Change(t.Context(), "x", func(context.Context, pgx.Tx) ([]Change, error) {
		t.Error("the change was made")
		return nil, nil
	})
	if why := Public(err); why == nil || !strings.Contains(why.Error(), "needs 9.9.9 or a later release") {
		t.Errorf("a client reads %v of %v", why, err)
	}
	must.Until(t, "the reason", func() bool { err := db.Err(); return err != nil && strings.Contains(err.Error(), "9.9.9") })
}

// A transaction of a process that was paused ends, so that others need not wait for its locks.
func TestTransactionsHaveALimit(t *testing.T) {
	db := open(t, postgres.URL(t))
	setting := ""
	read := func(ctx context.Context, tx pgx.Tx) error {
		return tx.QueryRow(ctx, "SHOW idle_in_transaction_session_timeout").Scan(&setting)
	}
	if err := db.Tx(t.Context(), read); err != nil || setting != "10s" {
		t.Errorf("got %q, %v", setting, err)
	}
}

func TestNow(t *testing.T) {
	url := postgres.URL(t)
	db := open(t, url)
	var at time.Time
	must.Do(t, db.Query(t.Context(), func(rows pgx.Rows) error { return rows.Scan(&at) }, "SELECT clock_timestamp()"))
	if d := db.Now().Sub(at); d < -limit || d > limit {
		t.Errorf("the clock differs by %v", d)
	}
	db.setClock(at.Add(10*time.Minute), time.Now())
	if d := db.Now().Sub(at); d < 9*time.Minute || d > 11*time.Minute {
		t.Errorf("the clock differs by %v, want 10 minutes", d)
	}
	if age, took := db.LastRead(); age < 0 || age > limit || took < 0 || took > limit {
		t.Errorf("read %v ago, within %v", age, took)
	}
}

func TestSchemaIsMadeOnce(t *testing.T) {
	url := postgres.URL(t)
	var work sync.WaitGroup
	for range 8 {
		work.Go(func() {
			db, err := Open(context.Background(), Options{URL: url, Logger: slog.New(slog.DiscardHandler), Migrate: true})
			if err != nil {
				t.Error(err)
				return
			}
			db.Close()
		})
	}
	work.Wait()
	db := open(t, url)
	must.Get(db.Exec(t.Context(), "UPDATE mcp_docs.schema_version SET version = 9, oldest = 1, release = '2.4.0'"))(t)
	open(t, url) // of a later release, that is compatible
	must.Get(db.Exec(t.Context(), "UPDATE mcp_docs.schema_version SET oldest = 9"))(t)
	_, err := Open(t.Context(), Options{URL: url, Logger: slog.New(slog.DiscardHandler), Migrate: true})
	if err == nil || !strings.Contains(Public(err).Error(), "needs 2.4.0 or a later release") {
		t.Errorf("got %v", err)
	}
}

// A migration waits for a transaction that uses the tables, and says whose it is.
func TestMigrationWaits(t *testing.T) {
	url := postgres.URL(t)
	db := open(t, url)
	must.Get(db.Exec(t.Context(), "UPDATE mcp_docs.schema_version SET version = 1, oldest = 1"))(t)
	conn := must.Get(pgx.Connect(t.Context(), url+"&application_name=reporting"))(t)
	defer conn.Close(context.Background())
	tx := must.Get(conn.Begin(t.Context()))(t)
	must.Get(tx.Exec(t.Context(), "SELECT FROM mcp_docs.captures"))(t)
	said := make(chan string, 100)
	migrated := make(chan error)
	go func() {
		other, err := Open(context.Background(), Options{URL: url, Migrate: true, Wait: true, Logger: slog.New(slog.NewTextHandler(writer(said), nil))})
		if err == nil {
			other.Close()
		}
		migrated <- err
	}()
	if line := <-said; !strings.Contains(line, "reporting (pid ") {
		t.Errorf("said %s", line)
	}
	must.Do(t, tx.Rollback(t.Context()))
	if err := <-migrated; err != nil {
		t.Error(err)
	}
}

// A writer passes on what is written.
type writer chan string

func (w writer) Write(b []byte) (int, error) {
	w <- string(b)
	return len(b), nil
}

func TestRoleWithoutRights(t *testing.T) {
	url := postgres.URL(t)
	admin, err := pgx.Connect(t.Context(), url)
	must.Do(t, err)
	defer admin.Close(context.Background())
	must.Get(admin.Exec(t.Context(), "DROP ROLE IF EXISTS poor; CREATE ROLE poor LOGIN", pgx.QueryExecModeSimpleProtocol))(t)
	_, err = Open(t.Context(), Options{URL: strings.Replace(url, "postgres@", "poor@", 1), Logger: slog.New(slog.DiscardHandler), Migrate: true})
	if err == nil || !strings.Contains(err.Error(), "store migrate") {
		t.Errorf("got %v", err)
	}
	open(t, url)
	_, err = Open(t.Context(), Options{URL: strings.Replace(url, "postgres@", "poor@", 1), Logger: slog.New(slog.DiscardHandler), Migrate: true})
	if err == nil || !strings.Contains(err.Error(), "GRANT USAGE ON SCHEMA mcp_docs") {
		t.Errorf("got %v", err)
	}
	must.Get(admin.Exec(t.Context(), "DROP TABLE mcp_docs.schema_version"))(t)
	_, err = Open(t.Context(), Options{URL: url, Logger: slog.New(slog.DiscardHandler), Migrate: true})
	if err == nil || !strings.Contains(err.Error(), "schema_version") {
		t.Errorf("got %v", err)
	}
}

func TestUnreachable(t *testing.T) {
	silent := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer silent.Close()
	for name, url := range map[string]string{
		"silent":    "postgres://user:secret@" + silent.Addr().String() + "/docs",
		"closed":    "postgres://user:secret@127.0.0.1:1/docs",
		"no socket": "postgres://user:secret@/docs?host=/nowhere",
	} {
		began := time.Now()
		_, err := Open(t.Context(), Options{URL: url, Logger: slog.New(slog.DiscardHandler), Migrate: true})
		if !errors.Is(err, ErrUnreachable) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got %v", name, err)
		}
		t.Log(name, time.Since(began), err)
	}
}

func TestCheckURL(t *testing.T) {
	for _, test := range []struct {
		url      string
		password bool
		valid    bool
	}{
		{"postgres://user@db/docs", false, true},
		{"postgresql:///docs?host=/run/postgresql", false, true},
		{"postgres://a:5432,b:5432/docs?target_session_attrs=read-write", false, true},
		{"postgres://user:secret@db/docs", true, true},
		{"postgres://user@db/docs?password=secret", true, true},
		{"mysql://user:secret@db/docs", false, false},
		{"host=db password=secret", false, false},
		{"postgres://user:sec%zzret@db/docs", false, false},
		{"", false, false},
	} {
		password, err := CheckURL(test.url)
		if password != test.password || (err == nil) != test.valid {
			t.Errorf("%s: got %v, %v", test.url, password, err)
		}
		if err != nil && strings.Contains(err.Error(), "sec") {
			t.Errorf("%s: the error has the password: %v", test.url, err)
		}
	}
}

func TestTLS(t *testing.T) {
	for url, verified := range map[string]bool{
		"postgres://u@db.example.com/docs":                   true,
		"postgres://u@db.example.com/docs?sslmode=require":   false,
		"postgres://u@db.example.com/docs?sslmode=disable":   false,
		"postgres://u@127.0.0.1,db.example.com/docs":         true,
		"postgres://u@127.0.0.1/docs":                        false,
		"postgres://u@localhost/docs":                        false,
		"postgres://u@/docs?host=/run/postgresql":            false,
		"postgres://u@10.0.0.1/docs?connect_timeout=3":       true,
		"postgres://u@[2001:db8::1]/docs":                    true,
		"postgres://u@/docs?host=db.example.com&port=6432":   true,
		"postgres://u@db.example.com/docs?sslmode=verify-ca": false,
	} {
		config, err := parse(url)
		if err != nil {
			t.Errorf("%s: %v", url, err)
			continue
		}
		c := config.ConnConfig
		if got := c.TLSConfig != nil && !c.TLSConfig.InsecureSkipVerify && c.TLSConfig.ServerName != "" && !slices.ContainsFunc(c.Fallbacks, func(f *pgconn.FallbackConfig) bool { return f.TLSConfig == nil }); got != verified {
			t.Errorf("%s: verified is %v", url, got)
		}
	}
	if _, err := parse("postgres://u:secret@db/docs?sslmode=never"); err == nil || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "sslmode") {
		t.Errorf("got %v", err)
	}
}
