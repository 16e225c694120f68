package webtools

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

const (
	maxRunning    = 8
	maxJobs       = 200
	maxErrors     = 1000 // of a job
	maxFault      = 500  // bytes of one
	maxCrawlBytes = 2 << 30
	maxCrawlTime  = 12 * time.Hour
	// tidyEvery is how often jobs that ended [jobTime] ago are removed.
	tidyEvery = time.Hour
)

// A Crawler is the tool crawl, which runs jobs. It is safe for concurrent use.
type Crawler struct {
	Options
	ctx  context.Context // of all jobs
	end  context.CancelFunc
	work sync.WaitGroup

	mu     sync.Mutex // guards all fields below
	jobs   []*job     // of this process, the oldest first
	closed bool
}

// NewCrawler returns a crawler.
func NewCrawler(o Options) *Crawler {
	m := &Crawler{Options: o}
	m.ctx, m.end = context.WithCancel(context.Background())
	return m
}

// Run removes old jobs until ctx ends. Then it ends all jobs.
func (m *Crawler) Run(ctx context.Context) {
	ticker := time.NewTicker(tidyEvery)
	defer ticker.Stop()
	for ctx.Err() == nil {
		m.tidy(ctx)
		select {
		case <-ticker.C:
		case <-ctx.Done():
		}
	}
	m.mu.Lock()
	m.closed = true
	m.mu.Unlock()
	m.end()
	m.work.Wait()
}

// tidy removes jobs that ended long ago.
func (m *Crawler) tidy(ctx context.Context) {
	m.mu.Lock()
	m.jobs = slices.DeleteFunc(m.jobs, func(j *job) bool { return m.old(j.look()) })
	m.mu.Unlock()
	if m.Jobs != nil {
		if err := m.Jobs.Tidy(ctx); err != nil && ctx.Err() == nil {
			m.Logger.Debug("old crawls cannot be removed", "error", err)
		}
	}
}

// Running returns how many jobs run in this process.
func (m *Crawler) Running() (n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, j := range m.jobs {
		if j.look().State == running {
			n++
		}
	}
	return n
}

// old reports whether a job of this process ended longer than [jobTime] ago: callers cannot see it any more.
func (m *Crawler) old(d *jobReport) bool {
	return d.State != running && m.Now().Sub(d.Ended) > jobTime
}

// begin runs a job, and returns the job that is forgotten for it; nil: none.
func (m *Crawler) begin(j *job) (forgotten *job, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	count, ours := 0, 0
	for _, other := range m.jobs {
		if other.look().State == running {
			count++
			if other.owner == j.owner {
				ours++
			}
		}
	}
	switch {
	case m.closed:
		return nil, errors.New("the server ends")
	case count >= maxRunning:
		return nil, fmt.Errorf("%d crawls are running, which is the limit: wait until one ends, or cancel one", count)
	case j.shared && ours >= maxRunning-count:
		return nil, fmt.Errorf("%d of your crawls are running, which is the limit for now, as others use the server too: wait until one ends, or cancel one", ours)
	}
	forgotten = m.remember(j)
	ctx, cancel := context.WithCancel(m.ctx)
	j.cancel, j.pins = cancel, []func(){m.Store.Pin(j.id)}
	m.work.Go(func() {
		defer cancel()
		j.run(ctx)
	})
	return forgotten, nil
}

// remember remembers a job. If there are too many, it forgets the oldest ended job of the caller that has the most jobs, and
// returns it. The caller holds m.mu.
func (m *Crawler) remember(j *job) (forgotten *job) {
	if len(m.jobs) >= maxJobs {
		count := make(map[string]int)
		for _, other := range m.jobs {
			count[other.owner]++
		}
		for _, old := range m.jobs {
			if old.look().State != running && (forgotten == nil || count[old.owner] > count[forgotten.owner]) {
				forgotten = old
			}
		}
		m.jobs = slices.DeleteFunc(m.jobs, func(other *job) bool { return other == forgotten })
	}
	m.jobs = append(m.jobs, j)
	return forgotten
}

// ours returns a job of a caller that this process has run; nil: there is none.
func (m *Crawler) ours(owner, id string) *job {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, j := range m.jobs {
		if j.id == id && j.owner == owner {
			return j
		}
	}
	return nil
}

// find returns the document of a job. The error is [fs.ErrNotExist] if the caller has no such job.
func (m *Crawler) find(ctx context.Context, owner, id string) (*jobReport, error) {
	if j := m.ours(owner, id); j != nil {
		if d := j.look(); !m.old(d) {
			return d, nil
		}
	}
	if m.Jobs == nil {
		return nil, fs.ErrNotExist
	}
	return m.Jobs.Read(ctx, owner, id)
}

// list returns the states of the jobs of a caller, the oldest first.
func (m *Crawler) list(ctx context.Context, owner string) (list []status, err error) {
	m.mu.Lock()
	jobs := slices.Clone(m.jobs)
	m.mu.Unlock()
	known := make(map[string]bool)
	for _, j := range jobs {
		if d := j.look(); j.owner == owner && !m.old(d) {
			known[j.id] = true
			list = append(list, d.status)
		}
	}
	if m.Jobs != nil {
		others, failure := m.Jobs.List(ctx, owner)
		err = failure
		for _, s := range others {
			if !known[s.ID] {
				list = append(list, s)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b status) int { return a.Created.Compare(b.Created) })
	return list, err
}

// newID returns an id that cannot be guessed.
func newID() string {
	text := strings.ToLower(rand.Text())
	return text[:8] + "-" + text[8:16] + "-" + text[16:26]
}

// validID reports whether an id has the form of [newID].
func validID(id string) bool { return ids().MatchString(id) }

var ids = lazyregexp.New(`^[a-z2-7-]{8}-[a-z2-7-]{8}-[a-z2-7-]{10}$`)
