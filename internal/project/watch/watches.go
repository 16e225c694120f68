package watch

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/fserr"
)

// Add watches a folder, which need not exist. It is safe for concurrent use: readers of a tree add
// its folders, and the system is asked about a folder without holding up the others. Nil watches nothing.
func (w *Watcher) Add(dir string) {
	if w == nil || w.has(dir) {
		return
	}
	if w.wait(dir, func() { w.ask(dir) }) != nil {
		w.mu.Lock()
		w.poll.add(dir)
		w.mu.Unlock()
	}
}

// wait asks the system about a folder.
func (w *Watcher) wait(dir string, ask func()) error {
	return w.opts.Wait(dir, func() error { ask(); return nil })
}

// ask watches or polls a folder, as the system allows.
func (w *Watcher) ask(dir string) {
	file := w.path(dir)
	for {
		id, err := identify(file)
		if err == nil && silent(file) {
			err = errSilent
		}
		if err == nil {
			err = w.add(dir, file, id)
		}
		switch {
		case err == nil:
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, fsnotify.ErrClosed):
			return
		default:
			w.mu.Lock()
			w.poll.add(dir)
			w.degrade(err)
			w.mu.Unlock()
			return
		}
		if now, err := identify(file); err == nil && now == id {
			return
		}
		w.mu.Lock()
		if w.watched[dir] == id {
			w.forget(dir) // another folder has this path now
		}
		w.mu.Unlock()
	}
}

// has reports whether a folder is watched or polled. Without events of the system, has begins to poll
// the folder.
func (w *Watcher) has(dir string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, watched := w.watched[dir]; watched || w.poll.has(dir) {
		return true
	}
	if w.events == nil {
		w.poll.add(dir)
		return true
	}
	return false
}

// add creates a watch. The system has one watch per folder, independent of its path: if a renamed
// folder still has the watch of its old path, add removes that watch first, because dropping the
// old path later would remove the new watch.
func (w *Watcher) add(dir, file string, id identity) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, watched := w.watched[dir]; watched { // by another goroutine meanwhile
		return nil
	}
	if maxFiles > 0 {
		entries, err := os.ReadDir(file)
		if err != nil {
			return err
		}
		if w.files += len(entries) + 1; w.files > maxFiles {
			return errTooMany
		}
	}
	if old, ok := w.paths[id]; ok && id != (identity{}) {
		w.forget(old)
	}
	if err := w.events.Add(file); err != nil {
		return err
	}
	w.watched[dir], w.paths[id] = id, dir
	w.unlisted[dir] = true
	return nil
}

// forget drops the watch of a folder.
func (w *Watcher) forget(dir string) {
	if id, ok := w.watched[dir]; ok && w.paths[id] == dir {
		delete(w.paths, id)
	}
	delete(w.watched, dir)
	w.poll.remove(dir)
	if w.events != nil {
		_ = w.events.Remove(w.path(dir)) // the system may have removed it already
	}
}

var (
	errSilent  = errors.New("the file system does not report changes")
	errLimit   = errors.New("the system's limit of watches is reached: raise it, for example by sysctl fs.inotify.max_user_watches=1048576 and fs.inotify.max_user_instances=1024")
	errTooMany = errors.New("the system needs an open file for each: serve fewer files, or poll by choice with --poll")
)

// degrade logs once that folders are polled.
func (w *Watcher) degrade(err error) {
	if w.reported || errors.Is(err, fs.ErrPermission) {
		// a scan reports a folder that may not be read
		return
	}
	w.reported = true
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EMFILE) {
		err = errLimit
	}
	w.opts.Logger.Warn("some folders cannot be watched: they are polled instead", "reason", fserr.Reason(err))
}

func (w *Watcher) interval() time.Duration { return cmp.Or(w.opts.Poll, DefaultPoll) }

// drop forgets the watches of the suspects and of the folders below them, and returns the suspects
// that had any.
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
	for dir := range w.poll.folders {
		drop(dir)
	}
	return had
}

// suspectAbove returns the suspect that is a folder itself or a folder above it.
func suspectAbove(dir string, suspects map[string]bool) (string, bool) {
	for up := dir; up != "."; up = path.Dir(up) {
		if suspects[up] {
			return up, true
		}
	}
	return "", false
}
