package store

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

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
