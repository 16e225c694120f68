// Package crawltool implements the tool crawl, which captures sites into the store, as jobs that run in the
// background.
//
// A job is a crawl of package crawl. Its keeper puts each page into the store, where it becomes a resource of the
// job's caller at once. While a job runs, its pages are pinned, so other captures do not displace them. If the store
// is full, the job fails with the error of the store, which names the limit. After an hour without a request for the
// job, its pages are unpinned until the next request. Other processes with the same folder pin them too, at most
// [guardEvery] later.
//
// [Jobs] keeps jobs for several processes: a description of each job, and a journal of its events, one a line. So a job
// survives a kill: [Manager.Run] continues jobs whose [Lease] no other process has, and repeats only the requests that
// were in progress. Headers and actions may be secret and are not saved: a job that has some fails after a kill, and must
// be started again. Other processes see the job, and ask for its cancellation, which its process looks for once a second.
//
// Captures in files have their jobs in a subfolder, [FolderJobs]. Captures in memory have jobs that end with the process.
//
// # Firecrawl
//
// This program crawls a site itself, which costs nothing. If Firecrawl is configured, single pages that the site
// refuses are fetched through it. A site that refuses every page from the first one on is crawled by Firecrawl
// instead, in one crawl: then no page needs a futile request, and Firecrawl finds the pages too. The same holds for
// crawls with actions, and for all sites if the operator says so. job.json has the id of that crawl as soon as it is
// known, and before that the fact that it was requested, so another process can continue it: no page is paid for
// twice. Pages from Firecrawl are kept by the same rules as others. When the job ends, in whatever way, the crawl at
// the service is cancelled; if that fails, it is tried again at the next start.
//
// All jobs of a process share one client, with one budget of connections and the pace of each host. A job is bounded
// by its number of pages, [maxBytes] and [maxTime]; a process runs [maxRunning] jobs and remembers [maxJobs]. A
// caller may start another job only while more places are free than it has running jobs, as in package fairqueue: so
// the last place is for a caller that has none.
package crawltool

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/conversion"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/firecrawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/llm"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/pause"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/store"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/database"
)

const (
	maxRunning = 8
	maxJobs    = 200
	maxErrors  = 1000 // of a job
	maxBytes   = 2 << 30
	maxTime    = 12 * time.Hour
	// lookEvery is how often processes check jobs for changes by other processes.
	lookEvery = time.Second
	// sweepEvery is how often a process looks for jobs whose process was killed.
	sweepEvery = time.Minute
	// guardEvery is how often a process looks for jobs of other processes, to pin their pages.
	guardEvery = 5 * time.Second
)

// Options describe a manager.
type Options struct {
	Client    *webclient.Client
	Firecrawl *firecrawl.Strategy // nil: not configured
	Always    bool                // Firecrawl crawls all sites
	Store     *store.Store
	Jobs      Jobs        // closed by Run; nil: jobs end with the process
	LLM       *llm.Client // nil: the argument prompt is refused
	Converter *conversion.Converter
	Logger    *slog.Logger
	Now       func() time.Time
	// Pause waits before the next request to Firecrawl. nil: [pause.For]. Tests replace it.
	Pause func(ctx context.Context, d time.Duration) error
}

// A Manager runs jobs. It is safe for concurrent use.
type Manager struct {
	options Options
	ctx     context.Context // of all jobs
	end     context.CancelFunc
	work    sync.WaitGroup

	left atomic.Bool // jobs were left, or could not be read: sweep soon

	guarding sync.Mutex        // guards unpins
	unpins   map[string]func() // of running jobs of other processes

	mu     sync.Mutex // guards all fields below
	jobs   map[string]*job
	order  []string // ids, the oldest first
	closed bool
}

// New returns a manager.
func New(o Options) *Manager {
	if o.Pause == nil {
		o.Pause = pause.For
	}
	m := &Manager{options: o, jobs: make(map[string]*job)}
	m.ctx, m.end = context.WithCancel(context.Background())
	return m
}

// Run continues jobs of processes that have ended, removes expired jobs, and runs jobs until ctx ends. Then it closes
// [Options.Jobs].
func (m *Manager) Run(ctx context.Context) {
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	guard := time.NewTicker(guardEvery)
	defer guard.Stop()
	m.sweep(ctx)
	m.guard(ctx)
	for ctx.Err() == nil {
		select {
		case <-ticker.C:
			m.sweep(ctx)
		case <-guard.C:
			m.guard(ctx)
			if m.left.Swap(false) {
				m.sweep(ctx)
			}
		case <-ctx.Done():
		}
	}
	m.mu.Lock()
	m.closed = true
	m.mu.Unlock()
	m.end()
	m.work.Wait()
	if m.options.Jobs != nil {
		_ = m.options.Jobs.Close()
	}
}

