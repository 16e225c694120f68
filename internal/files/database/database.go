// Package database connects the replicas of a server by one PostgreSQL, of version 13 or later.
//
//  1. The schema mcp_docs is in schema.sql. [Open] makes it, or brings it to the version of the program.
//  2. A change that other replicas must know of adds a row to the log, in the same transaction: see [DB.Change]. The rows of
//     a project are numbered without a gap, in the order of the commits, and each has a random value. [DB.Run] reads the log
//     from the row on that it has read last, and calls the functions of [DB.Watch]. If that row is absent or differs, or if
//     there is a gap, the watchers read everything again. So a replica misses no change, also when the database becomes an
//     older copy of itself, by a failover or from a backup. NOTIFY only says that it is worth reading. A proxy such as
//     PgBouncer in transaction mode does not pass notifications on: then the log is read twice a second.
//  3. Nothing needs a replica that leads the others: each change says what must be true of the rows that it changes.
//     Numbers that come back in an older copy decide nothing: versions are random.
//  4. No statement depends on the state of a connection, so that a proxy may pool them. A replica has at most five
//     connections: four in a pool, and one of Run.
package database

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	poolConnections = 4
	connectTimeout  = 5 * time.Second
	// callTimeout is how long a call waits for the database, unless its context says otherwise.
	callTimeout = 5 * time.Second
	// readyTimeout is shorter than the timeouts of probes.
	readyTimeout = 2 * time.Second
)

// Options describe a connection.
type Options struct {
	URL      string // see [CheckURL]
	Instance string // of this replica, for operators
	Logger   *slog.Logger
	Release  string // of this program
	Migrate  bool   // makes or updates the schema at the first connection
	Later    bool   // [Open] does not need the store: [DB.Run] connects
	Wait     bool   // [Open] waits for others who use the tables, without a deadline
}

// A DB is a connection to the store. Its methods may be called concurrently.
type DB struct {
	options Options
	pool    *pgxpool.Pool
	direct  *pgx.ConnConfig // of the connection of Run
	id      string          // of this process in notifications

	mu       sync.Mutex // guards all fields below
	watchers []watcher
	// by project: rows of the log that this process has written and Run has not read
	written  map[string][]entry
	clock    clock
	err      error     // why the store cannot be used; nil: it can
	prepared bool      // the schema was found, or made, once
	full     error     // why the store refused the last change
	fullAt   time.Time // when

	probing sync.Mutex // guards the fields below
	probed  time.Time  // when Ready wrote last
	refused error      // what it returned
}

// Open connects to the store. It fails after 5 seconds, with [ErrUnreachable], if the store cannot be reached and is not
// needed later only.
func Open(ctx context.Context, o Options) (*DB, error) {
	config, err := parse(o.URL)
	if err != nil {
		return nil, err
	}
	config.MaxConns = poolConnections
	db := &DB{
		options: o, direct: config.ConnConfig.Copy(), id: rand.Text(), written: make(map[string][]entry),
		clock: clock{at: time.Now(), since: time.Now()},
	}
	if db.pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, plain(err)
	}
	if err := db.Connect(ctx); err != nil && !(o.Later && errors.Is(err, ErrUnreachable)) {
		db.pool.Close()
		return nil, err
	}
	return db, nil
}

// Connect finds out whether the store can be reached, before Run does. It takes at most 5 seconds, see [Options.Wait].
func (db *DB) Connect(ctx context.Context) error {
	if !db.options.Wait {
		bounded, cancel := context.WithTimeout(ctx, connectTimeout)
		defer cancel()
		ctx = bounded
	}
	err := plain(db.prepare(ctx))
	db.setErr(err)
	return err
}

// prepare checks the schema, and reads the clock of the database.
func (db *DB) prepare(ctx context.Context) error {
	if err := db.migrate(ctx); err != nil {
		return err
	}
	db.mu.Lock()
	db.prepared = true
	db.mu.Unlock()
	began := time.Now()
	var now time.Time
	err := db.pool.QueryRow(ctx, "SELECT clock_timestamp()").Scan(&now)
	if err == nil {
		db.setClock(now, began)
	}
	return err
}

// A clock is the time of the database at a moment of this process. Durations of a process do not depend on its clock.
type clock struct {
	at    time.Time // of the database
	since time.Time // of this process
	// the time that the statement took: at is wrong by half of it at most
	took time.Duration
}

