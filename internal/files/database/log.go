package database

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// channel is the channel of NOTIFY.
const channel = "mcp_docs"

const (
	// readEvery is how often the log is read without a notification.
	readEvery = 2 * time.Second
	// pollEvery is how often the log is read if notifications do not arrive.
	pollEvery = 500 * time.Millisecond
	// readPause is the least time between reads, so that a burst of changes costs few of them.
	readPause = 10 * time.Millisecond
	// readTimeout is how long a read of the log may take.
	readTimeout = 3 * time.Second
	pruneEvery  = time.Minute
)

// A watcher is called for changes of a topic of a project.
type watcher struct {
	project, topic string
	changed        func(keys []string, all bool)
}

// Watch registers a function that [DB.Run] calls with the keys that changed, in the order of their changes.
// all says that changes may have been missed: everything must be read again. all is true after each connection, also the
// first one. The function should return soon, since the next changes wait for it. Call Watch
// before Run.
func (db *DB) Watch(project, topic string, changed func(keys []string, all bool)) {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.watchers = append(db.watchers, watcher{project, topic, changed})
}

// A Change says which keys of a topic of a project a transaction changes.
type Change struct {
	Project, Topic string
	Keys           []string
}

// logSQL takes the next number of a project and adds a row. The first statement locks the row in cursors until the commit.
const logSQL = `WITH next AS (INSERT INTO mcp_docs.cursors AS c (project, seq) VALUES ($1, 1) ON CONFLICT (project) DO UPDATE SET seq = c.seq + 1 RETURNING seq)
	INSERT INTO mcp_docs.log (project, seq, topic, keys) SELECT $1, seq, $2, $3::text[] FROM next RETURNING seq, random`

