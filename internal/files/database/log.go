package database

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// channel is the channel of NOTIFY.
const channel = "mcp_docs"

const (
	// readEvery is how often the log is read without a notification, and how often leases are renewed.
	readEvery = 2 * time.Second
	// pollEvery is how often the log is read if notifications do not arrive.
	pollEvery = 500 * time.Millisecond
	// readPause is the least time between reads, so that a burst of changes costs few of them.
	readPause = 10 * time.Millisecond
	// readTimeout is how long a read of the log may take.
	readTimeout = 3 * time.Second
	// listenTimeout is how long a connection waits for its first notification, which is its own.
	listenTimeout = time.Second
	// kept is how long rows stay in the log, and gap is the time between two reads after which some may be missing.
	kept = time.Hour
	gap  = 10 * time.Minute
	// manyKeys is the number of changed keys from which reading everything again costs less.
	manyKeys   = 10_000
	pruneEvery = time.Minute
)

// A watcher is called for changes of a topic of a project.
type watcher struct {
	subject
	changed func(keys []string, all bool)
}

// A subject is what a change is about.
type subject struct{ project, topic string }

// Watch registers a function that [DB.Run] calls with the keys that changed, each once. all says that changes may have been
// missed: everything must be read again. all is true after each connection, also the first one. The function should
// return soon, since the next changes and the renewal of leases wait for it. Call Watch before Run.
func (db *DB) Watch(project, topic string, changed func(keys []string, all bool)) {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.watchers = append(db.watchers, watcher{subject{project, topic}, changed})
}

// Changed tells all replicas, this one too, that keys of a topic changed, when tx is committed.
func Changed(ctx context.Context, tx pgx.Tx, project, topic string, keys ...string) error {
	_, err := tx.Exec(ctx, `WITH added AS (INSERT INTO mcp_docs.log (project, topic, key) SELECT $1, $2, unnest($3::text[]))
		SELECT pg_notify($4, '')`, project, topic, keys, channel)
	return err
}