// Now returns the time of the database, which all replicas share, as it was read last and has gone on since.
func (db *DB) Now() time.Time {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.clock.at.Add(time.Since(db.clock.since))
}

// LastRead returns how long ago the log was read, and how long the store took to answer.
func (db *DB) LastRead() (age, took time.Duration) {
	db.mu.Lock()
	defer db.mu.Unlock()
	return time.Since(db.clock.since), db.clock.took
}

// setClock takes a time of the database that was read by a statement that began at a moment.
func (db *DB) setClock(now, began time.Time) {
	took := time.Since(began)
	db.mu.Lock()
	defer db.mu.Unlock()
	db.clock = clock{now.UTC(), began.Add(took / 2), took}
}

// Close closes all connections. Run must have ended. PgBouncer can delay the end of a call that was cancelled by 15 seconds:
// nobody waits for that.
func (db *DB) Close() {
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		db.pool.Close()
	}()
	select {
	case <-closed:
	case <-time.After(time.Second):
	}
}

// Err returns why the store cannot be reached, or nil if it could be reached when Run used it last.
func (db *DB) Err() error {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.err
}

// refusedFor is how long a change that the store refused makes it not writable, unless another one succeeds.
const refusedFor = time.Minute

// noteChange remembers why the store refused a change: a small write can succeed on a full disk.
func (db *DB) noteChange(err error) {
	var pg *pgconn.PgError
	db.mu.Lock()
	defer db.mu.Unlock()
	if err == nil {
		db.full = nil
	} else if errors.As(err, &pg) && pg.Code == diskFull {
		db.full, db.fullAt = plain(err), time.Now()
	}
}

// Ready returns an error if the store cannot be written. It writes at most once a second, as anybody may ask for it.
func (db *DB) Ready(ctx context.Context) error {
	db.probing.Lock()
	defer db.probing.Unlock()
	if time.Since(db.probed) < time.Second {
		return db.refused
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readyTimeout)
	defer cancel()
	_, err := db.Exec(ctx, `INSERT INTO mcp_docs.leases (name, holder, until) VALUES ('ready/' || $1::text, $1, clock_timestamp())
		ON CONFLICT (name) DO UPDATE SET until = excluded.until`, db.options.Instance)
	db.mu.Lock()
	if err == nil && time.Since(db.fullAt) < refusedFor {
		err = db.full
	}
	db.mu.Unlock()
	if err != nil && db.refused == nil && !errors.Is(err, ErrUnreachable) {
		db.options.Logger.Warn("the store cannot be written; is it a standby, or is its disk full? " + err.Error())
	}
	db.probed, db.refused = time.Now(), err
	return err
}

func (db *DB) setErr(err error) (changed bool) {
	db.mu.Lock()
	defer db.mu.Unlock()
	_, misfit := errors.AsType[Misfit](err)
	changed = (db.err == nil) != (err == nil) || misfit && db.err.Error() != err.Error()
	db.err = err
	return changed
}

// call calls do with a deadline, unless the store is known to be unreachable. It returns the error of the caller's context if that was
// cancelled, otherwise the error of do without secrets.
func (db *DB) call(ctx context.Context, do func(ctx context.Context) error) error {
	if err := db.Err(); err != nil {
		return err
	}
	bounded := ctx
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		bounded, cancel = context.WithTimeout(ctx, callTimeout)
		defer cancel()
	}
	err := do(bounded)
	if err != nil && errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err()
	}
	return plain(err)
}

// Transactions of processes that were cut off or paused end, as their locks would stop others. PgBouncer refuses the setting as a
// parameter of a connection.
const idleSetting = "idle_in_transaction_session_timeout"

var begin = pgx.TxOptions{BeginQuery: "BEGIN; SET LOCAL " + idleSetting + " = '10s'"}

// Tx calls do in a transaction, which it commits unless do returns an error. If the error is [ErrUnreachable], the
// transaction may have been committed nevertheless; the log says whether.
func (db *DB) Tx(ctx context.Context, do func(ctx context.Context, tx pgx.Tx) error) error {
	return db.call(ctx, func(ctx context.Context) error {
		err := pgx.BeginTxFunc(ctx, db.pool, begin, func(tx pgx.Tx) error { return do(ctx, tx) })
		db.noteChange(err)
		return err
	})
}

