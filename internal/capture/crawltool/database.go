package crawltool

import (
	"context"
	"encoding/json"
	"io/fs"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/database"
)

// A table keeps jobs in the table jobs of a database, whose clock decides.
type table struct {
	db      *database.DB
	project string
}

// DatabaseJobs returns the jobs of a project in a database.
func DatabaseJobs(db *database.DB, project string) Jobs { return &table{db, project} }

func (t *table) Write(ctx context.Context, id string, d *document) (cancel bool, err error) {
	sql := "UPDATE mcp_docs.jobs SET sign = clock_timestamp() WHERE project = $1 AND id = $2 RETURNING cancel"
	args := []any{t.project, id}
	if d != nil {
		status, err := json.Marshal(d.status)
		if err != nil {
			return false, err
		}
		kept, err := json.Marshal(d.kept)
		if err != nil {
			return false, err
		}
		// The row may be missing if the database is an older copy of itself.
		sql = `INSERT INTO mcp_docs.jobs AS old (project, id, owner, status, kept, sign) VALUES ($1, $2, $3, $4, $5, clock_timestamp())
			ON CONFLICT (project, id) DO UPDATE SET status = excluded.status, kept = excluded.kept, sign = excluded.sign RETURNING old.cancel`
		args = append(args, d.Owner, status, kept)
	}
	found := false
	err = t.db.Query(ctx, func(rows pgx.Rows) error {
		found = true
		return rows.Scan(&cancel)
	}, sql, args...)
	if err == nil && !found {
		err = fs.ErrNotExist
	}
	return cancel, err
}

// visible is the condition for the jobs of a caller.
const visible = " WHERE project = $1 AND owner = $2 AND sign > clock_timestamp() - make_interval(secs => $3)"

func (t *table) List(ctx context.Context, owner string) (list []status, err error) {
	err = t.db.Query(ctx, func(rows pgx.Rows) error {
		var text []byte
		var quiet float64
		var s status
		if err := rows.Scan(&text, &quiet); err != nil {
			return err
		}
		if json.Unmarshal(text, &s) == nil {
			list = append(list, s.seen(time.Duration(quiet*float64(time.Second))))
		}
		return nil
	}, "SELECT status, extract(epoch FROM clock_timestamp() - sign)::float8 FROM mcp_docs.jobs"+visible, t.project, owner, jobTime.Seconds())
	return list, err
}

func (t *table) Read(ctx context.Context, owner, id string) (d *document, err error) {
	err = t.db.Query(ctx, func(rows pgx.Rows) error {
		var text, pages []byte
		var quiet float64
		if err := rows.Scan(&text, &pages, &quiet); err != nil {
			return err
		}
		var read document
		if json.Unmarshal(text, &read.status) == nil && json.Unmarshal(pages, &read.kept) == nil {
			read.status = read.seen(time.Duration(quiet * float64(time.Second)))
			d = &read
		}
		return nil
	}, "SELECT status, kept, extract(epoch FROM clock_timestamp() - sign)::float8 FROM mcp_docs.jobs"+visible+" AND id = $4",
		t.project, owner, jobTime.Seconds(), id)
	if err == nil && d == nil {
		err = fs.ErrNotExist
	}
	return d, err
}

func (t *table) Cancel(ctx context.Context, owner, id string) error {
	n, err := t.db.Exec(ctx, "UPDATE mcp_docs.jobs SET cancel = true"+visible+" AND id = $4", t.project, owner, jobTime.Seconds(), id)
	if err == nil && n == 0 {
		err = fs.ErrNotExist
	}
	return err
}

func (t *table) Remove(ctx context.Context, id string) error {
	_, err := t.db.Exec(ctx, "DELETE FROM mcp_docs.jobs WHERE project = $1 AND id = $2", t.project, id)
	return err
}

func (t *table) Tidy(ctx context.Context) error {
	_, err := t.db.Exec(ctx, "DELETE FROM mcp_docs.jobs WHERE project = $1 AND sign <= clock_timestamp() - make_interval(secs => $2)", t.project, jobTime.Seconds())
	return err
}
