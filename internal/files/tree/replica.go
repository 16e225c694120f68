package tree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
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

// served is a version of a project in the store.
type served struct {
	Version
	number    int
	digest    Digest // of the tree: numbers come back when the store is restored
	published time.Time
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
	removed atomic.Bool   // a version may have been removed from the store
	failed  string        // the last reported error; only Follow uses it
}

// Open fetches the version of a project that is served now. If that fails, it takes the version that was served last, if
// the cache has all its files; otherwise it waits until the store can be reached. Call it before [database.DB.Run].
func Open(ctx context.Context, db *database.DB, cache *Cache, project string, logger *slog.Logger) (*Replica, error) {
	if err := CheckName(project); err != nil {
		return nil, err
	}
	r := &Replica{db: db, cache: cache, project: project, logger: logger, wake: make(chan struct{}, 1)}
	cache.onLoss(func() {
		r.lost.Store(true)
		r.check()
	})
	db.Watch(project, Topic, func(keys []string, all bool) {
		if all || slices.Contains(keys, removed) {
			r.removed.Store(true)
		}
		r.check()
	})
	last := cache.load(ctx, project)
	if last != nil {
		r.replace(last)
	}
	for waiting := false; ; waiting = true {
		_, _, err := r.fetch(ctx)
		switch {
		case err == nil:
			r.save()
			return r, nil
		case ctx.Err() != nil:
			return nil, err
		case last != nil:
			logger.Warn(fmt.Sprintf("%v; serving version %d of %s from the cache", r.explain(err), last.number, last.published.UTC().Format(time.RFC3339)))
			return r, nil
		case !errors.Is(err, database.ErrUnreachable):
			return nil, r.explain(err)
		case !waiting:
			logger.Warn(fmt.Sprintf("%v; the cache has no version of the project, so the start waits for the store", r.explain(err)))
		}
		select {
		case <-ctx.Done():
		case <-time.After(retryLeast):
			_ = db.Connect(ctx) // the next fetch fails with the error
		}
	}
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

// Age returns the time since that version was published.
func (r *Replica) Age() time.Duration { return r.db.Now().Sub(r.now.Load().published) }

// Follow fetches new versions until ctx ends, and calls changed after it has replaced one.
func (r *Replica) Follow(ctx context.Context, changed func(Change)) {
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
		if r.removed.Swap(false) {
			r.cache.forget(r.project)
			sweep.Reset(retired)
		}
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

// fetch fetches the version of the store if it differs from the current one, and copies that were lost.
func (r *Replica) fetch(ctx context.Context) (c Change, replaced bool, err error) {
	r.cache.fetching.RLock()
	defer r.cache.fetching.RUnlock()
	now, lost := r.now.Load(), r.lost.Swap(false)
	defer func() {
		if err != nil && lost {
			r.lost.Store(true)
		}
	}()
	next, id, err := r.head(ctx)
	if err != nil {
		return c, false, err
	}
	same := now != nil && now.digest == next.digest
	if same {
		next.Version = now.Version
	} else if next.tree, err = r.read(ctx, next, id); err != nil {
		return c, false, err
	}
	if !same || lost {
		lacking, err := r.cache.missing(ctx, next.tree.entries, now == nil || lost)
		if err == nil {
			err = transfer(ctx, "fetching", lacking, fetchFiles, fetchBytes, r.copy)
		}
		if err != nil {
			return c, false, err
		}
	}
	if same {
		r.now.Store(next) // with another number, after the store was restored
		return c, false, nil
	}
	old := new(Tree)
	if now != nil {
		old = now.tree
	}
	r.replace(next)
	return changes(old, next.tree), true, nil
}

// head returns the version in the store, without its files, and the number of its row.
func (r *Replica) head(ctx context.Context) (v *served, id int64, err error) {
	v = &served{Version: Version{cache: r.cache}}
	err = r.db.Query(ctx, func(rows pgx.Rows) error { return rows.Scan(&id, &v.number, &v.digest, &v.published) },
		"SELECT t.id, t.number, t.digest, t.published FROM mcp_docs.projects p JOIN mcp_docs.trees t ON t.id = p.tree WHERE p.name = $1", r.project)
	if err == nil && v.number == 0 {
		err = notPublished(r.project)
	}
	return v, id, err
}

// read returns the files of a version. Its row may have been removed or replaced since head: then the digest differs.
func (r *Replica) read(ctx context.Context, v *served, id int64) (*Tree, error) {
	ctx, cancel := context.WithTimeout(ctx, statementTime)
	defer cancel()
	var entries []Entry
	err := r.db.Query(ctx, func(rows pgx.Rows) error {
		var path pgtype.DriverBytes
		var e Entry
		var size *int64
		if err := rows.Scan(&path, &e.Modified, &e.Digest, &size); err != nil {
			return err
		}
		if size == nil {
			return fmt.Errorf("the store lacks the file %q; publish the project again", path)
		}
		e.Path, e.Size = string(path), *size
		entries = append(entries, e)
		return nil
	}, "SELECT f.path, f.modified, f.digest, b.bytes FROM mcp_docs.tree_files f LEFT JOIN mcp_docs.blobs b ON b.digest = f.digest WHERE f.tree = $1", id)
	if err != nil {
		return nil, err
	}
	t, err := New(entries)
	if err == nil && t.Digest() != v.digest {
		err = errors.New("the list of its files is damaged, or has just been removed")
	}
	if err != nil {
		return nil, fmt.Errorf("version %d in the store cannot be served: %w; publish the project again", v.number, err)
	}
	return t, nil
}

// copy fetches files into the cache.
func (r *Replica) copy(ctx context.Context, entries []Entry) error {
	w := copying{cache: r.cache}
	defer w.abandon()
	digests := make([]Digest, len(entries))
	for i, e := range entries {
		digests[i] = e.Digest
	}
	var failed error // of the disk, and not of the store
	err := r.db.Query(ctx, func(rows pgx.Rows) error {
		var digest Digest
		var part pgtype.DriverBytes
		if err := rows.Scan(&digest, &part); err != nil {
			return err
		}
		failed = w.write(digest, part)
		return failed
	}, "SELECT digest, data FROM mcp_docs.blob_parts WHERE digest = ANY($1) ORDER BY digest, part", digests)
	if err = cmp.Or(failed, err); err == nil {
		err = w.end()
	}
	if err == nil && w.written < len(digests) {
		err = errors.New("files of the version were removed from the store while they were fetched, because others were published")
	}
	return err
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