// sweep continues jobs that no process runs, and cleans up jobs that have ended.
func (m *Manager) sweep(ctx context.Context) {
	if m.options.Jobs == nil {
		return
	}
	list, err := m.options.Jobs.List(ctx, selection{})
	switch {
	case elsewhere(err): // the store reports that it cannot be reached
		m.left.Store(true)
	case err != nil && ctx.Err() == nil:
		m.options.Logger.Warn("the jobs of crawls cannot be read", "error", err)
	}
	for _, e := range list {
		switch {
		case e.State != running:
			m.tidy(e.saved)
		case !m.owns(e.ID):
			m.takeUp(ctx, e.ID)
		}
	}
}

// owns reports whether this process runs a job.
func (m *Manager) owns(id string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	j := m.jobs[id]
	return j != nil && j.owned.Load()
}

// tidy cleans up after a job whose process was killed before it could: it cancels the crawl at Firecrawl, and removes
// the job if it has expired.
func (m *Manager) tidy(s saved) {
	j, err := m.restore(s)
	if err != nil {
		return
	}
	expired := j.expired()
	open := s.Firecrawl != nil && s.Firecrawl.Open && m.options.Firecrawl != nil
	if !expired && !open {
		return
	}
	m.work.Go(func() {
		if open {
			lease, err := m.options.Jobs.Lease(m.ctx, j.id, false)
			if err != nil {
				return
			}
			j.lease = lease
			_ = j.cancelRemote() // tried again by each sweep, until the job expires
			lease.Release()
		}
		if expired {
			_ = m.options.Jobs.Remove(m.ctx, j.id)
		}
	})
}

// takeUp continues a job, unless another process has its lease. It reports whether this process runs the job now.
func (m *Manager) takeUp(ctx context.Context, id string) bool {
	lease, err := m.options.Jobs.Lease(ctx, id, false)
	if errors.Is(err, database.ErrHeld) {
		return false
	}
	if err == nil {
		err = m.resume(ctx, id, lease)
	}
	if err != nil {
		level := slog.LevelWarn
		if errors.Is(err, errMany) || errors.Is(err, errManyOfOne) {
			level = slog.LevelDebug // tried again when another job has ended
		}
		m.options.Logger.Log(m.ctx, level, "a crawl cannot be continued", "job", id, "error", err)
	}
	return err == nil
}

// resume runs a job whose lease this process has just got, unless the job has ended.
func (m *Manager) resume(ctx context.Context, id string, lease Lease) error {
	j, err := m.load(ctx, id)
	if err != nil || j.state() != running {
		lease.Release()
		return err
	}
	r := j.saved.Firecrawl
	if r != nil && m.options.Firecrawl == nil { // left to a process with Firecrawl
		lease.Release()
		return nil
	}
	j.lease, j.resumes = lease, true
	if j.saved.SecretsOmitted && (r == nil || r.Asked.IsZero()) {
		err := j.finish(failed, "it was started with headers or actions, which are not saved, and the server was restarted since: start it again")
		lease.Release()
		m.keep(j)
		return err
	}
	return m.launch(j)
}

// errMany and errManyOfOne report that no more jobs can be started.
var (
	errMany      = errors.New("8 crawls are running, which is the limit: wait until one ends, or cancel one")
	errManyOfOne = errors.New("of your crawls are running, which is the limit for now, as others use the server too: wait until one ends, or cancel one")
)

// launch runs a job, and releases its lease at the end.
func (m *Manager) launch(j *job) error {
	forgotten, err := m.begin(j)
	if err != nil {
		j.release()
		return err
	}
	m.remove(forgotten)
	return nil
}

