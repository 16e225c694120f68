// Package watch reports which folders of a project have changed.
//
// Events are hints: they say which folder to read, not what has changed. What happens, in order:
//
//  1. A reader calls [Watcher.Add] before it reads a folder. A later change causes an event; an
//     earlier one is in what is read.
//  2. An event marks the folder that it happened in. If a folder was created, removed or renamed,
//     its watches and those below it are suspect, because the system keeps them under their old
//     paths. They are dropped, and the folder is marked as a tree: it is read again with everything
//     below it, which adds the watches again.
//  3. The first change is reported after [Settle], and further ones at intervals of [Interval], so
//     that a burst costs little.
//  4. When events may have been lost (the system's queue overflowed, the project folder was
//     replaced), all watches are dropped and everything is marked.
//
// A folder that cannot be watched, because the system has no more watches or because its file
// system sends no events (network mounts), is polled instead: it is listed repeatedly, and marked
// if its entries differ.
//
// A file with several hard links may change under a name that is in no watched folder. The first 1,000 such files are checked every
// 10 seconds.
//
// Mounting or unmounting a file system below the project folder sends no event either. It is
// noticed when a folder near it changes.
package watch

import (
	"context"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/latest"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// Timings. Writing or replacing a file takes a few milliseconds, and people do not notice a delay
// of a tenth of a second.
const (
	Settle   = 5 * time.Millisecond   // from a first change to its report
	Interval = 100 * time.Millisecond // between reports

	// DefaultPoll is the interval of polling.
	DefaultPoll = 2 * time.Second
	// checkRoot is the interval at which the watcher checks whether the project path leads to the
	// same folder.
	checkRoot = time.Second
	// maxMarks is the maximum number of single marks; beyond it, everything is marked.
	maxMarks = 4096
)

// Options say how to watch.
type Options struct {
	// if positive, everything is polled at this interval instead of using events
	Poll time.Duration
	// logs that folders must be polled, and how long that takes
	Logger *slog.Logger
	// reopens the project folder if its path leads to another folder now, and reports whether it did
	Reopen func() (bool, error)
	// lists a folder below the project folder; it must not block on pipes and the like
	List func(dir string) ([]fs.DirEntry, error)
	// Wait does work that asks the system about a folder, and returns an error if the system does not answer. nil: it always does
	Wait func(dir string, work func() error) error
}

// A Watcher watches the folders of one project.
type Watcher struct {
	dir    string // absolute path of the project folder
	opts   Options
	events *fsnotify.Watcher // nil if everything is polled

	mu       sync.Mutex
	watched  map[string]identity // by path below dir
	paths    map[identity]string // of watched
	files    int                 // open files that the watches use, if any
	poll     poller
	unlisted map[string]bool // watched folders that [Watcher.pollLinked] has to list
	reported bool            // the user knows that folders are polled
	pending  marks
	wake     chan struct{} // has room for one

	linkedInterval time.Duration
	// files with several hard links, and when they changed; only Run uses it
	linked map[string]int64
}

// New returns a watcher of the project folder at dir, without watches. If Run is not called, Close
// frees it.
func New(dir string, opts Options) (*Watcher, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	opts.Poll = max(opts.Poll, 0)
	if opts.Wait == nil {
		opts.Wait = func(_ string, work func() error) error { return work() }
	}
	w := &Watcher{dir: abs, opts: opts, watched: make(map[string]identity), paths: make(map[identity]string), wake: make(chan struct{}, 1),
		poll: poller{folders: make(map[string]stamp), hot: make(map[string]time.Time)}, unlisted: make(map[string]bool), linkedInterval: linkedInterval, linked: make(map[string]int64)}
	if opts.Poll > 0 {
		return w, nil
	}
	if w.events, err = fsnotify.NewWatcher(); err != nil {
		w.degrade(err)
		w.opts.Poll = DefaultPoll
		return w, nil
	}
	return w, nil
}

// Close ends all watches.
func (w *Watcher) Close() error {
	if w == nil || w.events == nil {
		return nil
	}
	return w.events.Close()
}

// Folders returns how many folders the system watches, and how many are polled; none for nil.
func (w *Watcher) Folders() (watched, polled int) {
	if w == nil {
		return 0, 0
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.watched), len(w.poll.folders)
}

// Run reports what is to be read again, until ctx ends. It calls report from one goroutine; changes
// during a call are part of the next one. report must Add the folders that it reads.
func (w *Watcher) Run(ctx context.Context, report func(loader.Changes)) {
	var pump sync.WaitGroup
	defer w.Close()
	defer pump.Wait()
	if w.events != nil {
		pump.Go(func() { w.pump(ctx) })
	}
	root := time.NewTicker(checkRoot)
	defer root.Stop()
	poll := time.NewTimer(w.interval())
	defer poll.Stop()
	linked := time.NewTicker(w.linkedInterval)
	defer linked.Stop()
	var last time.Time // of the last report
	for {
		select {
		case <-ctx.Done():
			return
		case <-root.C:
			w.checkRoot()
			continue
		case <-poll.C:
			poll.Reset(w.pollOnce(ctx, report))
			continue
		case <-linked.C:
			w.pollLinked(ctx)
			continue
		case <-w.wake:
		}
		if latest.Wait(ctx, time.After(max(Settle, Interval-time.Since(last)))) != nil {
			return
		}
		if w.report(report) {
			last = time.Now()
		}
	}
}

// report reports the marks, and returns whether there were any.
func (w *Watcher) report(report func(loader.Changes)) bool {
	c, ok := w.take()
	if ok {
		report(c)
	}
	return ok
}

// pump moves events to the marks as they arrive, so that the system's queue does not overflow while
// a change is reported.
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

// isFolder reports whether a path is a folder or a link, which may lead to a folder.
func (w *Watcher) isFolder(dir string) bool {
	info, err := os.Lstat(w.path(dir))
	return err == nil && !info.Mode().IsRegular()
}

// path returns the path of a folder on disk.
func (w *Watcher) path(dir string) string { return filepath.Join(w.dir, filepath.FromSlash(dir)) }

// checkRoot marks everything if the project path leads to another folder now.
func (w *Watcher) checkRoot() {
	if w.opts.Reopen == nil {
		return
	}
	// an error: the folder does not exist for the moment
	if changed, _ := w.opts.Reopen(); changed {
		w.mark(func(m *marks) { m.all = true })
	}
}

// marks records what has changed.
type marks struct {
	all   bool
	dirs  map[string]bool
	files map[string]bool
	// paths of folders that may have been created, removed or renamed
	suspects map[string]bool
}

func (m *marks) empty() bool { return !m.all && len(m.dirs) == 0 && len(m.suspects) == 0 }

func (m *marks) mark(dir string) {
	if m.dirs == nil {
		m.dirs, m.files, m.suspects = make(map[string]bool), make(map[string]bool), make(map[string]bool)
	}
	m.dirs[dir] = true
	m.all = m.all || m.len() > maxMarks
}

// markFile marks a file, or what may be a folder, and the folder that holds it.
func (m *marks) markFile(name string, suspect bool) {
	m.mark(path.Dir(name))
	if m.files[name] = true; suspect {
		m.suspects[name] = true
	}
}

// len returns the number of single marks.
func (m *marks) len() int { return len(m.dirs) + len(m.files) + len(m.suspects) }

// note marks the folder or file of an event.
func (w *Watcher) note(e fsnotify.Event) {
	rel, ok := w.below(e.Name)
	if !ok {
		return
	}
	w.mark(func(m *marks) {
		w.unlisted[path.Dir(rel)] = true
		if rel == "." {
			m.mark(".")
			return
		}
		m.markFile(rel, e.Has(fsnotify.Create) || e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename))
	})
}

