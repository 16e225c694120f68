package watch

import (
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fsnotify/fsnotify"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// marks records what has changed.
type marks struct {
	all      bool
	dirs     map[string]bool
	files    map[string]bool
	suspects map[string]bool // paths of folders that may have been created, removed or renamed
}

func (m *marks) empty() bool { return !m.all && len(m.dirs) == 0 && len(m.suspects) == 0 }

func (m *marks) mark(dir string) {
	if m.dirs == nil {
		m.dirs, m.files, m.suspects = make(map[string]bool), make(map[string]bool), make(map[string]bool)
	}
	m.dirs[dir] = true
	m.all = m.all || m.len() > maxMarks
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
		m.mark(path.Dir(rel))
		m.files[rel] = true
		if e.Has(fsnotify.Create) || e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename) {
			m.suspects[rel] = true
		}
	})
}

// Changed marks a file or folder as one that may have changed.
func (w *Watcher) Changed(name string) {
	w.mark(func(m *marks) {
		m.mark(path.Dir(name))
		m.files[name], m.suspects[name] = true, true
	})
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
