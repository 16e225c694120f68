package store

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/database"
)

// postgresql is the engine that keeps captures in a database, which replicas share.
//
//  1. A capture is a row of the table captures, and its contents are rows of capture_parts, which name the project, the key
//     and the version. One transaction writes them, and removes the contents of the version that it replaces. A version is
//     random, so an older copy of the database cannot have another capture with it. Versions have no order: the row decides.
//  2. The log names KEY.VERSION if a capture was put, and KEY. if it was removed. A replica whose index does not have that
//     version reads the row, with one query for all changed keys. When it may have missed changes, it compares its index
//     with the keys and versions of all rows.
//  3. A capture in the index is found without a query. A key that is not in the index is looked up in the
//     database, and so is a capture whose contents are no longer there: it was replaced or removed.
//  4. Bounds hold for all replicas together. The replica with the lease evict/PROJECT removes captures:
//     expired ones, and the least recently used ones. No replica returns an expired capture, whether or not
//     it was removed.
//  5. Each replica writes the times of its reads, and of the pages of its crawls, at most once a minute. The replica that
//     removes captures reads them as often, and keeps a capture that another replica has read since.
type postgresql struct {
	db       *database.DB
	project  string
	maxBytes int64 // of a tier
	logger   *slog.Logger
	now      func() time.Time // the time of the database

	mu        sync.Mutex // guards all fields below
	changes   []string   // rows of the log that were not scanned yet
	all       bool       // changes may have been missed
	lease     *database.Lease
	asked     time.Time              // when the lease was last asked for
	reads     map[*Capture]time.Time // reads that were not written yet
	written   time.Time              // when reads were last written
	refreshed time.Time              // when the times of all reads were last read; zero: not since the lease was acquired
}

const (
	topic = "captures" // of the log
	// maxPart is the maximum size of a row of contents in bytes.
	maxPart = 1 << 20
	// leaseEvery is how often a replica asks for the lease to remove captures.
	leaseEvery = 5 * time.Second
	// callTimeout is how long a call waits for the database, and callPerMiB how much longer for contents.
	callTimeout, callPerMiB = 5 * time.Second, time.Second
	// useEvery is how often times of reads are written, and read.
	useEvery = time.Minute
	// compared, loaded and removed are how many rows one statement compares, loads and removes.
	compared, loaded, removed = 10_000, 1000, 1000
	// inserted is how many rows of contents one statement inserts.
	inserted = 8
)

func openPostgres(settings Settings, logger *slog.Logger, now func() time.Time, wake func()) *postgresql {
	e := &postgresql{
		db: settings.DB, project: settings.Project, maxBytes: settings.MaxBytes, logger: logger, now: now,
		all: true, reads: make(map[*Capture]time.Time), written: time.Now(),
	}
	e.db.Watch(e.project, topic, func(keys []string, all bool) {
		e.changed(keys, all)
		wake()
	})
	return e
}

// limited gives a call that writes or reads contents of a size a deadline.
func limited(ctx context.Context, size int64) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, callTimeout+time.Duration(size>>20)*callPerMiB)
}

func (e *postgresql) changed(keys []string, all bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.changes = append(e.changes, keys...)
	if e.all = e.all || all || len(e.changes) > compared; e.all {
		e.changes = nil
	}
}

// A part is a row of contents.
type part struct {
	tier   string
	number int
	data   []byte
}

// partsOf returns the rows of contents. Empty contents have one row.
func partsOf(contents Contents) (all []part) {
	for tier, data := range contents {
		if data == nil {
			data = []byte{} // not NULL
		}
		for number := 0; number == 0 || len(data) > 0; number++ {
			n := min(len(data), maxPart)
			all = append(all, part{string(tier), number, data[:n:n]})
			data = data[n:]
		}
	}
	return all
}

func (e *postgresql) write(ctx context.Context, c, _ *Capture, contents Contents) error {
	m, version := &c.Meta, strings.ToLower(rand.Text())
	meta, err := encodeMeta(m)
	if err != nil {
		return err
	}
	ctx, cancel := limited(ctx, m.Size())
	defer cancel()
	err = e.db.Change(ctx, "capture/"+e.project+"/"+m.Key, func(ctx context.Context, tx pgx.Tx) ([]database.Change, error) {
		// The statements see what was committed when they have the lock. The row is locked before the parts, as by removals.
		sql, args := `WITH put AS (INSERT INTO mcp_docs.captures (project, key, version, meta, used) VALUES ($1, $2, $3, $7, $8)
				ON CONFLICT (project, key) DO UPDATE SET version = excluded.version, meta = excluded.meta, used = excluded.used RETURNING key),
			replaced AS (DELETE FROM mcp_docs.capture_parts USING put WHERE project = $1 AND capture_parts.key = put.key AND version <> $3) `, []any{meta, e.now()}
		for some := range slices.Chunk(partsOf(contents), inserted) {
			var tiers []string
			var numbers []int
			var data [][]byte
			for _, p := range some {
				tiers, numbers, data = append(tiers, p.tier), append(numbers, p.number), append(data, p.data)
			}
			if _, err := tx.Exec(ctx, sql+`INSERT INTO mcp_docs.capture_parts (project, key, version, tier, part, data)
				SELECT $1, $2, $3, * FROM unnest($4::text[], $5::integer[], $6::bytea[])`, append([]any{e.project, m.Key, version, tiers, numbers, data}, args...)...); err != nil {
				return nil, err
			}
			sql, args = "", nil
		}
		return e.logged(folderName(m.Key, version)), nil
	})
	if err == nil {
		c.version = version
	}
	return err
}

