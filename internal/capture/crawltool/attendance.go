package crawltool

import (
	"context"
	"sync"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/pause"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
)

// awayAfter is how long the pages of a running job stay pinned after its caller asked for it last.
const awayAfter = time.Hour

// A pin keeps the pages of a job in the store while its caller asks for the job now and then.
type pin struct {
	mu     sync.Mutex // guards all fields below
	asked  time.Time  // when somebody asked for the job last
	unpins func()     // nil: the pages are not pinned
}

// hold pins the pages of a job.
func (p *pin) hold(j *job) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.asked.IsZero() {
		p.asked = j.m.options.Now()
	}
	if p.unpins == nil {
		p.unpins = j.m.options.Store.Pin(j.id)
	}
}

// release unpins them.
func (p *pin) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.unpins != nil {
		p.unpins()
		p.unpins = nil
	}
}

// attended says that the caller of a job has asked for it. The time of job.json says it to other
// processes.
func (j *job) attended() {
	now := j.m.options.Now()
	j.pin.mu.Lock()
	j.pin.asked = now
	j.pin.mu.Unlock()
	if j.m.options.Files != nil && j.state() == running {
		_ = j.m.options.Files.SetTime(j.id+"/job.json", now)
	}
}

// attend pins the pages of a job or unpins them, by when somebody asked for it.
func (j *job) attend() {
	j.pin.mu.Lock()
	last := j.pin.asked
	j.pin.mu.Unlock()
	if files := j.m.options.Files; files != nil {
		if info, err := files.Lstat(j.id + "/job.json"); err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
	}
	if j.m.options.Now().Sub(last) > awayAfter {
		j.pin.release()
	} else {
		j.pin.hold(j)
	}
}

// others are the jobs of other processes.
type others struct {
	mu     sync.Mutex        // guards all fields below
	ended  map[string]bool   // jobs that have ended
	unpins map[string]func() // of those that run
}

// guard pins the pages of jobs that other processes run, while somebody asks for these: what this
// process keeps for others is not to remove them.
func (m *Manager) guard() {
	files := m.options.Files
	if files == nil {
		return
	}
	names, err := files.Names(".")
	if err != nil {
		return
	}
	o := &m.others
	o.mu.Lock()
	defer o.mu.Unlock()
	ended, unpins := make(map[string]bool), make(map[string]func())
	for _, id := range names {
		m.mu.Lock()
		j := m.jobs[id]
		m.mu.Unlock()
		if o.ended[id] || j != nil && j.owned {
			ended[id] = o.ended[id]
			continue
		}
		info, err := files.Lstat(id + "/job.json")
		if err != nil || !validID(id) {
			continue
		}
		if j, err = m.peek(id); err == nil && j.state() != running {
			ended[id] = true
		} else if err == nil && m.options.Now().Sub(info.ModTime()) <= awayAfter {
			if unpins[id] = o.unpins[id]; unpins[id] == nil {
				unpins[id] = m.options.Store.Pin(id)
			}
		}
	}
	for id, unpin := range o.unpins {
		if unpins[id] == nil {
			unpin()
		}
	}
	o.ended, o.unpins = ended, unpins
}

// watch looks at what others do to a job that runs here, until ctx ends: another process wants it
// cancelled, or its caller asks for it no more.
func (j *job) watch(ctx context.Context) {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		if j.unwanted() {
			j.finish(cancelled, "")
			j.cancel()
			return
		}
		j.attend()
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// unwanted reports whether another process wants a job cancelled.
func (j *job) unwanted() bool {
	files := j.m.options.Files
	if files == nil {
		return false
	}
	_, err := files.Lstat(j.id + "/cancel")
	return err == nil
}

const (
	// cancelTime is how long an answer waits until another process has cancelled a job.
	cancelTime  = 3 * time.Second
	cancelPause = 50 * time.Millisecond
)

// cancelThere cancels a job of another process, or of one that was killed.
func (m *Manager) cancelThere(ctx context.Context, j *job) (*job, error) {
	files := m.options.Files
	if err := files.Replace(j.id+"/cancel", nil); err != nil {
		return nil, err
	}
	bounded, end := context.WithTimeout(ctx, cancelTime)
	defer end()
	for {
		release, locked := files.Lock(j.id + "/lock")
		now, err := m.load(j.id)
		if locked == nil {
			if err == nil && now.state() == running { // nobody runs it
				now.finish(cancelled, "")
				if err := now.leave(); err != nil {
					now.blame(err)
				}
			}
			release()
		}
		if err != nil {
			return nil, err
		}
		if now.state() != running {
			m.keep(now)
			return now, nil
		}
		if pause.For(bounded, cancelPause) != nil {
			return now, ctx.Err()
		}
	}
}

// cancelled is the answer of a job that was cancelled.
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
