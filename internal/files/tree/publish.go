package tree

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/database"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/progress"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

const (
	// Topic is the topic of changes of the served version, see [database.Change].
	Topic = "tree"
	// kept is how many versions of a project stay in the store.
	kept = 5
	// maxPart is the maximum size of a row with bytes of a file.
	maxPart = 1 << 20
	// batchBytes and batchFiles limit the files that one transaction uploads, unless a file is larger.
	batchBytes = 4 << 20
	batchFiles = 500
	// lock is the lock of transactions that add or remove versions, see [database.DB.Change].
	lock = "trees"
	// statementTime is how long a statement on many rows may take.
	statementTime = 2 * time.Minute
	// attempts is how often files are uploaded that are missing when their version is added.
	attempts = 5
)

var name = lazyregexp.New(`^[a-z0-9][a-z0-9._-]{0,63}$`)

// CheckName returns an error for a name that a project in the store cannot have.
func CheckName(project string) error {
	if !name().MatchString(project) {
		return fmt.Errorf("%q is not a name for a project in the store: it has 1 to 64 lower-case letters, digits, \".\", \"_\" and \"-\", and begins with a letter or digit", project)
	}
	return nil
}

// A File is a file to publish. Copy writes its bytes, and fails if they do not have the digest of the entry.
type File struct {
	Entry
	Copy func(io.Writer) error
}

// A Published is a version in the store.
type Published struct {
	Number  int       `json:"number"`  // 1, 2, … in each project
	Version string    `json:"version"` // of the project, as its author says
	At      time.Time `json:"published"`
	Files   int64     `json:"files"`
	Bytes   int64     `json:"bytes"`
	Current bool      `json:"current"` // it is served
}

// Publish adds a version of a project to the store, if it differs from the one that is served, and has it served. It
// uploads only files that the store lacks. It removes versions beyond the last five, and files that no version needs.
func Publish(ctx context.Context, db *database.DB, project, version string, files []File) (p Published, changed bool, err error) {
	entries := make([]Entry, len(files))
	sources := make(map[Digest]File, len(files))
	for i, f := range files {
		entries[i], sources[f.Digest] = f.Entry, f
	}
	t, err := New(entries)
	if err != nil {
		return p, false, err
	}
	// In order, so that two publications cannot lock each other out.
	digests := slices.SortedFunc(maps.Keys(sources), func(a, b Digest) int { return bytes.Compare(a[:], b[:]) })
	for range attempts {
		if err := upload(ctx, db, digests, sources); err != nil {
			return p, false, err
		}
		p, changed, err = add(ctx, db, project, version, t, digests)
		if !errors.Is(err, errRemoved) {
			return p, changed, err
		}
	}
	return p, false, fmt.Errorf("%w; publish again", errRemoved)
}

var errRemoved = errors.New("another publication has removed files of this one from the store")

// lacking returns the digests that no file in the store has, in ascending order.
func lacking(ctx context.Context, tx pgx.Tx, digests []Digest) ([]Digest, error) {
	return collect(tx.Query(ctx, "SELECT d FROM unnest($1::bytea[]) d WHERE NOT EXISTS (SELECT FROM mcp_docs.blobs WHERE digest = d) ORDER BY d", digests))
}

// collect returns the digests that a query returns.
func collect(rows pgx.Rows, _ error) ([]Digest, error) {
	return pgx.CollectRows(rows, pgx.RowTo[Digest])
}

// upload puts files that the store lacks into it, in batches: what is uploaded need not be uploaded again after an error.
func upload(ctx context.Context, db *database.DB, digests []Digest, sources map[Digest]File) error {
	bounded, cancel := context.WithTimeout(ctx, statementTime)
	defer cancel()
	if err := db.Tx(bounded, func(ctx context.Context, tx pgx.Tx) (err error) {
		digests, err = lacking(ctx, tx, digests)
		return err
	}); err != nil {
		return err
	}
	missing := make([]Entry, len(digests))
	for i, d := range digests {
		missing[i] = sources[d].Entry
	}
	return transfer(ctx, "uploading", missing, batchFiles, batchBytes, func(ctx context.Context, some []Entry) error {
		return db.Tx(ctx, func(ctx context.Context, tx pgx.Tx) error { return uploadBatch(ctx, tx, some, sources) })
	})
}