// logged returns the change of captures for the log: KEY.VERSION for each.
func (e *postgresql) logged(names ...string) []database.Change {
	return []database.Change{{Project: e.project, Topic: topic, Keys: names}}
}

func (e *postgresql) read(ctx context.Context, c *Capture, tier Tier, alloc func(n int) []byte) ([]byte, error) {
	size := c.Meta.Parts[tier].Bytes
	if size > e.maxBytes {
		return nil, fmt.Errorf("has %d bytes, and the limit is %d", size, e.maxBytes)
	}
	data := alloc(int(size))
	if data == nil {
		return nil, ErrNoBuffer
	}
	bounded, cancel := limited(ctx, size)
	defer cancel()
	read, exists := 0, false
	err := e.db.Query(bounded, func(rows pgx.Rows) error {
		var part pgtype.DriverBytes // not copied
		err := rows.Scan(&part)
		exists = true
		read += copy(data[read:size], part)
		return err
	}, "SELECT data FROM mcp_docs.capture_parts WHERE project = $1 AND key = $2 AND version = $3 AND tier = $4 ORDER BY part",
		e.project, c.Meta.Key, c.version, string(tier))
	if err == nil && !exists {
		err = ErrNotFound // it was replaced or removed
	}
	if err == nil {
		err = verify(c, tier, data[:read], e.logger)
	}
	if err != nil {
		return nil, err
	}
	return data[:size], nil
}

func (e *postgresql) look(ctx context.Context, key string, _ bool) (found, error) {
	if !validKey(key) {
		return found{}, nil
	}
	ctx, cancel := limited(ctx, 0)
	defer cancel()
	all, err := e.load(ctx, []string{key})
	if len(all) == 0 {
		return found{}, err
	}
	return all[0], err
}

func (e *postgresql) again(key string) { e.changed([]string{folderName(key, "")}, false) }