// Exec runs a statement, and returns the number of rows that it changed.
func (db *DB) Exec(ctx context.Context, sql string, args ...any) (changed int64, err error) {
	err = db.call(ctx, func(ctx context.Context) error {
		tag, err := db.pool.Exec(ctx, sql, args...)
		changed = tag.RowsAffected()
		return err
	})
	return changed, err
}

// Query calls row for each row of the result of a statement. row scans it, and must not keep what [pgx.Rows.RawValues]
// returns.
func (db *DB) Query(ctx context.Context, row func(pgx.Rows) error, sql string, args ...any) error {
	return db.call(ctx, func(ctx context.Context) error {
		rows, _ := db.pool.Query(ctx, sql, args...) // rows.Err has the error
		defer rows.Close()
		for rows.Next() {
			if err := row(rows); err != nil {
				return err
			}
		}
		return rows.Err()
	})
}

// ErrUnreachable reports that the store cannot be reached at the moment.
var ErrUnreachable = errors.New("the store cannot be reached")

// Codes of errors of PostgreSQL.
const (
	diskFull = "53100"
	readOnly = "25006" // it is a standby, or read-only by its configuration
	noRight  = "42501"
)

// A Misfit is the reason why a store cannot be used until somebody acts. It is an [ErrUnreachable] whose text names no address.
type Misfit string

func (m Misfit) Error() string     { return ErrUnreachable.Error() + ": " + string(m) }
func (m Misfit) Is(err error) bool { return err == ErrUnreachable }

// Public returns what a client may read of an error of the store; nil: nothing.
func Public(err error) error {
	misfit, ok := errors.AsType[Misfit](err)
	pg, answered := errors.AsType[*pgconn.PgError](err)
	switch {
	case ok:
		return misfit
	case errors.Is(err, ErrUnreachable):
		return ErrUnreachable
	case answered && pg.Code == diskFull:
		return errors.New("the disk of the store is full")
	case answered && pg.Code == readOnly:
		return errors.New("the store can only be read at the moment")
	}
	return nil
}

// unreachable returns [ErrUnreachable] with a reason.
func unreachable(reason string) error { return fmt.Errorf("%w: %s", ErrUnreachable, reason) }

// A refusal is an error of the database itself.
type refusal struct{ *pgconn.PgError }

func (e refusal) Error() string {
	text := "the store answers: " + e.Message + " (" + e.Code + ")"
	if e.Code == noRight {
		text += "; an administrator of the database can grant it: " + grant(e.Message)
	}
	return text
}

// grant returns the statement that grants what an error says is missing, such as "permission denied for table captures".
func grant(message string) string {
	_, table, ok := strings.Cut(message, " table ")
	switch {
	case !ok:
		return "GRANT USAGE ON SCHEMA mcp_docs TO the role of the URL"
	case slices.Contains([]string{"schema_version", "trees", "tree_files", "blobs", "blob_parts", "projects"}, table):
		return "GRANT SELECT ON mcp_docs." + table + " TO the role of the URL; publish also needs INSERT, UPDATE and DELETE"
	}
	return "GRANT SELECT, INSERT, UPDATE, DELETE ON mcp_docs." + table + " TO the role of the URL"
}
func (e refusal) Unwrap() error { return e.PgError }

// busy are the codes of errors of a database that may answer later: shutdown, crash, start, too many connections, idle transaction.
var busy = []string{"57P01", "57P02", "57P03", "53300", "25P03"}

// plain returns an error for users, without the URL.
func plain(err error) error {
	pg, answered := errors.AsType[*pgconn.PgError](err)
	_, connecting := errors.AsType[*pgconn.ConnectError](err)
	_, parsing := errors.AsType[*pgconn.ParseConfigError](err)
	_, refused := errors.AsType[refusal](err)
	switch {
	case err == nil, refused, errors.Is(err, ErrUnreachable):
		return err
	case answered && (slices.Contains(busy, pg.Code) || pg.Code[:2] == "08" || connecting):
		// connecting: such as a wrong password, which operators must see
		return unreachable(pg.Message)
	case answered:
		return refusal{pg}
	case connecting, parsing, network(err):
		return unreachable(reason(err))
	}
	return err
}