// transfer calls do with some of the entries after the other: at most a number of files, and of bytes unless a file has more. It
// shows the progress.
func transfer(ctx context.Context, name string, entries []Entry, maxFiles int, maxSize int64, do func(ctx context.Context, some []Entry) error) error {
	progress := progress.Begin(ctx, name, progress.Bytes, sizeOf(entries))
	defer progress.End()
	for len(entries) > 0 {
		n, size := 1, entries[0].Size
		for n < len(entries) && n < maxFiles && size+entries[n].Size <= maxSize {
			size += entries[n].Size
			n++
		}
		// A slow connection gets a second for each 100 KB.
		bounded, cancel := context.WithTimeout(ctx, statementTime+time.Duration(size/100_000)*time.Second)
		err := do(bounded, entries[:n])
		cancel()
		if err != nil {
			return err
		}
		progress.Add(int(size))
		entries = entries[n:]
	}
	return nil
}

func uploadBatch(ctx context.Context, tx pgx.Tx, files []Entry, sources map[Digest]File) error {
	digests, sizes := make([]Digest, len(files)), make([]int64, len(files))
	for i, f := range files {
		digests[i], sizes[i] = f.Digest, f.Size
	}
	added, err := collect(tx.Query(ctx, `INSERT INTO mcp_docs.blobs (digest, bytes) SELECT * FROM unnest($1::bytea[], $2::bigint[])
		ON CONFLICT DO NOTHING RETURNING digest`, digests, sizes)) // the others were added by another publication in the meantime
	if err != nil {
		return err
	}
	w := &partWriter{ctx: ctx, tx: tx}
	parts := bufio.NewWriterSize(w, maxPart)
	for _, d := range added {
		w.digest, w.number = d, 0
		parts.Reset(w)
		if err := cmp.Or(sources[d].Copy(parts), parts.Flush()); err != nil {
			return err
		}
		if w.number == 0 {
			w.add(nil) // an empty file has one empty part
		}
	}
	return w.flush()
}

// A partWriter writes files as rows.
type partWriter struct {
	ctx    context.Context
	tx     pgx.Tx
	digest Digest
	number int32

	batch pgx.Batch
	size  int
}

func (w *partWriter) Write(b []byte) (int, error) {
	for part := range slices.Chunk(b, maxPart) {
		if w.add(part); w.size >= batchBytes {
			if err := w.flush(); err != nil {
				return 0, err
			}
		}
	}
	return len(b), nil
}

func (w *partWriter) add(part []byte) {
	w.batch.Queue("INSERT INTO mcp_docs.blob_parts (digest, part, data) VALUES ($1, $2, $3)", w.digest, w.number, append([]byte{}, part...))
	w.size += len(part)
	w.number++
}

func (w *partWriter) flush() error {
	err := w.tx.SendBatch(w.ctx, &w.batch).Close()
	w.batch, w.size = pgx.Batch{}, 0
	return err
}

