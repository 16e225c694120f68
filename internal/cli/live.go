package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/config"
	"github.com/mcp-docs-server/mcp-docs-server/internal/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/jsondoc"
	"github.com/mcp-docs-server/mcp-docs-server/internal/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/server"
	"github.com/mcp-docs-server/mcp-docs-server/internal/watch"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// watching says how to follow changes.
type watching struct {
	poll time.Duration // if positive: how often to look, instead of waiting for events
	off  bool
}

// minPoll is how often the tree may be looked at.
const minPoll = 10 * time.Millisecond

// live keeps the catalog as the project is: it reads the tree, and again what changes, and tells the server.
type live struct {
	app     *app
	project *project
	current *loader.Current
	config  atomic.Pointer[config.Config] // the project's, for whoever asks while it is being followed
	news    chan struct{}                 // holds a value when current has changed
	watcher *watch.Watcher                // nil: nothing is followed
	poll    time.Duration
	logger  *slog.Logger
	library *docs.Library // as published last
	prompts *prompts.Set
	refused string // what was wrong with the settings when they were last read, so that it is told once
}

func newLive(a *app, p *project, w watching) (*live, error) {
	if w.poll != 0 && w.poll < minPoll {
		return nil, &usageError{fmt.Sprintf("--poll takes a duration of %v or more, such as 2s", minPoll)}
	}
	l := &live{app: a, project: p, current: loader.NewCurrent(), news: make(chan struct{}, 1), poll: w.poll, logger: slog.New(slog.NewTextHandler(a.streams.Err, nil))}
	first := p.config
	l.config.Store(&first)
	if w.off {
		return l, nil
	}
	var err error
	l.watcher, err = watch.New(p.dir, watch.Options{Poll: w.poll, Logger: l.logger, Reopen: p.files.Reopen})
	return l, err
}

// liveness is how soon a change is known.
func (l *live) liveness() server.Liveness {
	switch {
	case l.watcher == nil:
		return server.Liveness{}
	case l.poll > 0:
		return server.Liveness{On: true, Lag: l.poll}
	case l.watcher.Polls():
		return server.Liveness{On: true, Lag: watch.DefaultPoll}
	}
	return server.Liveness{On: true}
}

// run reads the tree, publishes it and follows its changes until ctx ends.
func (l *live) run(ctx context.Context, srv *server.Server) error {
	start := time.Now()
	var reading, indexing sync.WaitGroup
	defer indexing.Wait()
	reading.Go(func() { l.readDocs(ctx, srv, &indexing) })
	reading.Go(func() { l.readPrompts(ctx, srv) })
	catalog, err := l.scan(ctx, l.project.options)
	reading.Wait()
	if err == nil && l.watcher != nil && l.reload(srv) {
		// The settings were read before anything was watched, and have changed in between.
		catalog, err = l.scan(ctx, l.project.options)
	}
	if err != nil {
		if l.watcher != nil {
			l.watcher.Close()
		}
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	l.publish(catalog)
	indexing.Go(func() { l.learn(ctx) })
	l.app.summarize(l.project, catalog, time.Since(start))
	if l.watcher != nil {
		l.watcher.Run(ctx, func(c watch.Change) {
			l.apply(ctx, srv, c)
			if concerns(c, l.library.Dir()) {
				l.readDocs(ctx, srv, &indexing)
			}
			if concerns(c, prompts.Folder) {
				l.readPrompts(ctx, srv)
			}
		})
	}
	return nil
}

// publish makes a catalog the current one.
func (l *live) publish(catalog *loader.Catalog) {
	l.current.Publish(catalog)
	select {
	case l.news <- struct{}{}:
	default: // it is known already that there is a new one
	}
}

// learn reads what the files of each current catalog say of themselves, until ctx ends. Lists do it themselves for what they
// show; done beforehand, they need not wait.
func (l *live) learn(ctx context.Context) {
	var last *loader.Catalog
	told := make(map[jsondoc.Problem]bool)
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.news:
		}
		catalog, err := l.current.Load(ctx)
		if err != nil {
			return
		}
		problems := catalog.Learn(ctx, last)
		problems = slices.DeleteFunc(problems, func(p jsondoc.Problem) bool { return told[p] })
		for _, p := range problems {
			told[p] = true
		}
		l.app.warn(problems)
		last = catalog
	}
}

// visit watches a folder that is about to be read.
func (l *live) visit(dir string) {
	if l.watcher != nil {
		l.watcher.Add(dir)
	}
}

// readDocs reads the documents that have changed, publishes them and has them indexed. A query meanwhile waits a little,
// or searches the paths only.
func (l *live) readDocs(ctx context.Context, srv *server.Server, indexing *sync.WaitGroup) {
	library, err := docs.Scan(ctx, l.project.files, l.project.config.Docs, l.library, l.visit)
	if err != nil {
		if ctx.Err() == nil {
			l.app.say("warning: %s: %v", l.project.show(l.project.config.Docs), err)
		}
		library = new(docs.Library)
	}
	for _, n := range library.Notices() {
		if l.library == nil || !slices.Contains(l.library.Notices(), n) {
			l.app.notices(l.project, []loader.Notice{n})
		}
	}
	l.library = library
	srv.SetLibrary(library)
	indexing.Go(func() {
		if err := library.Index(ctx); err != nil && ctx.Err() == nil {
			l.logger.Warn("the documents cannot be indexed", "error", err)
		}
	})
}

