// Package crawltool implements the tool crawl, which captures sites into the store, as jobs that run in the
// background.
//
// A job is a crawl of package crawl. Its keeper puts each page into the store, where it becomes a resource of the
// job's caller at once. While a job runs, its pages are pinned, so other captures do not displace them. If the store
// is full, the job fails with the error of the store, which names the limit. After an hour without a request for the
// job, its pages are unpinned until the next request. Other processes with the same folder pin them too, at most
// [guardEvery] later.
//
// If captures are files, a job is a subfolder of [Folder]: job.json describes it, and journal.jsonl records its
// events, one a line. So a job survives a kill: [Manager.Run] continues jobs that no other process has locked, and
// repeats only the requests that were in progress. Headers and actions may be secret and are not saved: a job that
// has some fails after a kill, and must be started again. Other processes see the job, and cancel it with a file that
// its process looks for once a second.
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
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/conversion"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/firecrawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/llm"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/pause"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/store"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
)

// Folder is the subfolder of the captures with the jobs. It is hidden.
const Folder = ".jobs"

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
	Files     *rootfs.FS  // the folder of captures, which becomes private; nil: jobs end with the process
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
	others  otherJobs

	mu     sync.Mutex // guards all fields below
	jobs   map[string]*job
	order  []string // ids, the oldest first
	closed bool
}

// New returns a manager.
func New(o Options) (*Manager, error) {
	if o.Pause == nil {
		o.Pause = pause.For
	}
	m := &Manager{options: o, jobs: make(map[string]*job)}
	m.ctx, m.end = context.WithCancel(context.Background())
	if o.Files != nil {
		o.Files.KeepPrivate()
		files, err := o.Files.OpenFolder(Folder, true)
		if err != nil {
			return nil, err
		}
		m.options.Files = files
	}
	return m, nil
}

// Run continues jobs of processes that have ended, removes expired jobs, and runs jobs until ctx ends. Then it closes
// its folder.
func (m *Manager) Run(ctx context.Context) {
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	guard := time.NewTicker(guardEvery)
	defer guard.Stop()
	m.sweep()
	m.guard()
	for ctx.Err() == nil {
		select {
		case <-ticker.C:
			m.sweep()
		case <-guard.C:
			m.guard()
		case <-ctx.Done():
		}
	}
	m.mu.Lock()
	m.closed = true
	m.mu.Unlock()
	m.end()
	m.work.Wait()
	if m.options.Files != nil {
		_ = m.options.Files.Close()
	}
}

// sweep continues jobs that no process runs, and cleans up jobs that have ended.
func (m *Manager) sweep() {
	if m.options.Files == nil {
		return
	}
	names, err := m.options.Files.Names(".")
	if err != nil {
		m.options.Logger.Warn("the jobs of crawls cannot be read", "error", err)
	}
	for _, id := range names {
		m.mu.Lock()
		j := m.jobs[id]
		m.mu.Unlock()
		if j == nil || !j.owned {
			if j, err = m.peek(id); err != nil {
				m.options.Logger.Debug("a job of a crawl cannot be read", "job", id, "error", err)
				continue
			}
		}
		switch {
		case j.state() != running:
			m.tidy(j)
		case !j.owned:
			m.takeUp(id)
		}
	}
}

// tidy cleans up after a job whose process was killed before it could: it cancels the crawl at Firecrawl, and removes
// the job if it has expired.
func (m *Manager) tidy(j *job) {
	expired := j.expired()
	remove := func() {
		if expired {
			_ = m.options.Files.RemoveFolder(j.id)
		}
	}
	if r := j.remote(); r != nil && r.Open && m.options.Firecrawl != nil {
		m.work.Go(func() {
			_ = j.cancelRemote() // tried again by each sweep, until the job expires
			remove()
		})
		return
	}
	remove()
}

