package crawltool

import (
	"context"
	"io"
	"time"
)

// Jobs keeps jobs for several processes: of each job, what [saved] has, the journal, the time of the last request for
// it, and whether it shall be cancelled. Only the holder of the [Lease] of a job changes what is saved and the journal.
// The error for a job that does not exist is [fs.ErrNotExist].
type Jobs interface {
	// List returns the jobs that match, in any order.
	List(context.Context, selection) ([]entry, error)
	Read(ctx context.Context, id string) (entry, error)
	// Journal reads the journal of a job from an offset in bytes on, which is 0 or the end of a line.
	Journal(ctx context.Context, id string, offset int64) (io.ReadCloser, error)
	// Attend records that the caller of a job requested it.
	Attend(ctx context.Context, id string, at time.Time) error
	// Cancel asks the holder of the lease to cancel a job.
	Cancel(ctx context.Context, id string) error
	// Remove removes a job. It is not an error if the job does not exist.
	Remove(ctx context.Context, id string) error
	// Lease returns the lease of a job: [database.ErrHeld] if another process, or another call, has it. A fresh job does not exist
	// until it is saved.
	Lease(ctx context.Context, id string, fresh bool) (Lease, error)
	Close() error
}

// A Lease is the right to run a job, which one process has at a time. Its methods are safe for concurrent use.
type Lease interface {
	// Write appends whole lines to the journal: all of them or none, unless the process is killed. The error is [database.ErrLost]
	// if another process has taken the lease.
	io.Writer
	// Save replaces what is saved of the job. The error is [database.ErrLost] if another process has taken the lease.
	Save(context.Context, saved) error
	// Lost is closed when another process may have taken the lease. nil: that cannot happen.
	Lost() <-chan struct{}
	Release()
}

// An entry is a job as other processes see it.
type entry struct {
	saved
	attended time.Time // the last request for the job
	cancel   bool      // the job shall be cancelled
}

// A selection is a condition for jobs.
type selection struct {
	running bool    // only jobs that have not ended
	owner   *string // nil: any
}

func (s selection) matches(e *entry) bool {
	return (!s.running || e.State == running) && (s.owner == nil || e.Owner == *s.owner)
}
