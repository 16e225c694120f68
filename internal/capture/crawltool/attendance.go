package crawltool

import (
	"context"
	"sync"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/pause"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/database"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
)

// unpinAfter is how long the pages of a running job stay pinned after the last request for the job.
const unpinAfter = time.Hour

// A pin keeps the pages of a job in the store while its caller requests the job from time to time.
type pin struct {
	mu       sync.Mutex // guards all fields below
	touched  time.Time  // time of the last request for the job
	recorded time.Time  // time of the last request that was recorded for other processes
	unpins   func()     // nil: the pages are not pinned
}

// hold pins the pages of a job.
func (p *pin) hold(j *job) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.touched.IsZero() {
		p.touched = j.m.options.Now()
	}
	if p.unpins == nil {
		p.unpins = j.m.options.Store.Pin(j.id)
	}
}

// release unpins the pages of a job.
func (p *pin) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.unpins != nil {
		p.unpins()
		p.unpins = nil
	}
}

// attendEvery is how often requests for a job are recorded for other processes.
const attendEvery = time.Minute

// touch records that the caller of a job has requested it.
func (j *job) touch(ctx context.Context) {
	now := j.m.options.Now()
	j.pin.mu.Lock()
	j.pin.touched = now
	due := j.m.options.Jobs != nil && now.Sub(j.pin.recorded).Abs() >= attendEvery
	if due {
		j.pin.recorded = now
	}
	j.pin.mu.Unlock()
	if due && j.state() == running {
		_ = j.m.options.Jobs.Attend(ctx, j.id, now)
	}
}

// updatePin pins or unpins the pages of a job, depending on the last request for it. attended is the last request
// that any process has recorded.
func (j *job) updatePin(attended time.Time) {
	j.pin.mu.Lock()
	last := j.pin.touched
	j.pin.mu.Unlock()
	if attended.After(last) {
		last = attended
	}
	if j.m.options.Now().Sub(last) > unpinAfter {
		j.pin.release()
	} else {
		j.pin.hold(j)
	}
}

// guard pins the pages of jobs that other processes run, while their callers request them: captures of this process
// must not displace these pages.
func (m *Manager) guard(ctx context.Context) {
	if m.options.Jobs == nil {
		return
	}
	list, err := m.options.Jobs.List(ctx, selection{running: true})
	if err != nil {
		return
	}
	m.guarding.Lock()
	defer m.guarding.Unlock()
	unpins := make(map[string]func())
	for _, e := range list {
		if m.owns(e.ID) || m.options.Now().Sub(e.attended) > unpinAfter {
			continue
		}
		if unpins[e.ID] = m.unpins[e.ID]; unpins[e.ID] == nil {
			unpins[e.ID] = m.options.Store.Pin(e.ID)
		}
	}
	for id, unpin := range m.unpins {
		if unpins[id] == nil {
			unpin()
		}
	}
	m.unpins = unpins
}

// watch watches a job that runs here until ctx ends: other processes may cancel or take it, and its caller may stop
// requesting it.
func (j *job) watch(ctx context.Context) {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	var lost <-chan struct{}
	if j.lease != nil {
		lost = j.lease.Lost()
	}
	for {
		if j.look(ctx) && j.finish(cancelled, "") == nil {
			j.cancel(nil)
			return
		}
		select {
		case <-ticker.C:
		case <-lost:
			j.cancel(database.ErrLost)
			return
		case <-ctx.Done():
			return
		}
	}
}

// look reads what other processes say about a job that runs here, and reports whether one wants to cancel it.
func (j *job) look(ctx context.Context) (cancel bool) {
	var e entry
	if j.m.options.Jobs != nil {
		e, _ = j.m.options.Jobs.Read(ctx, j.id)
	}
	j.updatePin(e.attended)
	return e.cancel
}

const (
	// cancelTime is how long a call waits until another process has cancelled a job.
	cancelTime  = 3 * time.Second
	cancelPause = 50 * time.Millisecond
)

// cancelElsewhere cancels a job whose process is another one, or was killed.
func (m *Manager) cancelElsewhere(ctx context.Context, j *job) (*job, error) {
	if err := m.options.Jobs.Cancel(ctx, j.id); err != nil {
		return nil, err
	}
	bounded, end := context.WithTimeout(ctx, cancelTime)
	defer end()
	for {
		lease, held := m.options.Jobs.Lease(ctx, j.id, false)
		now, err := m.peek(ctx, j.id)
		if held == nil {
			if err == nil && now.state() == running { // no process runs it
				now.lease = lease
				if err = now.finish(cancelled, ""); err == nil {
					if err := now.cancelRemote(); err != nil {
						now.noteNotCancelled(err)
					}
				}
			}
			lease.Release()
		}
		if err != nil {
			return nil, err
		}
		if now.state() != running {
			if now, err = m.load(ctx, j.id); err == nil {
				m.keep(now)
			}
			return now, err
		}
		if pause.For(bounded, cancelPause) != nil {
			return now, ctx.Err()
		}
	}
}

// cancelled returns the answer for a job that was cancelled.
func (j *job) cancelled() *tools.Output {
	j.mu.Lock()
	defer j.mu.Unlock()
	text := "Crawl job " + j.id + " has been cancelled."
	switch {
	case j.saved.State == running:
		text = "Crawl job " + j.id + " runs in another process of this server, which has not answered yet: it cancels the job as soon as it does."
	case j.saved.Why != "":
		text += "\nNote: " + j.saved.Why
	}
	return tools.Answer(tools.Block{Text: text})
}
