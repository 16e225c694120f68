package store

import (
	"context"
	"crypto/rand"
	"encoding/json"
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
//     database, and so is a capture whose contents have gone, because it was replaced or removed.
//  4. Bounds hold for all replicas together. The replica that puts a capture makes room for it, and each removes what has
//     expired. No replica returns an expired capture, whether or not it was removed.
//  5. Each replica writes the times of its reads, and of the pages of its crawls, when it cleans up. So the database
//     keeps a capture that another replica has read, and reports it to the replica that wanted to make room.
type postgresql struct {
	db       *database.DB
	project  string
	maxBytes int64
	logger   *slog.Logger
	now      func() time.Time // of the database

	mu      sync.Mutex // guards all fields below
	changes []string
	all     bool
}

const (
	topic = "captures"
	// maxPart is the maximum size of a row of contents in bytes.
	maxPart = 1 << 20
	// callTimeout is how long a call waits for the database, and callPerMiB how much longer for contents.
	callTimeout, callPerMiB = 5 * time.Second, time.Second
	// compareTimeout is how long comparing all captures may take.
	compareTimeout = time.Minute
	// manyChanges is the number of changes from which comparing all captures costs less.
	manyChanges = 10_000
	// loaded and removed are how many rows one statement loads and removes.
	loaded, removed = 1000, 1000
	// inserted is how many rows of contents one statement inserts.
	inserted = 8
)

func openPostgres(settings Settings, logger *slog.Logger, now func() time.Time, wake func()) *postgresql {
	e := &postgresql{
		db: settings.DB, project: settings.Project, maxBytes: settings.MaxBytes, logger: logger, now: now,
		all: true,
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

func (e *postgresql) write(ctx context.Context, c, _ *Capture, contents Contents) error {
	m, version := &c.Meta, strings.ToLower(rand.Text())
	meta, err := encodeMeta(m)
	if err != nil {
		return err
	}
	var tiers []string // of each row of contents
	var numbers []int
	var parts [][]byte
	for tier, data := range contents {
		rows := slices.Collect(slices.Chunk(data, maxPart))
		if len(rows) == 0 {
			rows = [][]byte{{}} // not NULL
		}
		for number, row := range rows {
			tiers, numbers, parts = append(tiers, string(tier)), append(numbers, number), append(parts, row)
		}
	}
	ctx, cancel := limited(ctx, m.Size())
	defer cancel()
	err = e.db.Change(ctx, "capture/"+e.project+"/"+m.Key, func(ctx context.Context, tx pgx.Tx) ([]database.Change, error) {
		// The statements see what was committed when they have the lock. The row is locked before the parts, as by removals.
		sql, args := `WITH put AS (INSERT INTO mcp_docs.captures (project, key, version, meta, used) VALUES ($1, $2, $3, $7, $8)
				ON CONFLICT (project, key) DO UPDATE SET version = excluded.version, meta = excluded.meta, used = excluded.used RETURNING key),
			replaced AS (DELETE FROM mcp_docs.capture_parts USING put WHERE project = $1 AND capture_parts.key = put.key AND version <> $3) `, []any{meta, e.now()}
		for from := 0; from < len(tiers); from += inserted {
			to := min(from+inserted, len(tiers))
			if _, err := tx.Exec(ctx, sql+`INSERT INTO mcp_docs.capture_parts (project, key, version, tier, part, data)
				SELECT $1, $2, $3, * FROM unnest($4::text[], $5::integer[], $6::bytea[])`, append([]any{e.project, m.Key, version, tiers[from:to], numbers[from:to], parts[from:to]}, args...)...); err != nil {
				return nil, err
			}
			sql, args = "", nil
		}
		return []database.Change{{Project: e.project, Topic: topic, Keys: []string{folderName(m.Key, version)}}}, nil
	})
	if err == nil {
		c.version = version
	}
	return err
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
	read, exists := 0, false
	err := e.parts(ctx, []*Capture{c}, tier, func(_ int, _ Tier, part []byte) {
		exists = true
		read += copy(data[read:size], part)
	})
	if err == nil && !exists {
		err = ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	return verify(c, tier, data[:read], e.logger)
}

// readAll reads all tiers of captures with one statement, so that a status of a crawl costs few.
func (e *postgresql) readAll(ctx context.Context, captures []*Capture, all []Contents) error {
	err := e.parts(ctx, captures, "", func(i int, tier Tier, part []byte) {
		if all[i] == nil {
			all[i] = make(Contents)
		}
		all[i][tier] = append(all[i][tier], part...)
	})
	for i, c := range captures {
		for tier := range c.Meta.Parts {
			if all[i] == nil {
				break
			}
			if data, wrong := verify(c, tier, all[i][tier], e.logger); wrong != nil {
				all[i] = nil
			} else {
				all[i][tier] = data
			}
		}
	}
	return err
}

// parts calls add with the rows of a tier of captures, or of all tiers if tier is "", in order. A part is valid until add returns.
func (e *postgresql) parts(ctx context.Context, captures []*Capture, tier Tier, add func(capture int, tier Tier, part []byte)) error {
	var size int64
	var keys, versions []string
	for _, c := range captures {
		keys, versions, size = append(keys, c.Meta.Key), append(versions, c.version), size+c.Meta.Size()
	}
	ctx, cancel := limited(ctx, size)
	defer cancel()
	return e.db.Query(ctx, func(rows pgx.Rows) error {
		var number int
		var tier Tier
		var part pgtype.DriverBytes
		err := rows.Scan(&number, &tier, &part)
		if err == nil {
			add(number-1, tier, part)
		}
		return err
	}, `SELECT number, tier, data FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS wanted (key, version, number)
		JOIN mcp_docs.capture_parts USING (key, version) WHERE project = $1 AND ($4 = '' OR tier = $4) ORDER BY number, tier, part`, e.project, keys, versions, string(tier))
}

func (e *postgresql) find(ctx context.Context, keys []string, known func(keys ...string) map[string]string) (now map[string]found, _ []removal, err error) {
	if len(keys) == 0 {
		now, err = e.scan(ctx, known)
		return now, nil, err
	}
	ctx, cancel := limited(ctx, 0)
	defer cancel()
	now, err = e.load(ctx, slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return !validKey(key) }))
	return now, nil, err
}

// load returns the captures of keys. It logs captures that cannot be used.
func (e *postgresql) load(ctx context.Context, keys []string) (map[string]found, error) {
	now := make(map[string]found, len(keys))
	for _, key := range keys {
		now[key] = found{}
	}
	for some := range slices.Chunk(keys, loaded) {
		err := e.db.Query(ctx, func(rows pgx.Rows) error {
			var key, version string
			var used time.Time
			var meta []byte
			if err := rows.Scan(&key, &version, &used, &meta); err != nil {
				return err
			}
			m, err := decodeMeta(key, meta)
			if err != nil {
				e.logger.Warn("a capture cannot be used; remove its row", "capture", key, "error", err)
				return nil
			}
			now[key] = found{&Capture{Meta: *m, version: version}, used}
			return nil
		}, "SELECT key, version, used, meta FROM mcp_docs.captures WHERE project = $1 AND key = ANY($2)", e.project, some)
		if err != nil {
			return nil, err
		}
	}
	return now, nil
}

func (e *postgresql) remove(ctx context.Context, gone []removal) error {
	// write has removed them
	gone = slices.DeleteFunc(slices.Clone(gone), func(r removal) bool { return r.replaced })
	for some := range slices.Chunk(gone, removed) {
		if err := e.removeSome(ctx, some); err != nil {
			e.changed(nil, true)
			return err
		}
	}
	return nil
}

func (e *postgresql) removeSome(ctx context.Context, gone []removal) error {
	ctx, cancel := limited(ctx, 0)
	defer cancel()
	keys, versions, used := make([]string, len(gone)), make([]*string, len(gone)), make([]*time.Time, len(gone))
	for i, r := range gone {
		if keys[i] = r.Meta.Key; !r.any {
			versions[i] = &r.version
		}
		if !r.used.IsZero() {
			used[i] = &r.used
		}
	}
	n := 0
	err := e.db.Change(ctx, "removal/"+e.project, func(ctx context.Context, tx pgx.Tx) (changes []database.Change, err error) {
		n, changes, err = deleted(ctx, tx, `SELECT project, captures.key FROM mcp_docs.captures
			JOIN unnest($2::text[], $3::text[], $4::timestamptz[]) AS r (key, version, used) ON captures.key = r.key
			WHERE project = $1 AND captures.version = coalesce(r.version, captures.version) AND captures.used <= coalesce(r.used, captures.used)`,
			e.project, keys, versions, used)
		return changes, err
	})
	if err == nil && n < len(gone) { // another replica has read or removed the others
		e.again(keys...)
	}
	return err
}

// deleted removes captures that a query selects by project and key, and returns their number and what the log says of them.
// Replicas may remove the same rows, so all lock them in the same order.
func deleted(ctx context.Context, tx pgx.Tx, query string, args ...any) (n int, changes []database.Change, err error) {
	rows, _ := tx.Query(ctx, "WITH gone AS ("+query+` ORDER BY project, captures.key FOR UPDATE OF captures)
		DELETE FROM mcp_docs.captures USING gone WHERE captures.project = gone.project AND captures.key = gone.key RETURNING captures.project, captures.key`, args...)
	keys := make(map[string][]string)
	var project, key string
	_, err = pgx.ForEachRow(rows, []any{&project, &key}, func() error {
		keys[project] = append(keys[project], folderName(key, ""))
		n++
		return nil
	})
	for project, names := range keys {
		changes = append(changes, database.Change{Project: project, Topic: topic, Keys: names})
	}
	return n, changes, err
}

// Forget removes the captures of a page from a database: of all projects, callers and options, with their contents. A page is known
// by the URL of the request and by the one that answered. It returns how many captures it removed.
func Forget(ctx context.Context, db *database.DB, url string) (n int, err error) {
	spelled, err := json.Marshal(url)
	if err != nil {
		return 0, err
	}
	// The lines of meta.json. PostgreSQL cannot read JSON with a NUL, which a title may have.
	asked, answered := append([]byte("\n  \"url\": "), spelled...), append([]byte("\n  \"location\": "), spelled...)
	err = db.Change(ctx, "removal", func(ctx context.Context, tx pgx.Tx) (changes []database.Change, err error) {
		n, changes, err = deleted(ctx, tx, `SELECT project, key FROM mcp_docs.captures WHERE position($1::bytea IN meta) > 0 OR position($2::bytea IN meta) > 0`, asked, answered)
		return changes, err
	})
	return n, err
}

func (e *postgresql) close() error { return nil }

func (e *postgresql) changed(keys []string, all bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.changes = append(e.changes, keys...)
	if e.all = e.all || all || len(e.changes) > manyChanges; e.all {
		e.changes = nil
	}
}

func (e *postgresql) again(keys ...string) {
	for _, key := range keys {
		e.changed([]string{folderName(key, "")}, false)
	}
}

// scan returns the captures of keys that the log names since the last time.
func (e *postgresql) scan(ctx context.Context, known func(keys ...string) map[string]string) (now map[string]found, err error) {
	if e.db.Err() != nil { // all rows are compared when it can be reached again
		return nil, nil
	}
	e.mu.Lock()
	changes, all := e.changes, e.all
	e.changes, e.all = nil, false
	e.mu.Unlock()
	var wanted []string
	if all {
		wanted, err = e.compare(ctx, known())
	} else {
		wanted = unknown(changes, known)
	}
	if err == nil {
		now, err = e.load(ctx, wanted)
	}
	if err != nil {
		e.changed(changes, all)
	}
	return now, err
}

// unknown returns the keys that the log names with another version than the index has. This replica has put the others.
func unknown(changes []string, known func(keys ...string) map[string]string) []string {
	last := make(map[string]string)
	for _, change := range changes {
		if dot := strings.LastIndexByte(change, '.'); dot >= 0 {
			last[change[:dot]] = change[dot+1:]
		}
	}
	keys := slices.Collect(maps.Keys(last))
	if len(keys) == 0 {
		return nil
	}
	index := known(keys...)
	return slices.DeleteFunc(keys, func(key string) bool { return index[key] == last[key] && last[key] != "" })
}

// compare returns the keys that have another version in the database than in the index.
func (e *postgresql) compare(ctx context.Context, index map[string]string) (differ []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, compareTimeout)
	defer cancel()
	err = e.db.Query(ctx, func(rows pgx.Rows) error {
		var key, version string
		err := rows.Scan(&key, &version)
		if index[key] != version {
			differ = append(differ, key)
		}
		delete(index, key)
		return err
	}, "SELECT key, version FROM mcp_docs.captures WHERE project = $1", e.project)
	return slices.AppendSeq(differ, maps.Keys(index)), err
}

func (e *postgresql) use(reads map[*Capture]time.Time) error {
	if len(reads) == 0 {
		return nil
	}
	var keys, versions []string
	var used []time.Time
	for c, lastRead := range reads {
		keys, versions, used = append(keys, c.Meta.Key), append(versions, c.version), append(used, lastRead)
	}
	// Rows that another replica changes are left out: waiting for them could be a deadlock.
	_, err := e.db.Exec(context.Background(), `
		WITH read AS (
			SELECT captures.key, read.used FROM mcp_docs.captures
			JOIN unnest($2::text[], $3::text[], $4::timestamptz[]) AS read (key, version, used) ON captures.key = read.key AND captures.version = read.version
			WHERE captures.project = $1 AND captures.used < read.used
			FOR NO KEY UPDATE OF captures SKIP LOCKED)
		UPDATE mcp_docs.captures SET used = read.used FROM read WHERE captures.project = $1 AND captures.key = read.key`,
		e.project, keys, versions, used)
	return err
}
