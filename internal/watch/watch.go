// Package watch tells which folders of a project have changed.
//
// Events are hints: they say where to look, not what to believe. What happens, in order:
//
//  1. Whoever reads a folder calls [Watcher.Add] before. A change that comes later makes an event; one that came earlier
//     is read.
//  2. An event marks the folder it happened in. If a folder appeared, went or was renamed, its watches and those below it
//     are suspect, for the system keeps them under their old paths: they are dropped, and the folder is marked as a tree,
//     to be read whole, which adds them anew.
//  3. Changes are told [Settle] after the first, and then [Interval] apart, so that a burst costs little.
//  4. When events may have been lost (the system's queue overflowed, the project folder was exchanged), all watches are
//     dropped and everything is marked.
//
// A folder that cannot be watched, because the system has no more watches or because its file system makes no events
// (network mounts), is polled instead: it is listed again and again, and marked if it looks different.
//
// A file system that is mounted or unmounted below the project folder makes no event either. Linux reports changes of its table of
// mounts; where that differs, the mount point is marked as in 2. Elsewhere nothing is noticed until a folder near it changes.
package watch

import (
	"context"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// Timings. Writing a file, or putting a new one in its place, is over in a few milliseconds; and a list that is right a
// tenth of a second after each of many changes is right at once to people.
const (
	Settle   = 5 * time.Millisecond   // from a first change to its telling
	Interval = 100 * time.Millisecond // between tellings

	// DefaultPoll is how often there is polling.
	DefaultPoll = 2 * time.Second
	// checkRoot is how often the project folder is compared with what its path leads to now.
	checkRoot = time.Second
	// maxMarks is how many marks are kept apart; more mean everything.
	maxMarks = 4096
)

// Options say how to watch.
type Options struct {
	Poll   time.Duration                           // if positive, no events are used: everything is polled, so often
	Logger *slog.Logger                            // logs that folders have to be polled, and how long that takes
	Reopen func() (bool, error)                    // opens the project folder anew if its path leads elsewhere now, and reports whether it did
	List   func(dir string) ([]fs.DirEntry, error) // lists a folder below the project folder; it does not block on pipes and the like
}

// A Watcher watches the folders of one project.
type Watcher struct {
	dir    string // absolute path of the project folder
	opts   Options
	events *fsnotify.Watcher // nil where everything is polled
	mounts *mounts           // nil where everything is polled

	mu       sync.Mutex
	watched  map[string]identity // by path below dir
	paths    map[identity]string // of watched
	files    int                 // open files that the watches cost, where they cost any
	poll     poller
	reported bool // the user knows that folders are polled
	pending  marks
	wake     chan struct{} // has room for one
}

// New returns a watcher of the project folder at dir. It has no watches yet; Close frees it if Run is never called.
func New(dir string, opts Options) (*Watcher, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	w := &Watcher{dir: abs, opts: opts, watched: make(map[string]identity), paths: make(map[identity]string), poll: newPoller(), wake: make(chan struct{}, 1)}
	if opts.Poll > 0 {
		return w, nil
	}
	if w.events, err = fsnotify.NewWatcher(); err != nil {
		w.degrade(err)
		w.opts.Poll = DefaultPoll
		return w, nil
	}
	w.mounts = openMounts(abs)
	return w, nil
}

// Close ends all watches.
func (w *Watcher) Close() error {
	if w.events == nil {
		return nil
	}
	w.mounts.close()
	return w.events.Close()
}

// Polls reports whether some changes are found by polling only.
func (w *Watcher) Polls() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.events == nil || len(w.poll.folders) > 0
}

// Run reports what is to be read again, until ctx ends. It calls report from one goroutine; what
// happens meanwhile is reported the next time. report is expected to Add the folders that it reads.
func (w *Watcher) Run(ctx context.Context, report func(loader.Changes)) {
	var pump sync.WaitGroup
	defer w.Close()
	defer pump.Wait()
	if w.events != nil {
		pump.Go(func() { w.pump(ctx) })
		pump.Go(func() { w.mounts.follow(ctx, w.noteMounts) })
	}
	root := time.NewTicker(checkRoot)
	defer root.Stop()
	poll := time.NewTimer(w.interval())
	defer poll.Stop()
	var last time.Time // of the last report
	for {
		select {
		case <-ctx.Done():
			return
		case <-root.C:
			w.checkRoot()
			continue
		case <-poll.C:
			start := time.Now()
			w.pollOnce()
			if c, ok := w.take(); ok {
				report(c)
			}
			// A large tree is not read all the time.
			poll.Reset(max(w.interval(), share*time.Since(start)))
			continue
		case <-w.wake:
		}
		if !sleep(ctx, max(Settle, Interval-time.Since(last))) {
			return
		}
		if c, ok := w.take(); ok {
			report(c)
			last = time.Now()
		}
	}
}

func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

// pump moves events to the marks as fast as they come, lest the system's queue overflow while a change is told.
func (w *Watcher) pump(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case e, ok := <-w.events.Events:
			if !ok {
				return
			}
			w.note(e)
		case _, ok := <-w.events.Errors:
			if !ok {
				return
			}
			w.mark(func(m *marks) { m.all = true })
		}
	}
}

// isFolder reports whether a path is a folder, or a link, which may lead to one.
func (w *Watcher) isFolder(dir string) bool {
	info, err := os.Lstat(w.path(dir))
	return err == nil && !info.Mode().IsRegular()
}

// path is a folder's path on disk.
func (w *Watcher) path(dir string) string { return filepath.Join(w.dir, filepath.FromSlash(dir)) }

// checkRoot marks everything if the project's path leads to another folder by now.
func (w *Watcher) checkRoot() {
	if w.opts.Reopen == nil {
		return
	}
	if changed, err := w.opts.Reopen(); err == nil && changed {
		w.mark(func(m *marks) { m.all = true })
	}
}