// add adds a version whose files are in the store, unless it equals the served one, and has it served.
func add(ctx context.Context, db *database.DB, project, version string, t *Tree, digests []Digest) (p Published, changed bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, 2*statementTime)
	defer cancel()
	// Nothing is removed during the transaction.
	err = db.Change(ctx, lock, func(ctx context.Context, tx pgx.Tx) ([]database.Change, error) {
		gone, err := lacking(ctx, tx, digests)
		if err != nil || len(gone) > 0 {
			return nil, cmp.Or(err, errRemoved)
		}
		digest := t.Digest()
		err = tx.QueryRow(ctx, `SELECT t.number, t.version, t.published, t.files, t.bytes FROM mcp_docs.projects p JOIN mcp_docs.trees t ON t.id = p.tree
			WHERE p.name = $1 AND t.digest = $2`, project, digest).Scan(&p.Number, &p.Version, &p.At, &p.Files, &p.Bytes)
		if err == nil {
			p.Current = true
			return nil, nil
		} else if !errors.Is(err, pgx.ErrNoRows) {
			return nil, err
		}
		var id int64
		p = Published{Version: version, Files: int64(len(t.entries)), Bytes: sizeOf(t.entries), Current: true}
		if err := tx.QueryRow(ctx, `INSERT INTO mcp_docs.trees (project, number, version, digest, files, bytes)
			SELECT $1, coalesce(max(number), 0) + 1, $2, $3, $4, $5 FROM mcp_docs.trees WHERE project = $1 RETURNING id, number, published`,
			project, version, digest, p.Files, p.Bytes).Scan(&id, &p.Number, &p.At); err != nil {
			return nil, err
		}
		if _, err := tx.CopyFrom(ctx, pgx.Identifier{"mcp_docs", "tree_files"}, []string{"tree", "number", "path", "modified", "digest"},
			pgx.CopyFromSlice(len(t.entries), func(i int) ([]any, error) {
				e := &t.entries[i]
				return []any{id, int32(i), []byte(e.Path), e.Modified, e.Digest}, nil
			})); err != nil {
			return nil, err
		}
		changed = true
		if err := serve(ctx, tx, project, id); err != nil {
			return nil, err
		}
		return announced(project, p.Number), prune(ctx, tx, project)
	})
	return p, changed && err == nil, err
}

// serve has a version of a project served.
func serve(ctx context.Context, tx pgx.Tx, project string, id int64) error {
	_, err := tx.Exec(ctx, "INSERT INTO mcp_docs.projects (name, tree) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET tree = excluded.tree", project, id)
	return err
}

// announced notifies the replicas that another version is served.
func announced(project string, number int) []database.Change {
	return []database.Change{{Project: project, Topic: Topic, Keys: []string{strconv.Itoa(number)}}}
}

// prune removes versions beyond the last ones, and files that no version needs. Files of the last hour stay, because a
// publication may have uploaded them that has not added its version yet.
func prune(ctx context.Context, tx pgx.Tx, project string) error {
	if _, err := tx.Exec(ctx, `DELETE FROM mcp_docs.trees WHERE project = $1 AND id NOT IN (SELECT tree FROM mcp_docs.projects WHERE name = $1)
		AND number NOT IN (SELECT number FROM mcp_docs.trees WHERE project = $1 ORDER BY number DESC LIMIT $2)`, project, kept); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `DELETE FROM mcp_docs.blobs b WHERE created < clock_timestamp() - interval '1 hour'
		AND NOT EXISTS (SELECT FROM mcp_docs.tree_files f WHERE f.digest = b.digest)`)
	return err
}

// Versions returns the versions of a project in the store, the newest first.
func Versions(ctx context.Context, db *database.DB, project string) (all []Published, err error) {
	err = db.Query(ctx, func(rows pgx.Rows) error {
		var p Published
		err := rows.Scan(&p.Number, &p.Version, &p.At, &p.Files, &p.Bytes, &p.Current)
		p.At = p.At.UTC()
		all = append(all, p)
		return err
	}, `SELECT t.number, t.version, t.published, t.files, t.bytes, p.tree = t.id FROM mcp_docs.trees t JOIN mcp_docs.projects p ON p.name = t.project
		WHERE t.project = $1 ORDER BY t.number DESC`, project)
	if err == nil && len(all) == 0 {
		err = notPublished(project)
	}
	return all, err
}

func notPublished(project string) error {
	return fmt.Errorf("the store has no project %q: publish it with publish --target store --to %s", project, project)
}