// load returns the captures of keys, sorted by key. It logs captures that cannot be used.
func (e *postgresql) load(ctx context.Context, keys []string) (all []found, err error) {
	for some := range slices.Chunk(keys, loaded) {
		err := e.db.Query(ctx, func(rows pgx.Rows) error {
			var (
				key     string
				version string
				used    time.Time
				meta    []byte
			)
			if err := rows.Scan(&key, &version, &used, &meta); err != nil {
				return err
			}
			m, err := decodeMeta(key, meta)
			if err != nil {
				e.logger.Warn("a capture cannot be used; remove its row", "capture", key, "error", err)
				return nil
			}
			all = append(all, found{&Capture{Meta: *m, version: version}, used})
			return nil
		}, "SELECT key, version, used, meta FROM mcp_docs.captures WHERE project = $1 AND key = ANY($2) ORDER BY key", e.project, some)
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (e *postgresql) remove(ctx context.Context, gone []removal) (kept []found, err error) {
	gone = slices.DeleteFunc(slices.Clone(gone), func(r removal) bool { return r.replaced }) // write has removed them
	for len(gone) > 0 {
		n := min(len(gone), removed)
		more, err := e.removeSome(ctx, gone[:n])
		if err != nil {
			for _, r := range gone {
				if !r.used.IsZero() {
					kept = append(kept, found{r.Capture, r.used}) // if it was removed nevertheless, the log tells
				} else if !r.any { // it has expired, and is found again
					e.changed(nil, true)
				}
			}
			return kept, err
		}
		kept, gone = append(kept, more...), gone[n:]
	}
	return kept, nil
}

func (e *postgresql) removeSome(ctx context.Context, gone []removal) (kept []found, err error) {
	ctx, cancel := limited(ctx, 0)
	defer cancel()
	keys, versions, used := make([]string, len(gone)), make([]*string, len(gone)), make([]*time.Time, len(gone))
	captures := make(map[string]*Capture) // by KEY.VERSION
	evicts := false
	for i, r := range gone {
		keys[i], captures[folderName(r.Meta.Key, r.version)] = r.Meta.Key, r.Capture
		if !r.any {
			versions[i] = &r.version
		}
		if !r.used.IsZero() {
			used[i], evicts = &r.used, true
		}
	}
	err = e.db.Change(ctx, "removal/"+e.project, func(ctx context.Context, tx pgx.Tx) ([]database.Change, error) {
		if evicts {
			lease := e.held()
			if lease == nil {
				return nil, database.ErrLost
			}
			if err := lease.Fence(ctx, tx); err != nil {
				return nil, err
			}
		}
		var removedKeys, removedVersions, names []string
		var key, version string
		var at time.Time
		rows, _ := tx.Query(ctx, `
			DELETE FROM mcp_docs.captures USING unnest($2::text[], $3::text[], $4::timestamptz[]) AS r (key, version, used)
			WHERE captures.project = $1 AND captures.key = r.key AND captures.version = coalesce(r.version, captures.version)
				AND captures.used <= coalesce(r.used, captures.used)
			RETURNING captures.key, captures.version`, e.project, keys, versions, used)
		if _, err := pgx.ForEachRow(rows, []any{&key, &version}, func() error {
			removedKeys, removedVersions, names = append(removedKeys, key), append(removedVersions, version), append(names, folderName(key, ""))
			return nil
		}); err != nil {
			return nil, err
		}
		// Not in the same statement, which may have waited for a Put whose contents it would not see.
		if _, err := tx.Exec(ctx, `DELETE FROM mcp_docs.capture_parts USING unnest($2::text[], $3::text[]) AS r (key, version)
			WHERE capture_parts.project = $1 AND capture_parts.key = r.key AND capture_parts.version = r.version`, e.project, removedKeys, removedVersions); err != nil {
			return nil, err
		}
		if len(names) < len(gone) {
			rows, _ = tx.Query(ctx, `
				SELECT captures.key, captures.version, captures.used FROM mcp_docs.captures
				JOIN unnest($2::text[], $3::text[]) AS r (key, version) ON captures.key = r.key AND captures.version = r.version
				WHERE captures.project = $1`, e.project, keys, versions)
			if _, err := pgx.ForEachRow(rows, []any{&key, &version, &at}, func() error {
				kept = append(kept, found{captures[folderName(key, version)], at})
				return nil
			}); err != nil {
				return nil, err
			}
		}
		if len(names) == 0 {
			return nil, nil
		}
		return e.logged(names...), nil
	})
	return kept, err
}

// use writes reads at most once a minute.
func (e *postgresql) use(read map[*Capture]time.Time, pinned []*Capture) {
	now := e.now()
	for _, c := range pinned {
		read[c] = now
	}
	e.mu.Lock()
	maps.Copy(e.reads, read)
	due := time.Since(e.written) >= useEvery
	e.mu.Unlock()
	if due {
		e.writeUse()
	}
}

func (e *postgresql) writeUse() {
	e.mu.Lock()
	reads := e.reads
	e.reads, e.written = make(map[*Capture]time.Time), time.Now()
	e.mu.Unlock()
	if len(reads) == 0 {
		return
	}
	var (
		keys     []string
		versions []string
		used     []time.Time
	)
	for c, at := range reads {
		keys, versions, used = append(keys, c.Meta.Key), append(versions, c.version), append(used, at)
	}
	// Rows that another replica changes are left out: waiting for them could be a deadlock.
	if _, err := e.db.Exec(context.Background(), `
		WITH read AS (
			SELECT captures.key, read.used FROM mcp_docs.captures
			JOIN unnest($2::text[], $3::text[], $4::timestamptz[]) AS read (key, version, used) ON captures.key = read.key AND captures.version = read.version
			WHERE captures.project = $1 AND captures.used < read.used
			FOR NO KEY UPDATE OF captures SKIP LOCKED)
		UPDATE mcp_docs.captures SET used = read.used FROM read WHERE captures.project = $1 AND captures.key = read.key`,
		e.project, keys, versions, used); err != nil {
		e.logger.Debug("the times of reads cannot be written", "error", err)
		e.mu.Lock()
		defer e.mu.Unlock()
		maps.Copy(reads, e.reads) // written in a minute
		e.reads = reads
	}
}

// held returns the lease to remove captures, or nil.
func (e *postgresql) held() *database.Lease {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.lease == nil {
		return nil
	}
	select {
	case <-e.lease.Lost():
		return nil
	default:
		return e.lease
	}
}

func (e *postgresql) evicts() bool { return e.held() != nil }

// lead acquires the lease to remove captures if no replica has it.
func (e *postgresql) lead(ctx context.Context) {
	if e.held() != nil {
		return
	}
	e.mu.Lock()
	lost := e.lease
	e.lease = nil
	wait := time.Since(e.asked) < leaseEvery
	if !wait {
		e.asked = time.Now()
	}
	e.mu.Unlock()
	if lost != nil {
		lost.Release(ctx)
	}
	if wait {
		return
	}
	lease, err := e.db.Acquire(ctx, "evict/"+e.project)
	if err != nil {
		if !errors.Is(err, database.ErrHeld) {
			e.logger.Debug("captures cannot be removed by this replica", "error", err)
		}
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	// Captures that have expired may be in the database only.
	e.lease, e.all, e.refreshed = lease, true, time.Time{}
}

func (e *postgresql) stale(ctx context.Context) bool {
	if e.db.Err() != nil { // all rows are compared when it can be reached again
		return false
	}
	e.lead(ctx)
	leads := e.evicts()
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.all || len(e.changes) > 0 || leads && time.Since(e.refreshed) >= useEvery
}

func (e *postgresql) scan(ctx context.Context, known func(keys ...string) map[string]string) (out scanned, err error) {
	e.mu.Lock()
	changes, all := e.changes, e.all
	e.changes, e.all = nil, false
	e.mu.Unlock()
	defer func() {
		if err != nil {
			e.changed(changes, all)
		}
	}()
	switch {
	case all:
		err = e.compare(ctx, known(), &out)
	case len(changes) > 0:
		err = e.follow(ctx, changes, known, &out)
	}
	if err == nil && e.evicts() {
		out.used, err = e.readUse(ctx)
	}
	return out, err
}

// follow finds what rows of the log say.
func (e *postgresql) follow(ctx context.Context, changes []string, known func(keys ...string) map[string]string, out *scanned) error {
	last := make(map[string]string) // version by key
	for _, change := range changes {
		if dot := strings.LastIndexByte(change, '.'); dot >= 0 {
			last[change[:dot]] = change[dot+1:]
		}
	}
	for key, version := range known(slices.Collect(maps.Keys(last))...) {
		if version == last[key] { // this replica has put it
			delete(last, key)
		}
	}
	if len(last) == 0 {
		return nil
	}
	var err error
	out.found, err = e.load(ctx, slices.Sorted(maps.Keys(last)))
	for _, f := range out.found {
		delete(last, f.Meta.Key)
	}
	out.gone = slices.Collect(maps.Keys(last))
	return err
}

// compare finds how the versions of an index differ from those in the database.
func (e *postgresql) compare(ctx context.Context, index map[string]string, out *scanned) error {
	for last, more := "", true; more; {
		var wanted []string
		n := 0
		if err := e.db.Query(ctx, func(rows pgx.Rows) error {
			var version string
			if err := rows.Scan(&last, &version); err != nil {
				return err
			}
			n++
			if index[last] == version {
				delete(index, last)
			} else {
				wanted = append(wanted, last)
			}
			return nil
		}, "SELECT key, version FROM mcp_docs.captures WHERE project = $1 AND key > $2 ORDER BY key LIMIT $3", e.project, last, compared); err != nil {
			return err
		}
		added, err := e.load(ctx, wanted)
		if err != nil {
			return err
		}
		for _, f := range added {
			delete(index, f.Meta.Key)
		}
		out.found = append(out.found, added...)
		more = n == compared
	}
	out.gone = slices.Collect(maps.Keys(index))
	return nil
}

// readUse reads the times of reads by all replicas: all at first, and later those that may have been
// written since the last time. Replicas write a read up to a minute later.
func (e *postgresql) readUse(ctx context.Context) (used []found, err error) {
	e.mu.Lock()
	since, first := time.Since(e.refreshed), e.refreshed.IsZero()
	e.mu.Unlock()
	if since < useEvery {
		return nil, nil
	}
	from := time.Time{}
	if !first {
		from = e.now().Add(-since - 2*useEvery)
	}
	began := time.Now()
	if err := e.db.Query(ctx, func(rows pgx.Rows) error {
		var (
			key     string
			version string
			at      time.Time
		)
		err := rows.Scan(&key, &version, &at)
		used = append(used, found{removalOf(key, version).Capture, at})
		return err
	}, "SELECT key, version, used FROM mcp_docs.captures WHERE project = $1 AND used > $2", e.project, from); err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.refreshed = began
	return used, nil
}

func (e *postgresql) file(*Capture, Tier) string { return "" }

// close writes the times of reads, and lets another replica remove captures.
func (e *postgresql) close() error {
	e.writeUse()
	e.mu.Lock()
	lease := e.lease
	e.lease = nil
	e.mu.Unlock()
	if lease != nil {
		lease.Release(context.Background())
	}
	return nil
}
