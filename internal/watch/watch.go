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
// (network mounts), is marked again and again instead.
package watch

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Timings. Writing a file, or putting a new one in its place, is over in a few milliseconds; and a list that is right a
// tenth of a second after each of many changes is right at once to people.
const (
	Settle   = 5 * time.Millisecond   // from a first change to its telling
	Interval = 100 * time.Millisecond // between tellings

	// DefaultPoll is how often folders without events are looked at.
	DefaultPoll = 2 * time.Second
	// checkRoot is how often the project folder is compared with what its path leads to now.
	checkRoot = time.Second
	// maxMarks is how many marks are kept apart; more mean everything.
	maxMarks = 4096
)

// A Change says which folders are to be read again. Paths are below the project folder, which itself is ".".
type Change struct {
	All   bool     // everything
	Dirs  []string // these folders
	Trees []string // these with all below them
	Files []string // what the events named: files, or folders, of Dirs
}

// Options say how to watch.
type Options struct {
	Poll   time.Duration        // if positive, no events are used: everything is looked at so often
	Logger *slog.Logger         // is told once when folders have to be polled
	Reopen func() (bool, error) // opens the project folder anew if its path leads elsewhere now, and reports whether it did
}

// A Watcher watches the folders of one project.
type Watcher struct {
	dir    string // absolute path of the project folder
	opts   Options
	events *fsnotify.Watcher // nil where everything is polled

	mu      sync.Mutex
	watched map[string]identity // by path below dir
	paths   map[identity]string // of watched
	files   int                 // open files that the watches cost, where they cost any
	polled  map[string]bool
	told    bool // that folders are polled
	pending marks
	wake    chan struct{} // has room for one
}

// marks are what is known to have changed.
type marks struct {
	all      bool
	dirs     map[string]bool
	files    map[string]bool
	suspects map[string]bool // may be folders that came, went or were renamed
}

func (m *marks) empty() bool { return !m.all && len(m.dirs) == 0 && len(m.suspects) == 0 }

func (m *marks) mark(dir string) {
	if m.dirs == nil {
		m.dirs, m.files, m.suspects = make(map[string]bool), make(map[string]bool), make(map[string]bool)
	}
	m.dirs[dir] = true
	m.all = m.all || len(m.dirs)+len(m.files)+len(m.suspects) > maxMarks
}

// New returns a watcher of the project folder at dir. It has no watches yet; Close frees it if Run is never called.
func New(dir string, opts Options) (*Watcher, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	w := &Watcher{dir: abs, opts: opts, watched: make(map[string]identity), paths: make(map[identity]string), polled: make(map[string]bool), wake: make(chan struct{}, 1)}
	if opts.Poll > 0 {
		return w, nil
	}
	if w.events, err = fsnotify.NewWatcher(); err != nil {
		w.degrade(err)
		w.opts.Poll = DefaultPoll
	}
	return w, nil
}

// Close ends all watches.
func (w *Watcher) Close() error {
	if w.events == nil {
		return nil
	}
	return w.events.Close()
}

// Polls reports whether some changes are found by polling only.
func (w *Watcher) Polls() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.events == nil || len(w.polled) > 0
}

// Add watches a folder, which need not exist. It is safe for concurrent use.
func (w *Watcher) Add(dir string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, watched := w.watched[dir]; watched || w.events == nil || w.polled[dir] {
		return
	}
	file := w.path(dir)
	if silent(file) {
		w.polled[dir] = true
		w.degrade(errSilent)
		return
	}
	switch err := w.add(dir, file); {
	case err == nil:
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fsnotify.ErrClosed):
	default:
		w.polled[dir] = true
		w.degrade(err)
	}
}

// add makes a watch. The system has one for each folder, whatever its path: if a folder that was renamed still has the one
// of its old path, that must go first, or this one would go with it once the old path is dropped.
func (w *Watcher) add(dir, file string) error {
	if maxFiles > 0 {
		entries, err := os.ReadDir(file)
		if err != nil {
			return err
		}
		if w.files += len(entries) + 1; w.files > maxFiles {
			return errTooMany
		}
	}
	for {
		id, err := identify(file)
		if err != nil {
			return err
		}
		if old, ok := w.paths[id]; ok && id != (identity{}) {
			w.forget(old)
		}
		if err := w.events.Add(file); err != nil {
			return err
		}
		w.watched[dir], w.paths[id] = id, dir
		if now, err := identify(file); err == nil && now == id {
			return nil
		}
		w.forget(dir) // something else has taken its place meanwhile
	}
}