func noVersion(project string, number int) error {
	return fmt.Errorf("the store has no version %d of %s; \"store versions %s\" lists the versions", number, project, project)
}

// Rollback has another version of a project served: the one with a number, or, for 0, the one before the version that is
// served now. It returns the number.
func Rollback(ctx context.Context, db *database.DB, project string, number int) (int, error) {
	// a publication of many files may be under way
	ctx, cancel := context.WithTimeout(ctx, statementTime)
	defer cancel()
	err := db.Change(ctx, lock, func(ctx context.Context, tx pgx.Tx) ([]database.Change, error) {
		var now int
		if err := tx.QueryRow(ctx, "SELECT t.number FROM mcp_docs.projects p JOIN mcp_docs.trees t ON t.id = p.tree WHERE p.name = $1", project).Scan(&now); errors.Is(err, pgx.ErrNoRows) {
			return nil, notPublished(project)
		} else if err != nil {
			return nil, err
		}
		var id int64
		err := tx.QueryRow(ctx, "SELECT id, number FROM mcp_docs.trees WHERE project = $1 AND (number = $2 OR $2 = 0 AND number < $3) ORDER BY number DESC LIMIT 1", project, number, now).Scan(&id, &number)
		switch {
		case errors.Is(err, pgx.ErrNoRows) && number == 0:
			return nil, fmt.Errorf("the store has no version of %s before version %d; \"store versions %s\" lists the versions", project, now, project)
		case errors.Is(err, pgx.ErrNoRows):
			return nil, noVersion(project, number)
		case err != nil:
			return nil, err
		case number == now:
			return nil, nil
		}
		return announced(project, number), serve(ctx, tx, project, id)
	})
	return number, err
}

// Remove removes a version of a project that is not served, or, for 0, the project with all versions, and their files that no
// other version has. Replicas remove these files from their caches, and go on to serve a project that is removed.
func Remove(ctx context.Context, db *database.DB, project string, number int) error {
	ctx, cancel := context.WithTimeout(ctx, statementTime)
	defer cancel()
	return db.Change(ctx, lock, func(ctx context.Context, tx pgx.Tx) ([]database.Change, error) {
		var exists, served bool
		if err := tx.QueryRow(ctx, `SELECT count(*) > 0, coalesce(bool_or(p.tree = t.id), false) FROM mcp_docs.trees t JOIN mcp_docs.projects p ON p.name = t.project
			WHERE t.project = $1 AND (t.number = $2 OR $2 = 0)`, project, number).Scan(&exists, &served); err != nil {
			return nil, err
		}
		switch {
		case !exists && number == 0:
			return nil, notPublished(project)
		case !exists:
			return nil, noVersion(project, number)
		case served && number != 0:
			return nil, fmt.Errorf("version %d of %s is served: publish another one, or roll back, and then remove it", number, project)
		}
		digests, err := collect(tx.Query(ctx, `SELECT DISTINCT f.digest FROM mcp_docs.tree_files f JOIN mcp_docs.trees t ON t.id = f.tree
			WHERE t.project = $1 AND (t.number = $2 OR $2 = 0)`, project, number))
		if err != nil {
			return nil, err
		}
		if _, err := tx.Exec(ctx, "DELETE FROM mcp_docs.projects WHERE name = $1 AND $2 = 0", project, number); err != nil {
			return nil, err
		}
		if _, err := tx.Exec(ctx, "DELETE FROM mcp_docs.trees WHERE project = $1 AND (number = $2 OR $2 = 0)", project, number); err != nil {
			return nil, err
		}
		_, err = tx.Exec(ctx, "DELETE FROM mcp_docs.blobs b WHERE digest = ANY($1) AND NOT EXISTS (SELECT FROM mcp_docs.tree_files f WHERE f.digest = b.digest)", digests)
		return []database.Change{{Project: project, Topic: Topic, Keys: []string{removed}}}, err
	})
}

// removed is the key of [Topic] that says that a version was removed.
const removed = "-"