// Change calls do in a transaction, and notifies all replicas, including this one, of the changes that do returns. If do
// returns none, no replica is notified. Calls with the same lock run one after the other, also at different replicas. Errors are as
// for [DB.Tx].
//
// Other changes of the project wait for the rows of the log. So Change sends these rows, COMMIT and NOTIFY in one message:
// if this replica is paused, the others need not wait for it.
func (db *DB) Change(ctx context.Context, lock string, do func(ctx context.Context, tx pgx.Tx) ([]Change, error)) error {
	written := make(map[string]entry)
	err := db.call(ctx, func(ctx context.Context) error {
		conn, err := db.pool.Acquire(ctx)
		if err != nil {
			return err
		}
		defer conn.Release() // closes the connection if its transaction is open
		tx, err := conn.Begin(ctx)
		if err != nil {
			return err
		}
		var changes []Change
		oldest := 0
		err = tx.QueryRow(ctx, "SELECT oldest, set_config('"+idleSetting+"', '10s', true), pg_advisory_xact_lock(hashtextextended($1, 0)) FROM mcp_docs.schema_version", lock).Scan(&oldest, nil, nil)
		if err == nil && oldest > version {
			err = db.migrate(ctx)
		} else if err == nil {
			changes, err = do(ctx, tx)
		}
		if err != nil {
			_ = tx.Rollback(ctx)
			db.noteChange(err)
			return err
		}
		if len(changes) == 0 {
			return tx.Commit(ctx)
		}
		var end pgx.Batch
		// The same order in all transactions, so that none waits for another one in a circle.
		slices.SortStableFunc(changes, func(a, b Change) int { return cmp.Compare(a.Project, b.Project) })
		for _, c := range changes {
			end.Queue(logSQL, c.Project, c.Topic, c.Keys).QueryRow(func(row pgx.Row) error {
				var e entry
				err := row.Scan(&e.seq, &e.random)
				written[c.Project] = e
				return err
			})
		}
		end.Queue("COMMIT")
		end.Queue("SELECT pg_notify($1, $2)", channel, db.id)
		err = tx.SendBatch(ctx, &end).Close()
		db.noteChange(err)
		return err
	})
	if err != nil {
		return err
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	for project, e := range written { // forgotten when Run has read it
		db.written[project] = append(db.written[project], e)
	}
	return nil
}

// Run keeps a connection to the store until ctx ends: it calls the watchers, and removes old rows.
func (db *DB) Run(ctx context.Context) {
	pause := time.Duration(0)
	for ctx.Err() == nil {
		began := time.Now()
		err := db.follow(ctx)
		if ctx.Err() != nil {
			return
		}
		db.pool.Reset() // all are probably cut, and calls would fail
		silent := errors.Is(err, context.DeadlineExceeded)
		err = plain(err)
		if !errors.Is(err, ErrUnreachable) {
			err = unreachable(err.Error())
		}
		if time.Since(began) > time.Minute {
			pause = 0
		}
		// A connection that lasted is replaced without a message.
		if (silent || pause > 0) && db.setErr(err) {
			db.options.Logger.Warn(err.Error() + "; calls that need it fail until it can")
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
		pause = min(max(2*pause, 100*time.Millisecond), 2*time.Second)
	}
}

// listen opens a connection with notifications. Without an error, the store can be used. The caller closes the connection, if there is one.
func (db *DB) listen(ctx context.Context, config *pgx.ConnConfig) (*pgx.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	conn, err := pgx.ConnectConfig(ctx, config)
	if err == nil {
		err = db.prepare(ctx)
	}
	if err == nil {
		if _, err = conn.Exec(ctx, "LISTEN "+channel); cannotWrite(err) {
			err = nil // a standby; the log is polled
		}
	}
	return conn, err
}

// follow follows the log on one connection until an error occurs or ctx ends.
func (db *DB) follow(ctx context.Context) error {
	config := db.direct.Copy()
	notified := false
	config.OnNotification = func(_ *pgconn.PgConn, n *pgconn.Notification) {
		// this process knows what it has changed
		notified = notified || n.Payload != db.id
	}
	conn, err := db.listen(ctx, config)
	if conn != nil {
		defer func() {
			bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			defer cancel()
			_ = conn.Close(bounded)
		}()
	}
	if err != nil {
		return err
	}
	r := make(reader)
	every := pollEvery // until a notification arrives, which no pooler passes on
	var pruned time.Time
	for {
		notified = false
		if err := r.read(ctx, db, conn); err != nil {
			return err
		}
		if db.setErr(nil) {
			db.options.Logger.Info("the store can be reached again")
		}
		if time.Since(pruned) >= pruneEvery {
			pruned = time.Now()
			err := db.prune(ctx)
			if err == nil && every == pollEvery {
				_, err = db.Exec(ctx, "SELECT pg_notify($1, '')", channel)
			}
			if err != nil && !cannotWrite(err) {
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
		if err == nil {
			every = readEvery
		} else if !timeout {
			return err
		}
	}
}

// cannotWrite reports an error of a store that can only be read. The log is followed there, too: [DB.Ready] says that it is not writable.
func cannotWrite(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && (pg.Code == readOnly || pg.Code == diskFull)
}

// An entry is a row of the log. The zero value stands before the first row of a project.
type entry struct {
	seq    int64
	random [16]byte
	topic  string
	keys   []string
}

func (e entry) same(other entry) bool { return e.seq == other.seq && e.random == other.random }

// follows reports whether rows without a gap contain the row that was read last, or are all rows of the project if none was,
// and the rows that this process has written since. Otherwise the database is another copy, or rows were pruned.
func follows(last entry, rows, written []entry) bool {
	has := func(e entry) bool {
		return len(rows) > 0 && e.seq >= rows[0].seq && e.seq-rows[0].seq < int64(len(rows)) && rows[e.seq-rows[0].seq].same(e)
	}
	for i := range rows {
		if rows[i].seq != rows[0].seq+int64(i) {
			return false
		}
	}
	if last.seq == 0 && len(rows) > 0 && rows[0].seq != 1 || last.seq > 0 && !has(last) {
		return false
	}
	return !slices.ContainsFunc(written, func(e entry) bool { return !has(e) })
}

// A reader has the row of each project that it read last. A project that it has not is read from its newest row on, and the
// watchers read everything.
type reader map[string]entry

// read reads the rows that were committed since the last read, and calls the watchers.
func (r reader) read(ctx context.Context, db *DB, conn *pgx.Conn) error {
	db.mu.Lock()
	watchers, written := db.watchers, maps.Clone(db.written)
	db.mu.Unlock()
	rows := make(map[string][]entry)
	for _, w := range watchers {
		rows[w.project] = nil
	}
	if err := r.query(ctx, db, conn, rows, written); err != nil {
		return err
	}
	all := make(map[string]bool)
	for project, found := range rows {
		last, known := r[project]
		all[project] = !known || !follows(last, found, written[project])
		r[project] = entry{}
		if len(found) > 0 {
			r[project] = found[len(found)-1]
		}
		rows[project] = slices.DeleteFunc(found, func(e entry) bool { return e.seq <= last.seq })
	}
	db.mu.Lock()
	for project, some := range written {
		db.written[project] = db.written[project][len(some):]
	}
	db.mu.Unlock()
	for _, w := range watchers {
		var keys []string
		for _, e := range rows[w.project] {
			if e.topic == w.topic && !all[w.project] {
				keys = append(keys, e.keys...)
			}
		}
		if all[w.project] || len(keys) > 0 {
			w.changed(keys, all[w.project])
		}
	}
	return nil
}

// query reads, in one statement, the clock, whether programs of this version can use the store, and the rows of projects: for each project from the row that was read last, or
// else the newest rows.
func (r reader) query(ctx context.Context, db *DB, conn *pgx.Conn, rows, written map[string][]entry) error {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	projects, lasts := slices.Collect(maps.Keys(rows)), make([]*int64, len(rows))
	for i, project := range projects {
		if last, known := r[project]; known {
			for _, e := range written[project] {
				last.seq = min(last.seq, e.seq)
			}
			lasts[i] = &last.seq
		}
	}
	began := time.Now()
	found, _ := conn.Query(ctx, `SELECT now.at, now.oldest, log.project, log.seq, log.random, log.topic, log.keys FROM (SELECT clock_timestamp() AS at, oldest FROM mcp_docs.schema_version) AS now
		LEFT JOIN (SELECT log.* FROM unnest($1::text[], $2::bigint[]) AS mine (project, last) JOIN LATERAL (SELECT * FROM mcp_docs.log WHERE log.project = mine.project
			AND log.seq >= least(mine.last, (SELECT max(seq) FROM mcp_docs.log WHERE log.project = mine.project))) AS log ON true) AS log ON true ORDER BY log.seq`, projects, lasts)
	var at time.Time
	var oldest int
	var project, topic *string
	var seq *int64
	var random *[16]byte
	var keys []string
	_, err := pgx.ForEachRow(found, []any{&at, &oldest, &project, &seq, &random, &topic, &keys}, func() error {
		if seq != nil {
			rows[*project] = append(rows[*project], entry{*seq, *random, *topic, keys})
		}
		keys = nil
		return nil
	})
	if err == nil {
		db.setClock(at, began)
	}
	if oldest > version { // a later release has changed the tables since the connection
		return db.migrate(ctx)
	}
	return err
}

// prune removes old rows, unless a replica has done it within a minute.
func (db *DB) prune(ctx context.Context) error {
	taken, err := db.Exec(ctx, `INSERT INTO mcp_docs.leases (name, holder, until) VALUES ('prune', $1, clock_timestamp() + make_interval(secs => $2))
		ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
		WHERE leases.until NOT BETWEEN clock_timestamp() AND excluded.until`, db.options.Instance, pruneEvery.Seconds())
	if err != nil || taken == 0 {
		return err
	}
	for _, sql := range []string{
		"DELETE FROM mcp_docs.log USING mcp_docs.cursors WHERE log.project = cursors.project AND log.seq < cursors.seq AND at < clock_timestamp() - interval '1 hour'",
		"DELETE FROM mcp_docs.leases WHERE until < clock_timestamp() - interval '1 hour'",
		// a client may begin and end any number
		"DELETE FROM mcp_docs.ended_sessions WHERE expires < clock_timestamp() OR expires < (SELECT expires FROM mcp_docs.ended_sessions ORDER BY expires DESC OFFSET 1000000 LIMIT 1)",
	} {
		if _, err := db.Exec(ctx, sql); err != nil {
			return err
		}
	}
	return nil
}