// Run keeps a connection to the store until ctx ends: it calls the watchers, renews leases, and removes old rows.
func (db *DB) Run(ctx context.Context) {
	pause := time.Duration(0)
	for ctx.Err() == nil {
		began := time.Now()
		err := db.follow(ctx)
		if ctx.Err() != nil {
			return
		}
		silent := errors.Is(err, context.DeadlineExceeded)
		err = plain(err)
		if _, ok := err.(*unreachable); !ok {
			err = &unreachable{err.Error()}
		}
		if time.Since(began) > time.Minute {
			pause = 0
		}
		if silent || pause > 0 { // otherwise the connection may just have been closed, and another one can be opened
			if db.setErr(err) {
				db.options.Logger.Warn(err.Error() + "; calls that need it fail until it can")
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
		pause = min(max(2*pause, 100*time.Millisecond), 2*time.Second)
	}
}

// follow follows the log on one connection until an error occurs or ctx ends.
func (db *DB) follow(ctx context.Context) error {
	config := db.direct.Copy()
	notified := false
	config.OnNotification = func(*pgconn.PgConn, *pgconn.Notification) { notified = true }
	bounded, cancel := context.WithTimeout(ctx, connectTimeout)
	conn, err := pgx.ConnectConfig(bounded, config)
	cancel()
	if err != nil {
		return err
	}
	defer func() {
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = conn.Close(bounded)
	}()
	every := readEvery
	if err := db.listen(ctx, conn, &notified); err != nil {
		return err
	}
	if !notified {
		every = pollEvery
		db.options.Logger.Debug("the store passes no notifications on, as a connection pooler does; the log is read twice a second")
	}
	r := reader{db: db, conn: conn}
	p := pruner{}
	defer func() {
		if p.lease != nil {
			p.lease.Release(context.WithoutCancel(ctx))
		}
	}()
	for tick := (time.Time{}); ; {
		notified = false
		if err := r.read(ctx); err != nil {
			return err
		}
		if db.setErr(nil) {
			db.options.Logger.Info("the store can be reached again")
		}
		if time.Since(tick) >= readEvery {
			tick = time.Now()
			if err := db.renew(ctx, conn); err != nil {
				return err
			}
			if err := p.prune(ctx, db); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(readPause):
		}
		if notified { // during the read
			continue
		}
		bounded, cancel := context.WithTimeout(ctx, every-readPause)
		err := conn.PgConn().WaitForNotification(bounded)
		timeout := bounded.Err() != nil
		cancel()
		if err != nil && !timeout {
			return err
		}
	}
}

// listen listens for notifications, and sets notified if they arrive.
func (db *DB) listen(ctx context.Context, conn *pgx.Conn, notified *bool) error {
	bounded, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	if _, err := conn.Exec(bounded, "LISTEN "+channel); err != nil {
		return err
	}
	if _, err := db.pool.Exec(bounded, "SELECT pg_notify($1, '')", channel); err != nil {
		return err
	}
	if *notified {
		return nil
	}
	waiting, end := context.WithTimeout(bounded, listenTimeout)
	defer end()
	if err := conn.PgConn().WaitForNotification(waiting); err != nil && waiting.Err() == nil {
		return err
	}
	return nil
}

// A reader reads the log on one connection.
type reader struct {
	db       *DB
	conn     *pgx.Conn
	snapshot string    // of the last read; "": none
	at       time.Time // of the last read, by the clock of the database
}

// read reads what was committed since the last read, and calls the watchers.
func (r *reader) read(ctx context.Context) error {
	bounded, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	keys, err := r.next(bounded)
	if err != nil {
		return err
	}
	r.db.mu.Lock()
	watchers := r.db.watchers
	r.db.mu.Unlock()
	for _, w := range watchers {
		switch changed := keys[w.subject]; {
		case keys == nil || len(changed) > manyKeys:
			w.changed(nil, true)
		case len(changed) > 0:
			w.changed(changed, false)
		}
	}
	return nil
}

// next returns the keys that changed since the last read, or nil if changes may have been missed. The statement and the
// snapshot that it returns see the same transactions. Rows that were written after the last read are read even if the
// snapshot seems to have seen their transaction: when PostgreSQL was killed, it gives the numbers of aborted transactions
// again, and a connection through a proxy such as PgBouncer survives that.
func (r *reader) next(ctx context.Context) (map[subject][]string, error) {
	began := time.Now()
	sql := `SELECT pg_current_snapshot()::text, clock_timestamp(), NULL, NULL, NULL`
	var args []any
	if r.snapshot != "" {
		sql = `SELECT now.snapshot::text, clock_timestamp(), log.project, log.topic, log.key FROM (SELECT pg_current_snapshot() AS snapshot) now
			LEFT JOIN mcp_docs.log ON log.xid >= pg_snapshot_xmin($1::text::pg_snapshot) AND NOT pg_visible_in_snapshot(log.xid, $1::text::pg_snapshot)
			OR log.at > $2 AND log.at < 'infinity'` // PostgreSQL expects few rows in a range with two ends, and uses the index
		args = []any{r.snapshot, r.at}
	}
	rows, err := r.conn.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	keys := make(map[subject][]string)
	known := make(map[[3]string]bool)
	var snapshot string
	var at time.Time
	for rows.Next() {
		var project, topic, key *string
		if err := rows.Scan(&snapshot, &at, &project, &topic, &key); err != nil {
			return nil, err
		}
		if key == nil || known[[3]string{*project, *topic, *key}] {
			continue
		}
		known[[3]string{*project, *topic, *key}] = true
		s := subject{*project, *topic}
		keys[s] = append(keys[s], *key)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	r.db.setClock(at, began)
	if r.take(snapshot, at) {
		return nil, nil
	}
	return keys, nil
}

// take makes a snapshot the last one. It reports whether changes may have been missed before: this is the first one, or the
// log may have been pruned since the last one.
func (r *reader) take(snapshot string, at time.Time) (missed bool) {
	missed = r.snapshot == "" || at.Sub(r.at) > gap
	r.snapshot, r.at = snapshot, at
	return missed
}

// A pruner removes old rows once a minute, while this replica holds the lease for it.
type pruner struct {
	lease *Lease
	done  time.Time
}

func (p *pruner) prune(ctx context.Context, db *DB) error {
	if time.Since(p.done) < pruneEvery {
		return nil
	}
	if p.lease == nil {
		lease, err := db.Acquire(ctx, "prune")
		if err != nil {
			if errors.Is(err, ErrHeld) {
				return nil
			}
			return err
		}
		p.lease = lease
	}
	p.done = time.Now()
	for _, sql := range []string{
		fmt.Sprintf("DELETE FROM mcp_docs.log WHERE at < clock_timestamp() - interval '%d seconds'", int(kept.Seconds())),
		"DELETE FROM mcp_docs.leases WHERE until < clock_timestamp() - interval '1 hour'",
		"DELETE FROM mcp_docs.ended_sessions WHERE expires < clock_timestamp() OR expires < (SELECT expires FROM mcp_docs.ended_sessions ORDER BY expires DESC OFFSET 1000000 LIMIT 1)", // a client may begin and end any number
		"DELETE FROM mcp_docs.subscriptions WHERE expires < clock_timestamp()",
	} {
		if _, err := db.Exec(ctx, sql); err != nil {
			return err
		}
	}
	return nil
}
