package tree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/database"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/fserr"
)

const (
	// retryLeast and retryMost are the pauses between attempts to fetch a version.
	retryLeast = time.Second
	retryMost  = 30 * time.Second
	// fetchFiles and fetchBytes limit the files that one statement reads, unless a file is larger.
	fetchFiles = 1000
	fetchBytes = 64 << 20
)

// served is a version with its place in the store.
type served struct {
	Version
	id     int64
	number int
	digest Digest // of the tree
}

// A Replica has the version of a project that is served now. As a file system, it always has the files of the newest
// version; a reader that must not see two versions takes one of them with [Replica.Now].
type Replica struct {
	db      *database.DB
	cache   *Cache
	project string
	logger  *slog.Logger
	now     atomic.Pointer[served]
	wake    chan struct{} // has room for one
	lost    atomic.Bool   // a copy in the cache is damaged
	failed  string        // the last reported error; only Follow uses it
}

// Open fetches the version of a project that is served now. If that fails, it takes the version that was served last, if
// the cache has all of it. Call it before [database.DB.Run]. db is nil if the store cannot be reached.
func Open(ctx context.Context, db *database.DB, cache *Cache, project string, logger *slog.Logger) (*Replica, error) {
	if err := CheckName(project); err != nil {
		return nil, err
	}
	r := &Replica{db: db, cache: cache, project: project, logger: logger, wake: make(chan struct{}, 1)}
	cache.onLoss(func() {
		r.lost.Store(true)
		r.check()
	})
	if db != nil {
		db.Watch(project, Topic, func([]string, bool) { r.check() })
	}
	last := cache.load(project)
	if last != nil {
		lacking, err := cache.missing(ctx, last.tree.entries, true)
		if err != nil {
			return nil, err
		}
		if len(lacking) == 0 {
			r.replace(last)
		}
	}
	_, _, err := r.fetch(ctx)
	switch {
	case err == nil:
		r.save()
	case ctx.Err() == nil && r.now.Load() != nil:
		logger.Warn(fmt.Sprintf("%v; serving version %d from the cache", r.explain(err), last.number))
	default:
		return nil, r.explain(err)
	}
	return r, nil
}

// explain adds to an error what it is about.
func (r *Replica) explain(err error) error {
	if fserr.Full(err) {
		return fmt.Errorf("project %s: --cache-dir %s: %s", r.project, r.cache.dir, fserr.Reason(err))
	}
	return fmt.Errorf("project %s: %w", r.project, err)
}

// check has Follow compare the version that is served with the store.
func (r *Replica) check() {
	select {
	case r.wake <- struct{}{}:
	default: // it will do so
	}
}

// Number returns the number of the version that is served.
func (r *Replica) Number() int { return r.now.Load().number }

// Follow fetches new versions until ctx ends, and calls changed after it has replaced one.
func (r *Replica) Follow(ctx context.Context, changed func(Change)) {
	if r.db == nil {
		<-ctx.Done()
		return
	}
	pause := retryLeast
	retry, sweep := time.NewTimer(0), time.NewTimer(retired)
	defer retry.Stop()
	defer sweep.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-sweep.C:
			if err := r.cache.sweep(ctx); err != nil && ctx.Err() == nil {
				r.logger.Warn("old files of the cache were not removed", "error", fserr.Reason(err))
			}
			continue
		case <-r.wake:
		case <-retry.C:
		}
		change, replaced, err := r.fetch(ctx)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			if err = r.explain(err); err.Error() != r.failed {
				r.failed = err.Error()
				r.logger.Error(fmt.Sprintf("%v; version %d stays in place, and the new one is tried again", err, r.Number()))
			}
			retry.Reset(pause)
			pause = min(2*pause, retryMost)
			continue
		}
		r.failed, pause = "", retryLeast
		if !replaced {
			continue
		}
		changed(change)
		r.logger.Info("serving another version from the store", "project", r.project, "version", r.Number(), "changed files", len(change.Files))
		r.save()
		sweep.Reset(retired)
	}
}

// save keeps the list of files, which another start can do without.
func (r *Replica) save() {
	if err := r.cache.save(r.project, r.now.Load()); err != nil {
		r.logger.Warn("the version is not kept for a start without the store", "error", fserr.Reason(err))
	}
}

func (r *Replica) replace(v *served) {
	r.cache.use(r.project, v.tree)
	r.now.Store(v)
}

// fetch fetches the version of the store if it is another one, and copies that were lost.
func (r *Replica) fetch(ctx context.Context) (c Change, replaced bool, err error) {
	if r.db == nil {
		return c, false, database.ErrUnreachable
	}
	r.cache.fetching.RLock()
	defer r.cache.fetching.RUnlock()
	now := r.now.Load()
	old := now
	if old == nil {
		old = &served{Version: Version{new(Tree), r.cache}}
	}
	next, changed, err := r.read(ctx, old)
	if err != nil {
		return c, false, err
	}
	lost := r.lost.Swap(false)
	if lost {
		changed = next.tree.entries
	}
	lacking, err := r.cache.missing(ctx, changed, now == nil || lost)
	if err == nil {
		err = r.copy(ctx, lacking)
	}
	if err != nil {
		if lost {
			r.lost.Store(true)
		}
		return c, false, err
	}
	if next == now {
		return c, false, nil
	}
	r.replace(next)
	return changes(old.tree, next.tree), true, nil
}