// readPrompts reads the prompts that have changed and publishes them.
func (l *live) readPrompts(ctx context.Context, srv *server.Server) {
	set, err := prompts.Scan(ctx, l.project.files, prompts.Folder, l.prompts, l.visit)
	if err != nil {
		return // ctx has ended
	}
	var news jsondoc.Problems
	for _, problem := range set.Problems() {
		if l.prompts == nil || !slices.Contains(l.prompts.Problems(), problem) {
			news = append(news, problem)
		}
	}
	l.app.warn(news)
	l.prompts = set
	srv.SetPrompts(set)
}

// concerns reports whether a change may be one of a folder that was read by name: of something in it, of a link to
// something elsewhere, or of a folder above it.
func concerns(c watch.Change, dir string) bool {
	if c.All {
		return true
	}
	for _, list := range [][]string{c.Dirs, c.Trees, c.Files} {
		for _, path := range list {
			if loader.Holds(dir, path) || loader.Holds(path, dir) || !loader.Holds(loader.Resources, path) {
				return true
			}
		}
	}
	return false
}

func (l *live) scan(ctx context.Context, opts loader.Options) (*loader.Catalog, error) {
	opts.Visit = l.visit
	return loader.Scan(ctx, l.project.files, opts)
}

// apply reads what has changed, publishes the new catalog and then tells the clients. A tree that cannot be read now is
// left as it was known.
func (l *live) apply(ctx context.Context, srv *server.Server, c watch.Change) {
	old, err := l.current.Load(ctx)
	if err != nil {
		return
	}
	var catalog *loader.Catalog
	switch {
	case l.reload(srv):
		catalog, err = l.scan(ctx, l.project.options)
	case c.All:
		catalog, err = loader.Rescan(ctx, old, loader.Changes{Trees: []string{"."}})
	default:
		catalog, err = loader.Rescan(ctx, old, loader.Changes{Dirs: c.Dirs, Trees: c.Trees, Files: c.Files})
	}
	if err != nil {
		if ctx.Err() == nil {
			l.logger.Error("the change is not served", "error", err)
		}
		return
	}
	l.publish(catalog)
	srv.Changed(old, catalog, touched(c))
	l.app.notices(l.project, catalog.NewNotices(old))
}

// grain is how old a change must be to be sure that another one shows in the file's time, on any file system.
const grain = 3 * time.Second

// touched reports whether a change may have given a file other bytes though its size and time are the same.
func touched(c watch.Change) func(r loader.Resource) bool {
	files := make(map[string]bool, len(c.Files))
	for _, file := range c.Files {
		files[file] = true
	}
	return func(r loader.Resource) bool {
		path := r.Path()
		return c.All || r.Linked() || files[path] || len(files) == 0 && time.Since(r.ModTime()) < grain ||
			slices.ContainsFunc(c.Trees, func(tree string) bool { return loader.Holds(tree, path) })
	}
}

// reload reads the settings if their files have changed, and reports whether the tree must be read with new ones. What is
// wrong is told once, and the last good settings stay in force.
func (l *live) reload(srv *server.Server) bool {
	p := l.project
	configText, templatesText, err := p.readSource()
	if err == nil && p.source == (source{string(configText), string(templatesText)}) {
		l.refused = ""
		return false
	}
	s, warnings, err := p.read()
	if err != nil {
		if reason := err.Error(); reason != l.refused {
			l.refused = reason
			first, more, _ := strings.Cut(reason, "\n")
			if more != "" {
				first += " (and more)"
			}
			l.app.say("%s; the last good settings stay in force", first)
		}
		return false
	}
	l.refused = ""
	l.app.warn(warnings)
	if s.config.Name != p.config.Name || s.config.Version != p.config.Version {
		l.app.say("%s: another name or version is shown to clients from the next start on", p.show(p.configFile))
	}
	p.settings = s
	l.config.Store(&s.config)
	srv.SetLimits(limitsOf(s.config))
	srv.SetFeatures(featuresOf(s.config))
	return true
}

// summarize says what is served.
func (a *app) summarize(p *project, catalog *loader.Catalog, took time.Duration) {
	a.notices(p, catalog.Notices())
	switch n := catalog.Len(); n {
	case 0:
		if _, err := p.files.Stat(loader.Resources); errors.Is(err, os.ErrNotExist) {
			a.say("%s has no folder %s: there are no resources to list", p.dir, loader.Resources)
		} else {
			a.say("%s holds no files that are served", p.show(loader.Resources))
		}
	default:
		a.say("serving %s from %s (read in %v)", count(n, "resource"), p.show(loader.Resources), took.Round(time.Millisecond))
	}
}