// forget drops the watch of a folder.
func (w *Watcher) forget(dir string) {
	if id, ok := w.watched[dir]; ok && w.paths[id] == dir {
		delete(w.paths, id)
	}
	delete(w.watched, dir)
	delete(w.polled, dir)
	if w.events != nil {
		_ = w.events.Remove(w.path(dir)) // the system may have done so itself
	}
}

var (
	errSilent  = errors.New("the file system tells of no changes")
	errLimit   = errors.New("the system's limit of watches is reached")
	errTooMany = errors.New("the system needs an open file for each")
)

// degrade tells once that folders are polled.
func (w *Watcher) degrade(err error) {
	if w.told {
		return
	}
	w.told = true
	if errors.Is(err, syscall.ENOSPC) {
		err = errLimit
	}
	w.opts.Logger.Warn("some folders cannot be watched and are looked at every now and then instead",
		"reason", err, "every", w.interval(), "mend", watchAdvice)
}

func (w *Watcher) interval() time.Duration {
	if w.opts.Poll > 0 {
		return w.opts.Poll
	}
	return DefaultPoll
}

// drop forgets the watches of the folders that lie in one of the suspects, and returns which of the suspects had any.
func (w *Watcher) drop(all bool, suspects map[string]bool) (had map[string]bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	had = make(map[string]bool)
	if all {
		w.files = 0
	}
	if !all && len(suspects) == 0 {
		return had
	}
	drop := func(dir string) {
		if top, ok := suspectAbove(dir, suspects); ok || all {
			had[top] = true
			w.forget(dir)
		}
	}
	for dir := range w.watched {
		drop(dir)
	}
	for dir := range w.polled {
		drop(dir)
	}
	return had
}

// suspectAbove returns the suspect that a folder is or lies in.
func suspectAbove(dir string, suspects map[string]bool) (string, bool) {
	for up := dir; up != "."; up = path.Dir(up) {
		if suspects[up] {
			return up, true
		}
	}
	return "", false
}

// Run tells changes until ctx ends. It calls tell from one goroutine; what happens meanwhile is told the next time. tell
// is expected to Add the folders that it reads.
func (w *Watcher) Run(ctx context.Context, tell func(Change)) {
	var pump sync.WaitGroup
	defer pump.Wait()
	defer w.Close()
	if w.events != nil {
		pump.Go(func() { w.pump(ctx) })
	}
	root := time.NewTicker(checkRoot)
	defer root.Stop()
	poll := time.NewTimer(w.interval())
	defer poll.Stop()
	var last time.Time // of the last telling
	for {
		select {
		case <-ctx.Done():
			return
		case <-root.C:
			w.checkRoot()
			continue
		case <-poll.C:
			start := time.Now()
			if c, ok := w.pollNow(); ok {
				tell(c)
			}
			// A large tree is not read all the time.
			poll.Reset(max(w.interval(), 10*time.Since(start)))
			continue
		case <-w.wake:
		}
		if !sleep(ctx, max(Settle, Interval-time.Since(last))) {
			return
		}
		if c, ok := w.take(); ok {
			tell(c)
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

// note marks what an event concerns.
func (w *Watcher) note(e fsnotify.Event) {
	rel, ok := w.below(e.Name)
	if !ok {
		return
	}
	w.mark(func(m *marks) {
		if rel == "." {
			m.mark(".")
			return
		}
		m.mark(path.Dir(rel))
		m.files[rel] = true
		if e.Has(fsnotify.Create) || e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename) {
			m.suspects[rel] = true
		}
	})
}

// below is a path on disk as one below the project folder.
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
	default: // it is to wake up already
	}
}

// take empties the marks into a change, and drops what watches are suspect.
func (w *Watcher) take() (Change, bool) {
	w.mu.Lock()
	m := w.pending
	w.pending = marks{}
	w.mu.Unlock()
	if m.empty() {
		return Change{}, false
	}
	had := w.drop(m.all, m.suspects)
	if m.all {
		return Change{All: true}, true
	}
	c := Change{Dirs: slices.Collect(maps.Keys(m.dirs)), Files: slices.Collect(maps.Keys(m.files))}
	for dir := range m.suspects {
		if had[dir] || w.isFolder(dir) {
			c.Trees = append(c.Trees, dir)
		}
	}
	return c, true
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

// pollNow is what is to be looked at without an event.
func (w *Watcher) pollNow() (Change, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.events == nil {
		return Change{All: true}, true
	}
	return Change{Dirs: slices.Collect(maps.Keys(w.polled))}, len(w.polled) > 0
}