// Changed marks a file or folder as one that may have changed.
func (w *Watcher) Changed(name string) {
	w.mark(func(m *marks) { m.markFile(name, true) })
}

// below returns a path on disk as a path below the project folder.
func (w *Watcher) below(name string) (string, bool) {
	rest, ok := strings.CutPrefix(name, w.dir)
	switch {
	case !ok:
		return "", false
	case rest == "":
		return ".", true
	}
	rest = filepath.ToSlash(rest)
	if w.dir != string(filepath.Separator) {
		if rest[0] != '/' {
			return "", false
		}
		rest = rest[1:]
	}
	return rest, rest != ""
}

func (w *Watcher) mark(change func(*marks)) {
	w.mu.Lock()
	change(&w.pending)
	w.mu.Unlock()
	select {
	case w.wake <- struct{}{}:
	default: // a wake-up is already pending
	}
}

// take removes the marks, returns them as a change, and drops the suspect watches.
func (w *Watcher) take() (loader.Changes, bool) {
	w.mu.Lock()
	m := w.pending
	w.pending = marks{}
	w.mu.Unlock()
	if m.empty() {
		return loader.Changes{}, false
	}
	had := w.drop(m.all, m.suspects)
	if m.all {
		return loader.Changes{Trees: []string{"."}}, true
	}
	c := loader.Changes{Dirs: slices.Collect(maps.Keys(m.dirs)), Files: slices.Collect(maps.Keys(m.files))}
	for dir := range m.suspects {
		folder := false
		if had[dir] || w.wait(dir, func() { folder = w.isFolder(dir) }) == nil && folder {
			c.Trees = append(c.Trees, dir)
		}
	}
	return c, true
}
