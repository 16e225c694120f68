package cli

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/config"
	"github.com/mcp-docs-server/mcp-docs-server/internal/mtime"
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
	app      *app
	project  *project
	current  *loader.Current
	config   atomic.Pointer[config.Config] // the project's, for whoever asks while it is being followed
	news     chan struct{}                 // holds a value when current has changed
	watcher  *watch.Watcher                // nil: nothing is followed
	logger   *slog.Logger
	docs     *reading
	prompts  *reading
	first    loader.Options // what the project starts with; not to be read before compiled is closed
	compiled chan struct{}  // closed when the templates are compiled
	refused  string         // what was wrong with the settings when they were last read, so that it is told once
}

func newLive(a *app, p *project, w watching) (*live, error) {
	if w.poll != 0 && w.poll < minPoll {
		return nil, &usageError{fmt.Sprintf("--poll takes a duration of %v or more, such as 2s", minPoll)}
	}
	l := &live{app: a, project: p, current: loader.NewCurrent(), news: make(chan struct{}, 1), compiled: make(chan struct{}), logger: newLogger(a.streams.Err)}
	first := p.config
	l.config.Store(&first)
	if w.off {
		return l, nil
	}
	var err error
	l.watcher, err = watch.New(p.dir, watch.Options{Poll: w.poll, Logger: l.logger, Reopen: p.files.Reopen, List: p.files.ReadDir})
	return l, err
}

// liveness is how soon a change is known.
func (l *live) liveness() server.Liveness {
	if l.watcher == nil {
		return server.Liveness{}
	}
	return server.Liveness{On: true, Lag: l.watcher.Lag()}
}

// run compiles the templates, reads the tree, publishes it and follows its changes until ctx ends. The documents and prompts
// are read beside it.
func (l *live) run(ctx context.Context, srv *server.Server) error {
	start := time.Now()
	var work sync.WaitGroup
	defer work.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	library, set := new(docsFolder), new(promptsFolder)
	l.docs = newReading(l.visit, func() string { return l.config.Load().Docs }, func(ctx context.Context, r *reading) bool { return library.read(ctx, l, srv, r, &work) })
	l.prompts = newReading(l.visit, func() string { return prompts.Folder }, func(ctx context.Context, r *reading) bool { return set.read(ctx, l, srv, r) })
	work.Go(func() { l.docs.run(ctx) })
	work.Go(func() { l.prompts.run(ctx) })
	catalog, err := l.begin(ctx)
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
	l.app.notices(l.project, catalog.Notices())
	work.Go(func() { l.learn(ctx) })
	work.Go(func() {
		if l.docs.wait(ctx) && l.prompts.wait(ctx) {
			l.app.summarize(l.project, served{catalog.Len(), library.count(), set.count(), l.config.Load().Docs}, time.Since(start))
		}
	})
	if l.watcher == nil {
		<-ctx.Done() // documents and prompts may still be being read
	} else {
		if l.outdated() { // the settings were read before anything was watched, and have changed in between
			l.follow(ctx, srv, watch.Change{Dirs: []string{"."}})
		}
		l.watcher.Run(ctx, func(c watch.Change) { l.follow(ctx, srv, c) })
	}
	return nil
}

// begin compiles the templates and reads the tree with them.
func (l *live) begin(ctx context.Context) (*loader.Catalog, error) {
	problems, err := l.project.compile(ctx, &l.project.settings)
	l.app.warn(problems.Warnings())
	if err = cmp.Or(err, problems.Err()); err != nil {
		return nil, err
	}
	l.first = l.project.options
	close(l.compiled)
	return l.scan(ctx, l.project.options)
}

// firstOptions returns the options that the project starts with, and waits for its templates.
func (l *live) firstOptions(ctx context.Context) (loader.Options, error) {
	select {
	case <-l.compiled:
		return l.first, nil
	case <-ctx.Done():
		return loader.Options{}, ctx.Err()
	}
}

// follow has everything read again that a change concerns.
func (l *live) follow(ctx context.Context, srv *server.Server, c watch.Change) {
	l.apply(ctx, srv, c)
	l.docs.tell(c)
	l.prompts.tell(c)
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
		l.app.warn(catalog.Learn(ctx, last))
		last = catalog
	}
}

// visit watches a folder that is about to be read.
func (l *live) visit(dir string) {
	if l.watcher != nil {
		l.watcher.Add(dir)
	}
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
	case l.reload(ctx, srv):
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

// touched reports whether a change may have given a file other bytes though its size and time are the same.
func touched(c watch.Change) func(r loader.Resource) bool {
	files := make(map[string]bool, len(c.Files))
	for _, file := range c.Files {
		files[file] = true
	}
	return func(r loader.Resource) bool {
		path := r.Path()
		return c.All || r.Linked() || files[path] || len(files) == 0 && mtime.Recent(r.ModTime()) ||
			slices.ContainsFunc(c.Trees, func(tree string) bool { return loader.Holds(tree, path) })
	}
}

// outdated reports whether the files of the settings have changed since they were read.
func (l *live) outdated() bool {
	now, err := l.project.readSource()
	return err != nil || l.project.source != now
}

// reload reads the settings if their files have changed, and reports whether the tree must be read with new ones. What is
// wrong is told once, and the last good settings stay in force.
func (l *live) reload(ctx context.Context, srv *server.Server) bool {
	p := l.project
	if !l.outdated() {
		l.refused = ""
		return false
	}
	s, warnings, err := p.read(ctx)
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