// read reads the version in the store as the difference to another version, which it returns if it is the same. It also
// returns the new files, and those with other bytes or times.
func (r *Replica) read(ctx context.Context, old *served) (next *served, changed []Entry, err error) {
	ctx, cancel := context.WithTimeout(ctx, statementTime)
	defer cancel()
	err = r.db.Tx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		// The old version must not go between the statements.
		if _, err := tx.Exec(ctx, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY"); err != nil {
			return err
		}
		next = &served{}
		base := old
		var digest []byte
		var there bool
		var compared int64
		err := tx.QueryRow(ctx, `SELECT t.id, t.number, t.digest, coalesce(t.base, 0), EXISTS (SELECT FROM mcp_docs.trees WHERE id = $2 AND digest = $3)
			FROM mcp_docs.projects p JOIN mcp_docs.trees t ON t.id = p.tree WHERE p.name = $1`, r.project, old.id, old.digest[:]).Scan(&next.id, &next.number, &digest, &compared, &there)
		if errors.Is(err, pgx.ErrNoRows) {
			return notPublished(r.project)
		} else if err != nil {
			return err
		}
		if !there {
			base = &served{Version: Version{new(Tree), r.cache}}
		}
		if next.id == base.id {
			next = base
			return nil
		}
		if changed, err = difference(ctx, tx, base.id, next.id, compared); err != nil {
			return err
		}
		t := base.tree.with(changed)
		err = t.check(changed)
		if next.digest = t.Digest(); err == nil && string(next.digest[:]) != string(digest) {
			err = errors.New("the list of its files is damaged")
		}
		if err != nil {
			return fmt.Errorf("version %d in the store cannot be served: %w; publish the project again", next.number, err)
		}
		next.Version = Version{t, r.cache}
		return nil
	})
	if next != nil && next == old {
		changed = nil
	}
	return next, slices.DeleteFunc(changed, func(e Entry) bool { return e.Size == removed }), err
}

// difference returns what replaces the files of a version in the store in another version, for [Tree.with]. compared is the
// version for which the store has the answer.
func difference(ctx context.Context, tx pgx.Tx, old, next, compared int64) (changed []Entry, err error) {
	sql, args := differenceSQL, []any{next, old}
	if old != 0 && old == compared {
		sql, args = "SELECT path, modified, digest FROM mcp_docs.tree_changes WHERE tree = $1", args[:1]
	}
	err = of(tx)(ctx, func(rows pgx.Rows) error {
		var path, digest []byte
		var modified, size *int64
		if err := rows.Scan(&path, &modified, &digest, &size); err != nil {
			return err
		}
		e := Entry{Path: string(path), Size: removed}
		if modified != nil {
			if len(digest) != len(e.Digest) || size == nil {
				return fmt.Errorf("the store lacks the file %q; publish the project again", path)
			}
			e.Modified, e.Size, e.Digest = *modified, *size, Digest(digest)
		}
		changed = append(changed, e)
		return nil
	}, "SELECT d.path, d.modified, d.digest, b.bytes FROM ("+sql+") d LEFT JOIN mcp_docs.blobs b ON b.digest = d.digest", args...)
	slices.SortFunc(changed, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
	return changed, err
}

// copy fetches files into the cache.
func (r *Replica) copy(ctx context.Context, entries []Entry) error {
	for len(entries) > 0 {
		n, size := 0, int64(0)
		digests := make([][]byte, 0, min(len(entries), fetchFiles))
		for n < len(entries) && n < fetchFiles && (n == 0 || size+entries[n].Size <= fetchBytes) {
			size += entries[n].Size
			digests = append(digests, entries[n].Digest[:])
			n++
		}
		if err := r.copyBatch(ctx, digests, size); err != nil {
			return err
		}
		entries = entries[n:]
	}
	return nil
}

func (r *Replica) copyBatch(ctx context.Context, digests [][]byte, size int64) error {
	// A slow connection gets a second for each 100 KB.
	ctx, cancel := context.WithTimeout(ctx, statementTime+time.Duration(size/100_000)*time.Second)
	defer cancel()
	w := copying{cache: r.cache}
	defer w.abandon()
	found := make(map[Digest]bool, len(digests))
	var failed error // of the disk, and not of the store
	err := r.db.Query(ctx, func(rows pgx.Rows) error {
		var digest, part pgtype.DriverBytes
		if err := rows.Scan(&digest, &part); err != nil {
			return err
		}
		if len(digest) != len(Digest{}) {
			return errors.New("the store has a digest of another length")
		}
		found[Digest(digest)] = true
		failed = w.write(Digest(digest), part)
		return failed
	}, "SELECT digest, data FROM mcp_docs.blob_parts WHERE digest = ANY($1) ORDER BY digest, part", digests)
	if failed == nil && err == nil {
		failed = w.end()
	}
	if failed != nil || err != nil {
		return cmp.Or(failed, err)
	}
	if len(found) < len(digests) {
		return errors.New("files of the version were removed from the store while they were fetched, because others were published")
	}
	return nil
}

// Now returns the version that is served now; it never changes.
func (r *Replica) Now() fs.FS { return &r.now.Load().Version }

// Open implements [fs.FS].
func (r *Replica) Open(name string) (fs.File, error) { return r.now.Load().Open(name) }

// ReadDir implements [fs.ReadDirFS].
func (r *Replica) ReadDir(name string) ([]fs.DirEntry, error) { return r.now.Load().ReadDir(name) }

// Stat implements [fs.StatFS].
func (r *Replica) Stat(name string) (fs.FileInfo, error) { return r.now.Load().Stat(name) }

// Lstat implements [fs.ReadLinkFS].
func (r *Replica) Lstat(name string) (fs.FileInfo, error) { return r.now.Load().Stat(name) }

// ReadLink implements [fs.ReadLinkFS].
func (r *Replica) ReadLink(name string) (string, error) { return r.now.Load().ReadLink(name) }

// Entries yields what ReadDir returns.
func (r *Replica) Entries(name string) iter.Seq2[fs.DirEntry, error] {
	return r.now.Load().Entries(name)
}
