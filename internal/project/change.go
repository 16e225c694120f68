package project

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/latest"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// apply reads what has changed, publishes the new catalog and then notifies the clients. If the
// tree cannot be read now, the current catalog stays.
func (l *Live) apply(ctx context.Context, c loader.Changes) {
	old, err := l.catalog.Load(ctx)
	if err != nil {
		return
	}
	var catalog *loader.Catalog
	if l.reload(ctx, c) {
		catalog, err = l.scan(ctx)
	} else {
		catalog, err = loader.Rescan(ctx, old, c)
	}
	if err != nil {
		if ctx.Err() == nil {
			l.logger.Error("the change is not served", "error", err)
		}
		return
	}
	l.publish(catalog)
	l.offerSearch(ctx)
	l.server.Changed(old, catalog, touched(c))
	l.warnings(catalog.NewWarnings(old))
}

// touched returns a function that reports whether a change may have given a file other bytes with
// the same size and time.
func touched(c loader.Changes) func(r loader.Resource) bool {
	files := make(map[string]bool, len(c.Files))
	for _, file := range c.Files {
		files[file] = true
	}
	return func(r loader.Resource) bool {
		path := r.Path()
		return r.Linked() || files[path] || len(files) == 0 && walk.Recent(r.ModTime()) ||
			slices.ContainsFunc(c.Trees, func(tree string) bool { return walk.Holds(tree, path) })
	}
}

// remounts reports whether the mount of the documents must be made again: it belongs to one version of files that are replaced as a
// whole, and to the patterns of git at its time.
func (l *Live) remounts(c loader.Changes) bool {
	if s := l.settings.Load(); l.options.Follow != nil {
		return s.Config.DocsResources // a version may bring or take the folder
	} else if !s.docsMounted {
		return false
	}
	return len(c.Files) == 0 || slices.ContainsFunc(c.Files, func(file string) bool { return path.Base(file) == ".gitignore" })
}

// outdated reports whether the files of the settings have changed since they were read.
func (l *Live) outdated() bool {
	now, err := l.project.readSource()
	return err != nil || l.settings.Load().Source != now
}

// reload reads the settings if their files have changed, and reports whether the tree must be read
// with new settings. It reports a mistake once and keeps the last good settings, without documents that exclude names.
func (l *Live) reload(ctx context.Context, c loader.Changes) bool {
	if !l.outdated() && !l.remounts(c) {
		l.refused = ""
		return false
	}
	s, warnings, err := l.project.readSettings(ctx)
	if ctx.Err() != nil {
		return false
	}
	if err != nil {
		if reason := err.Error(); reason != l.refused {
			l.refused = reason
			first, more, _ := strings.Cut(reason, "\n")
			if more != "" {
				first += " (and more)"
			}
			l.report(Said{first + "; the last good settings stay in force"})
		}
		now := *l.settings.Load()
		fresh := without(s.misplaced, now.misplaced)
		if len(fresh) == 0 {
			return false
		}
		// the user wants to hide these documents, whatever else is wrong
		now.withhold(slices.Concat(now.misplaced, fresh))
		l.project.remount(&now)
		l.settings.Store(&now)
		return true
	}
	l.refused = ""
	l.warn(warnings)
	if was := l.settings.Load().Config; s.Config.Name != was.Name || s.Config.Version != was.Version {
		l.report(Said{l.project.Show(l.project.ConfigFile) + ": clients see the new name or version after the next start"})
	}
	l.settings.Store(&s)
	l.server.SetLimits(s.limits())
	l.server.SetFeatures(l.features(&s))
	l.index.Set(l.indexSettings(&s.Config))
	l.index.ToolsChanged()
	return true
}

// A refresher reads a folder of the project other than the resources, and reads it again after
// changes that concern it. It works independently of the other readers.
type refresher struct {
	watch  func(dir string)
	folder func() string // returns the folder to read, relative to the project folder
	read   func(ctx context.Context, r *refresher) bool

	wake  chan struct{} // has room for one
	ready chan struct{} // closed when the folder has been read once

	mu      sync.Mutex
	begun   int  // readings
	reading bool // the last of them has not ended
	// folders, with links resolved, that the last reading that succeeded has visited, or a later one; and which one
	visited map[string]int
	// files reported since the present reading began, which may have other bytes with the same size and time
	next map[string]bool
	now  map[string]bool // files reported before it began
}

// newRefresher returns a refresher. It calls watch with each folder before it reads the folder.
// read reads the folder, calls visit and changed meanwhile, and reports whether it succeeded.
func newRefresher(watch func(dir string), folder func() string, read func(ctx context.Context, r *refresher) bool) *refresher {
	return &refresher{watch: watch, folder: folder, read: read, wake: make(chan struct{}, 1), ready: make(chan struct{}), visited: make(map[string]int), next: make(map[string]bool)}
}

// run reads until ctx ends.
func (r *refresher) run(ctx context.Context) {
	for first := true; ; first = false {
		r.once(ctx)
		if first {
			close(r.ready)
		}
		if latest.Wait(ctx, r.wake) != nil {
			return
		}
	}
}

// wait waits for the first reading, and reports whether it ended before ctx.
func (r *refresher) wait(ctx context.Context) bool {
	return latest.Wait(ctx, r.ready) == nil && ctx.Err() == nil
}

func (r *refresher) once(ctx context.Context) {
	r.mu.Lock()
	r.begun, r.reading = r.begun+1, true
	r.now, r.next = r.next, make(map[string]bool)
	r.mu.Unlock()
	ok := r.read(ctx, r)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.reading = false; ok { // otherwise the folders of the last reading may come back
		maps.DeleteFunc(r.visited, func(_ string, reading int) bool { return reading < r.begun })
	}
}

// visit is called with each folder before it is read.
func (r *refresher) visit(dir string) {
	r.mu.Lock()
	// A file that a document includes is found when the document is read.
	if r.reading {
		r.visited[dir] = r.begun
	}
	r.mu.Unlock()
	r.watch(dir)
}

// changed reports whether a file was reported before the present reading began.
func (r *refresher) changed(file string) bool { return r.now[file] }

// notify has the folder read again if a change concerns it.
func (r *refresher) notify(c loader.Changes) {
	r.mu.Lock()
	concerned := r.concerned(c)
	if concerned {
		for _, file := range c.Files {
			r.next[file] = true
		}
	}
	r.mu.Unlock()
	if concerned {
		select {
		case r.wake <- struct{}{}:
		default: // a wake-up is already pending
		}
	}
}

// concerned reports whether a change may concern the folder: a change in it or above it, in a
// folder that a reading visited through a link, or of a link on the way, which may be anywhere but
// among the resources.
func (r *refresher) concerned(c loader.Changes) bool {
	folder := r.folder()
	near := func(path string) bool {
		return !walk.Holds(loader.Resources, path) || walk.Holds(folder, path) || walk.Holds(path, folder)
	}
	if slices.ContainsFunc(c.Dirs, func(dir string) bool { return near(dir) || r.visited[dir] > 0 }) {
		return true
	}
	return slices.ContainsFunc(c.Trees, func(tree string) bool {
		for dir := range r.visited {
			if walk.Holds(tree, dir) {
				return true
			}
		}
		return near(tree)
	})
}
