package webtools

import (
	"cmp"
	"context"
	"encoding/json"
	"io/fs"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/crawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/database"
)

// Jobs shows the jobs of a process to the replicas with the same database: one row for each job. Only the
// process that runs a job writes its state. A job is visible until [jobTime] after its last sign of life. The error for a
// job that does not exist, or belongs to another caller, is [fs.ErrNotExist].
type Jobs interface {
	// Write gives a sign of life of a job, and replaces its document unless that is nil. It reports whether another process
	// wants to cancel the job.
	Write(ctx context.Context, id string, d *jobReport) (cancel bool, err error)
	// List returns the states of the jobs of a caller, in any order.
	List(ctx context.Context, owner string) ([]status, error)
	Read(ctx context.Context, owner, id string) (*jobReport, error)
	// Cancel asks the process that runs a job to cancel it.
	Cancel(ctx context.Context, owner, id string) error
	Remove(ctx context.Context, id string) error
	// Tidy removes the jobs whose last sign of life is older than [jobTime]: callers cannot see them any more.
	Tidy(ctx context.Context) error
}

const (
	// signEvery is how often a running job gives a sign of life.
	signEvery = time.Second
	// silence is how long a running job may give no sign of life until it counts as interrupted.
	silence = 10 * time.Second
	// jobTime is how long a job is visible after its end.
	jobTime = 24 * time.Hour
)

// States of jobs, as the tool reports them.
const (
	running     = "scraping"
	completed   = "completed"
	failed      = "failed"
	cancelled   = "cancelled"
	interrupted = "interrupted" // its process ended
)

// A document describes a job to callers and to other processes: its status, and its captures. A document is immutable.
type jobReport struct {
	status
	kept
}

// A status is the state of a job. It has no headers and no secrets.
type status struct {
	ID    string `json:"id"`
	Owner string `json:"owner,omitempty"`
	Site  string `json:"site"`
	// what the call captures; empty: the call had headers
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Created   time.Time       `json:"created"`
	Ended     time.Time       `json:"ended,omitzero"`
	State     string          `json:"state"`
	Why       string          `json:"why,omitempty"`
	Done      int             `json:"done"`
	Total     int             `json:"total"`
	Reused    int             `json:"reused,omitempty"`
	Errors    int             `json:"errors,omitempty"`
	Credits   float64         `json:"credits,omitempty"` // of Firecrawl
	Notes     []string        `json:"notes,omitempty"`
}

// kept has the captures of a job, and the URLs that it did not capture.
type kept struct {
	Pages  []result      `json:"pages"`
	Faults []fault       `json:"faults,omitempty"`
	Open   []crawl.Known `json:"open,omitempty"`
}

// A result is a captured page of a job.
type result struct {
	URL   string `json:"url"`
	Title string `json:"title,omitempty"`
	Key   string `json:"key"`
	Depth uint16 `json:"depth,omitempty"`
}

// A fault is a URL that was not captured.
type fault struct {
	URL   string `json:"url"`
	Error string `json:"error"`
}

// A table keeps jobs in the table jobs of a database, whose clock decides.
type jobTable struct {
	db      *database.DB
	project string
}

// DatabaseJobs returns the jobs of a project in a database.
func DatabaseJobs(db *database.DB, project string) Jobs { return &jobTable{db, project} }

func (t *jobTable) Write(ctx context.Context, id string, d *jobReport) (cancel bool, err error) {
	sql := "UPDATE mcp_docs.jobs SET sign = clock_timestamp() WHERE project = $1 AND id = $2 RETURNING cancel"
	args := []any{t.project, id}
	if d != nil {
		// The row may be missing if the database is an older copy of itself.
		sql = `INSERT INTO mcp_docs.jobs AS old (project, id, owner, status, kept, sign) VALUES ($1, $2, $3, $4, $5, clock_timestamp())
			ON CONFLICT (project, id) DO UPDATE SET status = excluded.status, kept = excluded.kept, sign = excluded.sign RETURNING old.cancel`
		args = append(args, d.Owner, asJSON(d.status), asJSON(d.kept))
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

func (t *jobTable) List(ctx context.Context, owner string) (list []status, err error) {
	reports, err := t.query(ctx, "NULL::bytea", "", t.project, owner, jobTime.Seconds())
	for _, d := range reports {
		list = append(list, d.status)
	}
	return list, err
}

func (t *jobTable) Read(ctx context.Context, owner, id string) (*jobReport, error) {
	list, err := t.query(ctx, "kept", " AND id = $4", t.project, owner, jobTime.Seconds(), id)
	if err != nil || len(list) == 0 {
		return nil, cmp.Or(err, fs.ErrNotExist)
	}
	return list[0], nil
}

// query returns the visible jobs for which a condition is true. kept is the column with [kept], or NULL.
func (t *jobTable) query(ctx context.Context, kept, condition string, args ...any) (list []*jobReport, err error) {
	err = t.db.Query(ctx, func(rows pgx.Rows) error {
		var text, pages []byte
		var quiet float64
		if err := rows.Scan(&text, &pages, &quiet); err != nil {
			return err
		}
		d := new(jobReport)
		if json.Unmarshal(text, &d.status) == nil && (pages == nil || json.Unmarshal(pages, &d.kept) == nil) {
			if d.State == running && quiet > silence.Seconds() {
				d.State = interrupted
			}
			list = append(list, d)
		}
		return nil
	}, "SELECT status, "+kept+", extract(epoch FROM clock_timestamp() - sign)::float8 FROM mcp_docs.jobs"+visible+condition, args...)
	return list, err
}

func (t *jobTable) Cancel(ctx context.Context, owner, id string) error {
	n, err := t.db.Exec(ctx, "UPDATE mcp_docs.jobs SET cancel = true"+visible+" AND id = $4", t.project, owner, jobTime.Seconds(), id)
	if err == nil && n == 0 {
		err = fs.ErrNotExist
	}
	return err
}

func (t *jobTable) Remove(ctx context.Context, id string) error {
	_, err := t.db.Exec(ctx, "DELETE FROM mcp_docs.jobs WHERE project = $1 AND id = $2", t.project, id)
	return err
}

func (t *jobTable) Tidy(ctx context.Context) error {
	_, err := t.db.Exec(ctx, "DELETE FROM mcp_docs.jobs WHERE project = $1 AND sign <= clock_timestamp() - make_interval(secs => $2)", t.project, jobTime.Seconds())
	return err
}