// takeUp continues a job, unless another process has locked it.
func (m *Manager) takeUp(id string) {
	release, err := m.options.Files.Lock(id + "/lock")
	if errors.Is(err, rootfs.ErrLocked) {
		return
	}
	if err == nil {
		err = m.resume(id, release)
	}
	if err != nil {
		level := slog.LevelWarn
		if errors.Is(err, errMany) || errors.Is(err, errManyOfOne) {
			level = slog.LevelDebug // tried again when another job has ended
		}
		m.options.Logger.Log(m.ctx, level, "a crawl cannot be continued", "job", id, "error", err)
	}
}

// resume runs a job that was just locked, unless it has ended.
func (m *Manager) resume(id string, release func()) error {
	j, err := m.load(id)
	if err != nil || j.state() != running {
		release()
		return err
	}
	r := j.saved.Firecrawl
	if r != nil && m.options.Firecrawl == nil { // left to a process with Firecrawl
		release()
		return nil
	}
	if j.saved.SecretsOmitted && (r == nil || r.Asked.IsZero()) {
		j.finish(failed, "it was started with headers or actions, which are not saved, and the server was restarted since: start it again")
		release()
		m.keep(j)
		return nil
	}
	return m.launch(j, release)
}

// errMany and errManyOfOne report that no more jobs can be started.
var (
	errMany      = errors.New("8 crawls are running, which is the limit: wait until one ends, or cancel one")
	errManyOfOne = errors.New("of your crawls are running, which is the limit for now, as others use the server too: wait until one ends, or cancel one")
)

// launch runs a job. release unlocks it at the end.
func (m *Manager) launch(j *job, release func()) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	count, ours := 0, 0
	for _, other := range m.jobs {
		if other.state() == running && other.owned {
			count++
			if other.saved.Owner == j.saved.Owner {
				ours++
			}
		}
	}
	var err error
	switch {
	case m.closed:
		err = errors.New("the server ends")
	case count >= maxRunning:
		err = errMany
	case j.saved.Shared && ours >= maxRunning-count:
		err = fmt.Errorf("%d %w", ours, errManyOfOne)
	}
	if err != nil {
		release()
		return err
	}
	j.owned = true
	m.remember(j)
	ctx, cancel := context.WithCancel(m.ctx)
	j.cancel = cancel
	m.work.Go(func() {
		defer release()
		defer cancel()
		j.run(ctx)
	})
	return nil
}

// keep remembers a job that this process does not run.
func (m *Manager) keep(j *job) {
	j.journal = nil
	m.mu.Lock()
	defer m.mu.Unlock()
	m.remember(j)
}

// remember remembers a job. If there are too many, it forgets the oldest ended job of the caller that has the most
// jobs. The caller holds m.mu.
func (m *Manager) remember(j *job) {
	if _, known := m.jobs[j.id]; !known { // jobs on disk are found in any order
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
			return
		}
		delete(m.jobs, oldest.id)
		m.order = slices.DeleteFunc(m.order, func(id string) bool { return id == oldest.id })
		if m.options.Files != nil {
			_ = m.options.Files.RemoveFolder(oldest.id)
		}
	}
}

// find returns a job of a caller.
func (m *Manager) find(id, owner string) (*job, bool) {
	m.mu.Lock()
	j := m.jobs[id]
	m.mu.Unlock()
	if (j == nil || !j.owned && j.state() == running) && m.options.Files != nil && validID(id) { // another process may run it
		if fresh, err := m.load(id); err == nil {
			j = fresh
			m.keep(j)
		}
	}
	if j == nil || j.saved.Owner != owner || j.expired() {
		return nil, false
	}
	j.touch()
	return j, true
}

// all returns the jobs of a caller, the oldest first.
func (m *Manager) all(owner string) (list []*job) {
	if m.options.Files != nil {
		names, _ := m.options.Files.Names(".")
		for _, id := range names {
			m.mu.Lock()
			j := m.jobs[id]
			m.mu.Unlock()
			if j == nil || j.saved.Owner == owner && !j.owned && j.state() == running {
				m.find(id, owner)
			}
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range m.order {
		if j := m.jobs[id]; j.saved.Owner == owner && !j.expired() {
			j.touch()
			list = append(list, j)
		}
	}
	return list
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
