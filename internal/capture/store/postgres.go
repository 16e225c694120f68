package store

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
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
//  5. Each replica writes the times of its reads, and of the pages of its crawls, at most once a minute. So the database
//     keeps a capture that another replica has read, and tells the one that wanted to make room.
type postgresql struct {
	db       *database.DB
	project  string
	maxBytes int64 // of a tier
	logger   *slog.Logger
	now      func() time.Time // the time of the database

	mu      sync.Mutex             // guards all fields below
	changes []string               // rows of the log that were not scanned yet
	all     bool                   // changes may have been missed
	reads   map[*Capture]time.Time // reads that were not written yet
	written time.Time              // when reads were last written
}

const (
	topic = "captures" // of the log
	// maxPart is the maximum size of a row of contents in bytes.
	maxPart = 1 << 20
	// callTimeout is how long a call waits for the database, and callPerMiB how much longer for contents.
	callTimeout, callPerMiB = 5 * time.Second, time.Second
	// useEvery is how often times of reads are written.
	useEvery = time.Minute
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

func (e *postgresql) write(ctx context.Context, c, _ *Capture, contents Contents) error {
	m, version := &c.Meta, strings.ToLower(rand.Text())
	meta, err := encodeMeta(m)
	if err != nil {
		return err
	}
	var tiers []string // of each row of contents, like numbers and parts
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
		return e.logged(folderName(m.Key, version)), nil
	})
	if err == nil {
		c.version = version
	}
	return err
}

// logged returns the change of captures for the log: KEY.VERSION for each, or KEY. without a capture.
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
	pieces := []piece{{Capture: c, tier: tier, data: data[:0]}}
	err := e.readAll(ctx, pieces)
	if err == nil && !pieces[0].read {
		err = ErrNotFound // it was replaced or removed
	}
	if err != nil {
		return nil, err
	}
	return verify(c, tier, pieces[0].data, e.logger)
}

// A piece is a tier of a capture that is read together with others.
type piece struct {
	*Capture
	tier Tier
	of   int // of the caller
	data []byte
	read bool // data are its bytes
}

// readAll reads pieces with one statement.
func (e *postgresql) readAll(ctx context.Context, pieces []piece) error {
	var size int64
	keys, versions, tiers := make([]string, len(pieces)), make([]string, len(pieces)), make([]string, len(pieces))
	for i, p := range pieces {
		keys[i], versions[i], tiers[i] = p.Meta.Key, p.version, string(p.tier)
		size += p.Meta.Parts[p.tier].Bytes
	}
	ctx, cancel := limited(ctx, size)
	defer cancel()
	return e.db.Query(ctx, func(rows pgx.Rows) error {
		var number int
		var part pgtype.DriverBytes // not copied
		err := rows.Scan(&number, &part)
		if err == nil {
			p := &pieces[number-1]
			p.data, p.read = append(p.data, part[:min(int64(len(part)), p.Meta.Parts[p.tier].Bytes-int64(len(p.data)))]...), true
		}
		return err
	}, `SELECT number, data FROM unnest($2::text[], $3::text[], $4::text[]) WITH ORDINALITY AS wanted (key, version, tier, number)
		JOIN mcp_docs.capture_parts USING (key, version, tier) WHERE project = $1 ORDER BY number, part`, e.project, keys, versions, tiers)
}

func (e *postgresql) look(ctx context.Context, keys []string, _ bool) ([]found, error) {
	if keys = slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return !validKey(key) }); len(keys) == 0 {
		return nil, nil
	}
	ctx, cancel := limited(ctx, 0)
	defer cancel()
	return e.load(ctx, keys)
}

// load returns the captures of keys, sorted by key. It logs captures that cannot be used.
func (e *postgresql) load(ctx context.Context, keys []string) (all []found, err error) {
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
	var names []string
	if err = e.db.Change(ctx, "removal/"+e.project, func(ctx context.Context, tx pgx.Tx) ([]database.Change, error) {
		// Other replicas may remove the same rows, so all lock them in the same order.
		rows, _ := tx.Query(ctx, `
			WITH gone AS (
				SELECT captures.key FROM mcp_docs.captures
				JOIN unnest($2::text[], $3::text[], $4::timestamptz[]) AS r (key, version, used) ON captures.key = r.key
				WHERE captures.project = $1 AND captures.version = coalesce(r.version, captures.version) AND captures.used <= coalesce(r.used, captures.used)
				ORDER BY captures.key FOR UPDATE OF captures)
			DELETE FROM mcp_docs.captures USING gone WHERE captures.project = $1 AND captures.key = gone.key
			RETURNING captures.key || '.'`, e.project, keys, versions, used)
		if names, err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil || len(names) == 0 {
			return nil, err
		}
		return e.logged(names...), nil
	}); err != nil || !evicts || len(names) == len(gone) {
		return nil, err
	}
	rest, err := e.load(ctx, keys)
	for _, f := range rest {
		if c := captures[folderName(f.Meta.Key, f.version)]; c != nil {
			kept = append(kept, found{c, f.used})
		}
	}
	return kept, err
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
	var projects []string
	err = db.Query(ctx, func(rows pgx.Rows) error {
		projects = append(projects, "")
		return rows.Scan(&projects[len(projects)-1])
	}, "SELECT DISTINCT project FROM mcp_docs.captures ORDER BY project")
	for _, project := range projects {
		if err == nil {
			e := &postgresql{project: project}
			err = db.Change(ctx, "removal/"+project, func(ctx context.Context, tx pgx.Tx) ([]database.Change, error) {
				rows, _ := tx.Query(ctx, `DELETE FROM mcp_docs.captures WHERE project = $1 AND (position($2::bytea IN meta) > 0 OR position($3::bytea IN meta) > 0)
					RETURNING key || '.'`, project, asked, answered)
				names, err := pgx.CollectRows(rows, pgx.RowTo[string])
				if n += len(names); err != nil || len(names) == 0 {
					return nil, err
				}
				return e.logged(names...), nil
			})
		}
	}
	return n, err
}

func (e *postgresql) close() error {
	e.writeUse()
	return nil
}
