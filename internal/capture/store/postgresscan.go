package store

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/database"
)

func (e *postgresql) changed(keys []string, all bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.changes = append(e.changes, keys...)
	if e.all = e.all || all || len(e.changes) > manyChanges; e.all {
		e.changes = nil
	}
}

func (e *postgresql) again(key string) { e.changed([]string{folderName(key, "")}, false) }

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
	changes, all, since := e.changes, e.all, time.Since(e.refreshed)
	e.changes, e.all = nil, false
	e.mu.Unlock()
	defer func() {
		if err != nil {
			e.changed(changes, all)
		}
	}()
	var wanted []string
	if all {
		wanted, err = e.compare(ctx, known(), time.Time{}, &out)
	} else {
		wanted = unknown(changes, known)
	}
	if err == nil {
		out.found, err = e.load(ctx, wanted)
	}
	exists := make(map[string]bool)
	for _, f := range out.found {
		exists[f.Meta.Key] = true
	}
	out.gone = slices.DeleteFunc(wanted, func(key string) bool { return exists[key] })
	if err == nil && !all && since >= useEvery && e.evicts() {
		_, err = e.compare(ctx, nil, e.now().Add(-since-2*useEvery), &out) // replicas write a read up to a minute later
	}
	return out, err
}

// unknown returns the keys that the log names with another version than the index has. This replica has put the others.
func unknown(changes []string, known func(keys ...string) map[string]string) []string {
	last := make(map[string]string) // version by key
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

// compare reads the versions of all captures, and the times of reads, of captures that were read since a time. It returns
// the keys that have another version than the index.
func (e *postgresql) compare(ctx context.Context, index map[string]string, from time.Time, out *scanned) (differ []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, useEvery)
	defer cancel()
	began := time.Now()
	if err := e.db.Query(ctx, func(rows pgx.Rows) error {
		var r lastRead
		err := rows.Scan(&r.key, &r.version, &r.at)
		out.used = append(out.used, r)
		if index[r.key] != r.version {
			differ = append(differ, r.key)
		}
		delete(index, r.key)
		return err
	}, "SELECT key, version, used FROM mcp_docs.captures WHERE project = $1 AND used > $2", e.project, from); err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.refreshed = began
	return slices.AppendSeq(differ, maps.Keys(index)), nil
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
	if e.lease != nil && e.lease.Held() {
		return e.lease
	}
	return nil
}

func (e *postgresql) evicts() bool { return e.held() != nil }

// lead acquires the lease to remove captures if no replica has it. Only the goroutine of [Store.Run] calls it.
func (e *postgresql) lead(ctx context.Context) {
	if e.held() != nil || time.Since(e.asked) < leaseEvery {
		return
	}
	e.asked = time.Now()
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
