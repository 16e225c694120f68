package crawltool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/database"
)

// A table keeps jobs in the tables jobs and journal of a database.
type table struct {
	db      *database.DB
	project string
}

// DatabaseJobs returns the jobs of a project in a database. The lease of a job has the name that [LeaseName] returns.
func DatabaseJobs(db *database.DB, project string) Jobs { return &table{db, project} }

// LeaseName returns the name of the lease of a job in a database, which also guards the captures of the job.
func LeaseName(project, job string) string { return "job/" + project + "/" + job }

func (t *table) Close() error { return nil }

func (t *table) List(ctx context.Context, s selection) (list []entry, err error) {
	where, args := "", []any{t.project}
	if s.running {
		where = " AND NOT ended"
	}
	if s.owner != nil {
		where += " AND owner = $2"
		args = append(args, *s.owner)
	}
	err = t.db.Query(ctx, func(rows pgx.Rows) error {
		e, err := scan(rows)
		switch {
		case err == nil:
			list = append(list, e)
		case errors.Is(err, errDamaged):
			err = nil
		}
		return err
	}, "SELECT document, attended, cancel FROM mcp_docs.jobs WHERE project = $1"+where, args...)
	return list, err
}

func (t *table) Read(ctx context.Context, id string) (e entry, err error) {
	found := false
	err = t.db.Query(ctx, func(rows pgx.Rows) (err error) {
		found = true
		e, err = scan(rows)
		return err
	}, "SELECT document, attended, cancel FROM mcp_docs.jobs WHERE project = $1 AND id = $2", t.project, id)
	if err == nil && !found {
		err = fs.ErrNotExist
	}
	return e, err
}

func scan(rows pgx.Rows) (e entry, err error) {
	var document []byte
	if err := rows.Scan(&document, &e.attended, &e.cancel); err != nil {
		return e, err
	}
	if err := json.Unmarshal(document, &e.saved); err != nil {
		return e, fmt.Errorf("%w: %w", errDamaged, err)
	}
	return e, nil
}

// change runs a statement that changes the row of a job.
func (t *table) change(ctx context.Context, sql string, args ...any) error {
	n, err := t.db.Exec(ctx, sql, args...)
	if err == nil && n == 0 {
		err = fs.ErrNotExist
	}
	return err
}

func (t *table) Attend(ctx context.Context, id string, at time.Time) error {
	return t.change(ctx, "UPDATE mcp_docs.jobs SET attended = greatest(attended, $3) WHERE project = $1 AND id = $2", t.project, id, at)
}

func (t *table) Cancel(ctx context.Context, id string) error {
	return t.change(ctx, "UPDATE mcp_docs.jobs SET cancel = true WHERE project = $1 AND id = $2", t.project, id)
}

func (t *table) Remove(ctx context.Context, id string) error {
	_, err := t.db.Exec(ctx, "DELETE FROM mcp_docs.jobs WHERE project = $1 AND id = $2", t.project, id)
	return err
}

// window is how many bytes of a journal are read at a time, and about how many a row has at most.
const window = 1 << 20

func (t *table) Journal(ctx context.Context, id string, offset int64) (io.ReadCloser, error) {
	return &journalReader{t: t, ctx: ctx, id: id, offset: offset}, nil
}

// A journalReader reads the rows of a journal without a transaction: rows are only added at the end.
type journalReader struct {
	t      *table
	ctx    context.Context
	id     string
	offset int64 // of the next row
	read   bytes.Buffer
}

func (r *journalReader) Read(p []byte) (int, error) {
	if r.read.Len() == 0 {
		r.read.Reset()
		err := r.t.db.Query(r.ctx, func(rows pgx.Rows) error {
			var data []byte
			if err := rows.Scan(&data); err != nil {
				return err
			}
			r.offset += int64(len(data))
			r.read.Write(data)
			return nil
		}, `SELECT data FROM mcp_docs.journal WHERE project = $1 AND job = $2 AND "offset" >= $3 AND "offset" < $4 ORDER BY "offset"`,
			r.t.project, r.id, r.offset, r.offset+window)
		if err != nil {
			return 0, err
		}
	}
	return r.read.Read(p) // io.EOF if there are no more rows
}

func (r *journalReader) Close() error { return nil }

func (t *table) Lease(ctx context.Context, id string, fresh bool) (Lease, error) {
	held, err := t.db.Acquire(ctx, LeaseName(t.project, id))
	if err != nil {
		return nil, err
	}
	l := &tableLease{t: t, id: id, held: held, fresh: fresh}
	if !fresh { // an earlier holder cannot write any more
		err = t.db.Query(ctx, func(rows pgx.Rows) error { return rows.Scan(&l.end) },
			`SELECT "offset" + octet_length(data) FROM mcp_docs.journal WHERE project = $1 AND job = $2 ORDER BY "offset" DESC LIMIT 1`, t.project, id)
	}
	if err != nil {
		l.Release()
		return nil, err
	}
	return l, nil
}

type tableLease struct {
	t    *table
	id   string
	held *database.Lease

	mu    sync.Mutex // guards all fields below
	fresh bool       // the job has no row
	end   int64      // of the journal
	err   error      // why nothing can be written any more: the journal may have what the failed write wrote
}

func (l *tableLease) Save(ctx context.Context, s saved) error {
	document, err := json.Marshal(s)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	sql := "UPDATE mcp_docs.jobs SET document = $3, owner = $4, ended = $5 WHERE project = $1 AND id = $2"
	if l.fresh {
		sql = "INSERT INTO mcp_docs.jobs (project, id, document, owner, ended, attended) VALUES ($1, $2, $3, $4, $5, clock_timestamp())"
	}
	err = l.write(ctx, sql, document, s.Owner, s.State != running)
	l.fresh = l.fresh && err != nil
	return err
}

func (l *tableLease) Write(lines []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return 0, l.err
	}
	offsets, rows := []int64(nil), [][]byte(nil)
	end := l.end
	for rest := lines; len(rest) > 0; {
		row := rest
		if len(row) > window { // a row has whole lines
			row = row[:window]
			if last := bytes.LastIndexByte(row, '\n'); last >= 0 {
				row = row[:last+1]
			}
		}
		offsets, rows = append(offsets, end), append(rows, row)
		end += int64(len(row))
		rest = rest[len(row):]
	}
	if err := l.write(context.Background(), `INSERT INTO mcp_docs.journal (project, job, "offset", data) SELECT $1, $2, * FROM unnest($3::bigint[], $4::bytea[])`, offsets, rows); err != nil {
		l.err = err
		return 0, err
	}
	l.end = end
	return len(lines), nil
}

// write runs a statement in a transaction that fails if another replica has taken the lease.
func (l *tableLease) write(ctx context.Context, sql string, args ...any) error {
	return l.t.db.Tx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := l.held.Fence(ctx, tx); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, sql, append([]any{l.t.project, l.id}, args...)...)
		if err == nil && tag.RowsAffected() == 0 {
			return errors.New("the job was removed")
		}
		return err
	})
}

func (l *tableLease) Lost() <-chan struct{} { return l.held.Lost() }

func (l *tableLease) Release() { l.held.Release(context.Background()) }
