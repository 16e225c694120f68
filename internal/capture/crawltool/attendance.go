package crawltool

import (
	"context"
	"sync"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/pause"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
)

// unpinAfter is how long the pages of a running job stay pinned after the last request for the job.
const unpinAfter = time.Hour

// A pin keeps the pages of a job in the store while its caller requests the job from time to time.
type pin struct {
	mu      sync.Mutex // guards all fields below
	touched time.Time  // time of the last request for the job
	unpins  func()     // nil: the pages are not pinned
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

// touch records that the caller of a job has requested it. The modification time of job.json tells other processes.
func (j *job) touch() {
	now := j.m.options.Now()
	j.pin.mu.Lock()
	j.pin.touched = now
	j.pin.mu.Unlock()
	if j.m.options.Files != nil && j.state() == running {
		_ = j.m.options.Files.SetTime(j.id+"/job.json", now)
	}
}

// updatePin pins or unpins the pages of a job, depending on the last request for it.
func (j *job) updatePin() {
	j.pin.mu.Lock()
	last := j.pin.touched
	j.pin.mu.Unlock()
	if files := j.m.options.Files; files != nil {
		if info, err := files.Lstat(j.id + "/job.json"); err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
	}
	if j.m.options.Now().Sub(last) > unpinAfter {
		j.pin.release()
	} else {
		j.pin.hold(j)
	}
}

// otherJobs are the jobs of other processes.
type otherJobs struct {
	mu     sync.Mutex        // guards all fields below
	ended  map[string]bool   // jobs that have ended
	unpins map[string]func() // of jobs that run
}

// guard pins the pages of jobs that other processes run, while their callers request them: captures of this process
// must not displace these pages.
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
		} else if err == nil && m.options.Now().Sub(info.ModTime()) <= unpinAfter {
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

// watch watches a job that runs here until ctx ends: other processes may cancel it, and its caller may stop
// requesting it.
func (j *job) watch(ctx context.Context) {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		if j.cancelRequested() {
			j.finish(cancelled, "")
			j.cancel()
			return
		}
		j.updatePin()
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// cancelRequested reports whether another process wants to cancel a job.
func (j *job) cancelRequested() bool {
	files := j.m.options.Files
	if files == nil {
		return false
	}
	_, err := files.Lstat(j.id + "/cancel")
	return err == nil
}

const (
	// cancelTime is how long a call waits until another process has cancelled a job.
	cancelTime  = 3 * time.Second
	cancelPause = 50 * time.Millisecond
)

// cancelElsewhere cancels a job whose process is another one, or was killed.
func (m *Manager) cancelElsewhere(ctx context.Context, j *job) (*job, error) {
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
			if err == nil && now.state() == running { // no process runs it
				now.finish(cancelled, "")
				if err := now.cancelRemote(); err != nil {
					now.noteNotCancelled(err)
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