// begin runs a job, and returns the jobs that it forgets for it.
func (m *Manager) begin(j *job) (forgotten []string, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	count, ours := 0, 0
	for _, other := range m.jobs {
		if other.state() == running && other.owned.Load() {
			count++
			if other.saved.Owner == j.saved.Owner {
				ours++
			}
		}
	}
	switch {
	case m.closed:
		return nil, errors.New("the server ends")
	case count >= maxRunning:
		return nil, errMany
	case j.saved.Shared && ours >= maxRunning-count:
		return nil, fmt.Errorf("%d %w", ours, errManyOfOne)
	}
	j.owned.Store(true)
	forgotten = m.remember(j)
	ctx, cancel := context.WithCancelCause(m.ctx)
	j.cancel = cancel
	m.work.Go(func() {
		defer j.release()
		defer cancel(nil)
		j.run(ctx)
	})
	return forgotten, nil
}

// keep remembers a job that this process does not run.
func (m *Manager) keep(j *job) {
	m.mu.Lock()
	forgotten := m.remember(j)
	m.mu.Unlock()
	m.remove(forgotten)
}

// remove removes jobs that were forgotten.
func (m *Manager) remove(ids []string) {
	for _, id := range ids {
		if m.options.Jobs != nil {
			_ = m.options.Jobs.Remove(m.ctx, id)
		}
	}
}

// remember remembers a job. If there are too many, it forgets the oldest ended job of the caller that has the most
// jobs, and returns its id. The caller holds m.mu.
func (m *Manager) remember(j *job) (forgotten []string) {
	if _, known := m.jobs[j.id]; !known { // jobs are found in any order
		place := len(m.order)
		for place > 0 && m.jobs[m.order[place-1]].saved.Created.After(j.saved.Created) {
			place--
		}
		m.order = slices.Insert(m.order, place, j.id)
	}
	m.jobs[j.id] = j
	for len(m.order) > maxJobs {
		count := make(map[string]int)
		for _, other := range m.jobs {
			count[other.saved.Owner]++
		}
		var oldest *job
		for _, id := range m.order {
			if old := m.jobs[id]; old != j && old.state() != running && (oldest == nil || count[old.saved.Owner] > count[oldest.saved.Owner]) {
				oldest = old
			}
		}
		if oldest == nil {
			break
		}
		m.forget(oldest)
		forgotten = append(forgotten, oldest.id)
	}
	return forgotten
}

// forget is the opposite of remember. The caller holds m.mu.
func (m *Manager) forget(j *job) {
	if m.jobs[j.id] == j {
		delete(m.jobs, j.id)
		m.order = slices.DeleteFunc(m.order, func(id string) bool { return id == j.id })
	}
}

// errNoJob reports that a caller has no such job.
var errNoJob = errors.New("there is no such crawl")

// find returns a job of a caller. The error is errNoJob if there is none.
func (m *Manager) find(ctx context.Context, id, owner string) (*job, error) {
	m.mu.Lock()
	j := m.jobs[id]
	m.mu.Unlock()
	if m.options.Jobs != nil && (j == nil || !j.owned.Load() && j.state() == running) { // another process may run it
		fresh, err := j, error(nil)
		if j == nil {
			fresh, err = m.load(ctx, id)
		} else {
			err = j.refresh(ctx)
		}
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, errDamaged):
			return nil, errNoJob
		case err != nil:
			return nil, err
		case j == nil && fresh.saved.Owner == owner:
			m.keep(fresh)
		}
		j = fresh
	}
	if j == nil || j.saved.Owner != owner || j.expired() {
		return nil, errNoJob
	}
	j.touch(ctx)
	return j, nil
}

// all returns the jobs of a caller, the oldest first.
func (m *Manager) all(ctx context.Context, owner string) (list []*job, err error) {
	if m.options.Jobs != nil {
		entries, err := m.options.Jobs.List(ctx, selection{owner: &owner})
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if _, err := m.find(ctx, e.ID, owner); err != nil && !errors.Is(err, errNoJob) {
				return nil, err
			}
		}
	}
	m.mu.Lock()
	for _, id := range m.order {
		if j := m.jobs[id]; j.saved.Owner == owner && !j.expired() {
			list = append(list, j)
		}
	}
	m.mu.Unlock()
	for _, j := range list {
		j.touch(ctx)
	}
	return list, nil
}

// newID returns an id that cannot be guessed.
func newID() string {
	text := strings.ToLower(rand.Text())
	return text[:8] + "-" + text[8:16] + "-" + text[16:26]
}

// validID reports whether an id has the form of [newID]: it is the name of a folder.
func validID(id string) bool {
	if len(id) != 28 || id[8] != '-' || id[17] != '-' {
		return false
	}
	return strings.Trim(id, "abcdefghijklmnopqrstuvwxyz234567-") == ""
}
