// Package crawltool has the tool crawl, which captures sites into the store, as jobs that go on while
// nobody waits.
//
// A job is a crawl of package crawl whose keeper puts each page into the store, where it is a
// resource of the caller of the job at once. While a job runs, its pages are pinned: none goes for
// another capture. If there is no room, the job fails with the error of the store, which names the
// limit. After an hour in which nobody asked for the job, its pages are as all others, until somebody
// does. Other processes with the same folder pin them too, from at most [guardEvery] later on.
//
// Where captures are files, a job is a folder below [Folder]: job.json says what it is, and
// journal.jsonl what became known, a line each. So a job goes on after a kill: [Manager.Run] takes
// up what no other process has, which a lock says; what is repeated is what was being asked. Headers
// and actions are not saved: a job that has some, which may be secret, fails then, and is to be
// started again. Another process sees the job, and cancels it by a file, for which its owner looks
// once a second.
//
// # Firecrawl
//
// A site is asked by this program first, which costs nothing. If Firecrawl is configured, pages that
// a site refuses come from there, one by one, in a crawl that goes on here. A site that refuses all,
// from its first page on, is crawled by Firecrawl instead, in one crawl of its own: no request is
// made in vain for each page, and pages are found by its means too. So is one whose pages need
// actions, and every site where the operator says so. The id of that crawl is in job.json as soon as
// it is known, and that it is asked for before that, so another process goes on with it: no page is
// paid for twice. What comes is kept by the rules for pages that are asked for here. Whatever ends
// the job, the crawl there is cancelled; what cannot be cancelled is tried again at the next start.
//
// All jobs of a process ask through one client, which has one budget of connections for all and the
// pace of each host. A job is bounded by its pages, [maxBytes] and [maxTime]; a process runs
// [maxRunning] jobs and remembers [maxJobs]. One of several callers starts another job while more
// places are free than it has jobs, as in package fairqueue: so the last one is for who has none.
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

// Folder is where jobs are, below the folder of the captures. It is hidden.
const Folder = ".jobs"

const (
	maxRunning = 8
	maxJobs    = 200
	maxErrors  = 1000 // that a job remembers
	maxBytes   = 2 << 30
	maxTime    = 12 * time.Hour
	// lookEvery is how often processes look at what others do to a job.
	lookEvery = time.Second
	// sweepEvery is how often a process looks for jobs whose own process was killed.
	sweepEvery = time.Minute
	// guardEvery is how often a process looks for jobs of others whose pages it must not remove.
	guardEvery = 5 * time.Second
)

// Options describe a manager.
type Options struct {
	Client    *webclient.Client
	Firecrawl *firecrawl.Strategy // nil: it is not configured
	Always    bool                // Firecrawl crawls every site
	Store     *store.Store
	Files     *rootfs.FS  // the folder of captures, which is kept private; nil: jobs end with the process
	LLM       *llm.Client // nil: there is no prompt
	Converter *conversion.Converter
	Logger    *slog.Logger
	Now       func() time.Time
	// Pause waits before Firecrawl is asked again. nil: by the clock. Tests need not wait.
	Pause func(ctx context.Context, d time.Duration) error
}

// A Manager runs jobs. It is safe for concurrent use.
type Manager struct {
	options Options
	ctx     context.Context // of all jobs
	end     context.CancelFunc
	work    sync.WaitGroup
	others  others

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

// Run takes up the jobs that were running when another process ended, removes those that expired,
// and runs jobs until ctx ends. Then it closes its folder.
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

// sweep takes up what no process runs, and tidies up what has ended.
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

// tidy ends what a job that has ended left behind: a process was killed before it could.
func (m *Manager) tidy(j *job) {
	expired := j.expired()
	remove := func() {
		if expired {
			_ = m.options.Files.RemoveFolder(j.id)
		}
	}
	if r := j.remote(); r != nil && r.Open && m.options.Firecrawl != nil {
		m.work.Go(func() {
			_ = j.leave() // it is tried again, until the job is forgotten
			remove()
		})
		return
	}
	remove()
}

// takeUp goes on with a job that is not in another process.
func (m *Manager) takeUp(id string) {
	release, err := m.options.Files.Lock(id + "/lock")
	if errors.Is(err, rootfs.ErrLocked) {
		return
	}
	if err == nil {
		err = m.goOn(id, release)
	}
	if err != nil {
		level := slog.LevelWarn
		if errors.Is(err, errMany) || errors.Is(err, errManyOfOne) {
			level = slog.LevelDebug // it goes on when another has ended
		}
		m.options.Logger.Log(m.ctx, level, "a crawl cannot go on", "job", id, "error", err)
	}
}

// goOn runs a job that was locked, unless it has ended meanwhile.
func (m *Manager) goOn(id string, release func()) error {
	j, err := m.load(id)
	if err != nil || j.state() != running {
		release()
		return err
	}
	r := j.saved.Firecrawl
	if r != nil && m.options.Firecrawl == nil { // a process that can ask Firecrawl goes on
		release()
		return nil
	}
	if j.saved.Partial && (r == nil || r.Asked.IsZero()) {
		j.finish(failed, "it was started with headers or actions, which are not saved, and the server was started again since: start it again")
		release()
		m.keep(j)
		return nil
	}
	return m.launch(j, release)
}

// errMany reports that no more jobs can be started.
var (
	errMany      = errors.New("8 crawls are running, which is the limit: wait until one ends, or cancel one")
	errManyOfOne = errors.New("of your crawls are running, which is the limit for now, as others use the server too: wait until one ends, or cancel one")
)

// launch runs a job. release gives its lock back.
func (m *Manager) launch(j *job, release func()) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	count, own := 0, 0
	for _, other := range m.jobs {
		if other.state() == running && other.owned {
			count++
			if other.saved.Owner == j.saved.Owner {
				own++
			}
		}
	}
	var err error
	switch {
	case m.closed:
		err = errors.New("the server ends")
	case count >= maxRunning:
		err = errMany
	case j.saved.Shared && own >= maxRunning-count:
		err = fmt.Errorf("%d %w", own, errManyOfOne)
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

// keep remembers a job that does not run here.
func (m *Manager) keep(j *job) {
	j.past = nil
	m.mu.Lock()
	defer m.mu.Unlock()
	m.remember(j)
}

// remember remembers a job. If there are too many, it forgets the oldest that ended of the caller who
// has most. m.mu is held.
func (m *Manager) remember(j *job) {
	if _, known := m.jobs[j.id]; !known { // jobs of a disk come in any order
		at := len(m.order)
		for at > 0 && m.jobs[m.order[at-1]].saved.Created.After(j.saved.Created) {
			at--
		}
		m.order = slices.Insert(m.order, at, j.id)
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
	if (j == nil || !j.owned && j.state() == running) && m.options.Files != nil && validID(id) { // another process has it
		if fresh, err := m.load(id); err == nil {
			j = fresh
			m.keep(j)
		}
	}
	if j == nil || j.saved.Owner != owner || j.expired() {
		return nil, false
	}
	j.attended()
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
			j.attended()
			list = append(list, j)
		}
	}
	return list
}

// newID returns an id that nobody can guess.
func newID() string {
	text := strings.ToLower(rand.Text())
	return text[:8] + "-" + text[8:16] + "-" + text[16:26]
}

// validID reports whether an id is one that [newID] returns: it is the name of a folder.
func validID(id string) bool {
	if len(id) != 28 || id[8] != '-' || id[17] != '-' {
		return false
	}
	return strings.Trim(id, "abcdefghijklmnopqrstuvwxyz234567-") == ""
}
