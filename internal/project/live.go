package project

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/progress"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/metrics"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/capability"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/contents"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/skills"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
	"github.com/mcp-docs-server/mcp-docs-server/internal/mcp/server"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project/watch"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsondoc"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/latest"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// LiveOptions say how a project is served.
type LiveOptions struct {
	// if positive: look for changes at this interval instead of waiting for events
	Poll    time.Duration
	NoWatch bool // everything is read once, and changes are not followed
	// Follow calls changed with each change of [Options.Files] until ctx ends. nil: the folder is watched.
	Follow func(ctx context.Context, changed func(loader.Changes))
	Logger *slog.Logger // nil: nothing is logged
	Audit  *slog.Logger // gets a line for each call; nil: none
	// turns the capability index on or off; nil: as the configuration says
	Index *bool
	// of other packages, in addition to the tools of the project
	Tools []tools.Tool
	// of resources that are not files of the project; a source belongs to one project; some are [Captures]
	Sources      []view.Source
	Dependencies DependencyOptions
	PDFs         PDFOptions
	// Replicated says that other processes answer for the same sessions, see [server.Options].
	Replicated bool
	// Memory is the memory for answers that all projects of a process share. nil: this is the only
	// project.
	Memory *contents.Memory
	// Report is called with each event, from several goroutines at the same time. The goroutine
	// that reads the project waits until it returns. nil: events are dropped.
	Report func(Event)
}

// A Live project keeps a server up to date with its folder: it reads the tree, reads changed
// folders again, and notifies the server.
type Live struct {
	project   *Project
	server    *server.Server
	report    func(Event)
	logger    *slog.Logger
	catalog   *latest.Value[loader.Catalog]
	documents *latest.Value[docs.Library]
	names     *latest.Value[site.Names]
	prompts   *latest.Value[prompts.Set]
	settings  atomic.Pointer[Settings] // the settings in force; only Run changes them
	compiled  chan struct{}            // closed when the templates are compiled
	changes   *latest.Value[struct{}]  // published at each change
	watcher   *watch.Watcher           // nil: no folder is watched
	options   LiveOptions
	index     *capability.Source

	documentFiles   documentFiles
	dependencyFiles dependencyFiles

	reading       atomic.Pointer[progress.Step] // of documents, the last one
	docsFolder    *refresher
	promptsFolder *refresher
	skills        *skills.Reader

	promptsMu   sync.Mutex
	filePrompts *prompts.Set // as they were scanned; guarded by promptsMu

	searched searched
	pdfs     *pdfs           // nil: PDF files have no text
	work     *sync.WaitGroup // goroutines that Run waits for at its end

	// the mistake in the settings when they were last read, so that it is reported once
	refused    string
	unreadable string // the same for the folder of the documents
}

// Live makes a server of the project. It reads nothing before [Live.Run]. If Run is never called,
// [Live.Close] frees the watches.
func (p *Project) Live(o LiveOptions) (*Live, error) {
	l := &Live{
		project:   p,
		options:   o,
		report:    o.Report,
		logger:    cmp.Or(o.Logger, slog.New(slog.DiscardHandler)),
		catalog:   latest.New[loader.Catalog](),
		documents: latest.New[docs.Library](),
		names:     latest.New[site.Names](),
		prompts:   latest.New[prompts.Set](),
		skills:    skills.NewReader(),
		compiled:  make(chan struct{}),
		changes:   latest.New[struct{}](),
	}
	l.documentFiles.known = make(chan struct{})
	l.documentFiles.has = func() bool { return l.settings.Load().MadeOfDocuments() }
	if l.report == nil {
		l.report = func(Event) {}
	}
	l.settings.Store(&p.Settings)
	if !o.NoWatch && o.Follow == nil {
		var err error
		l.watcher, err = watch.New(p.Dir, watch.Options{Poll: o.Poll, Logger: l.logger, Reopen: p.Folder.Reopen, List: p.Files.ReadDir, Wait: p.Folder.Wait})
		if err != nil {
			return nil, err
		}
	}
	if p.Folder != nil {
		p.Folder.Bound(l.blocked)
	}
	l.pdfs = newPDFs(p, o.PDFs, l.warnings)
	if ecosystems, _ := o.Dependencies.chosen(&p.Settings); len(ecosystems) > 0 {
		l.searched.dependencies = new(docs.Dependencies) // they are read later
	}
	l.searched.documents = latest.New[docs.Library]()
	l.openIndex()
	described := p.ServerOptions()
	described.Sources = append([]view.Source{l.index, &l.documentFiles, &l.dependencyFiles}, o.Sources...)
	for _, source := range o.Sources {
		if c, ok := source.(Captures); ok {
			l.searched.captures = append(l.searched.captures, c)
		}
	}
	described.Tools = o.Tools
	described.Instructions = l.instructions
	described.Reading = l.reading.Load
	described.Features = l.features(&p.Settings)
	described.Catalog, described.Documents, described.Names, described.Prompts = l.catalog, l.documents, l.names, l.prompts
	described.HasFiles = l.hasFiles
	described.Find = l.find
	described.Live = l.liveness
	described.Logger = l.logger
	described.Audit = o.Audit
	described.Replicated = o.Replicated
	described.Memory = o.Memory
	l.server = server.New(described)
	return l, nil
}

// blocked is called when a path of the project does not answer, and when it does again.
func (l *Live) blocked(name string, blocked bool) {
	if blocked {
		l.logger.Warn("a path does not answer: it is left out until it does", "path", name)
		return
	}
	l.logger.Info("a path answers again", "path", name)
	if l.watcher != nil {
		l.watcher.Changed(name)
	}
}

// Server returns the server of the project, which answers before Run and while it runs.
func (l *Live) Server() *server.Server { return l.server }

// Close frees the watches of a project whose Run is not called. Run frees them itself.
func (l *Live) Close() { l.watcher.Close() }

// Compiled returns a channel that is closed once the templates are compiled. From then on, no
// mistake in the settings ends Run.
func (l *Live) Compiled() <-chan struct{} { return l.compiled }

// Ready reports whether the resources have been read once.
func (l *Live) Ready() bool { return l.catalog.Peek() != nil }

// Gauges returns the states of the project that metrics show. None of them waits.
func (l *Live) Gauges() []metrics.Gauge {
	return []metrics.Gauge{
		{Name: "resources", Help: "Resources in the catalog.", Value: func() float64 { return float64(l.catalog.Peek().Len()) }},
		{Name: "documents", Help: "Documents.", Value: func() float64 { return float64(l.documents.Peek().Len()) }},
		{Name: "prompts", Help: "Prompts.", Value: func() float64 { return float64(len(l.prompts.Peek().Prompts())) }},
		{Name: "watched_folders", Help: "Folders that the system reports changes of.", Value: func() float64 { watched, _ := l.watcher.Folders(); return float64(watched) }},
		{Name: "polled_folders", Help: "Folders that are polled for changes.", Value: func() float64 { _, polled := l.watcher.Folders(); return float64(polled) }},
		{Name: "subscriptions", Help: "Subscriptions of clients to files.", Value: func() float64 { return float64(l.server.Subscriptions()) }},
	}
}

// liveness returns how soon a change is known.
func (l *Live) liveness() server.Liveness {
	return server.Liveness{On: l.watcher != nil || l.options.Follow != nil, Lag: l.watcher.Lag()}
}

// headStart is how long the project waits for the first answer to a client, and the resources, whose scan keeps all processors busy,
// for the names of the documents, which a list of tools needs.
const headStart = 5 * time.Millisecond

// Run compiles the templates, reads the project, publishes it and follows its changes until ctx
// ends, which is not an error. It returns an error if the templates have a mistake or the tree
// cannot be read at all. When Run returns, its goroutines have ended. It may be called once.
func (l *Live) Run(ctx context.Context) error {
	start := time.Now()
	var work sync.WaitGroup
	defer work.Wait()
	l.work = &work
	ctx, cancel := context.WithCancel(progress.Watch(ctx, func(s *progress.Step) {
		if s.Unit == "documents" {
			l.reading.Store(s)
		}
	}))
	defer cancel()
	select {
	case <-l.server.Called():
	case <-time.After(headStart):
	}
	l.readOthers(ctx)
	catalog, err := l.begin(ctx)
	if err != nil {
		l.Close()
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	l.publish(catalog)
	l.offerSearch(ctx)
	l.warnings(catalog.Warnings())
	work.Go(func() { l.learn(ctx) })
	work.Go(func() { l.reportScan(ctx, catalog, start) })
	switch {
	case l.options.Follow != nil:
		l.options.Follow(ctx, func(c loader.Changes) {
			c.FS = l.project.now()
			l.follow(ctx, c)
		})
	case l.watcher == nil:
		// documents and prompts may not have been read yet
		<-ctx.Done()
	default:
		if l.outdated() {
			// the settings were read before anything was watched, and have changed in between
			l.follow(ctx, loader.Changes{Dirs: []string{"."}})
		}
		l.watcher.Run(ctx, func(c loader.Changes) { l.follow(ctx, c) })
	}
	return nil
}

// readOthers begins to read everything but the resources, and waits a little for the names of the documents.
func (l *Live) readOthers(ctx context.Context) {
	l.docsFolder = newRefresher(l.watcher.Add, func() string { return l.settings.Load().Config.Docs }, l.readDocuments)
	l.promptsFolder = newRefresher(l.watcher.Add, func() string { return prompts.Folder }, l.readPrompts)
	l.work.Go(func() { l.docsFolder.run(ctx) })
	l.work.Go(func() { l.promptsFolder.run(ctx) })
	if o := &l.options.Dependencies; o.Configured || len(o.Ecosystems) > 0 {
		l.work.Go(func() { l.followDependencies(ctx) })
	}
	if l.pdfs != nil {
		l.work.Go(func() { l.followPDFs(ctx) })
	}
	for _, c := range l.searched.captures {
		l.work.Go(func() { l.followCaptures(ctx, c) })
	}
	select {
	case <-l.names.Ready():
	case <-time.After(headStart):
	}
}

// reportScan reports what the project has, once everything has been read.
func (l *Live) reportScan(ctx context.Context, catalog *loader.Catalog, start time.Time) {
	if l.docsFolder.wait(ctx) && l.promptsFolder.wait(ctx) {
		library := l.documents.Peek()
		l.report(Scanned{Contents{catalog.Len(), library.Len(), len(l.prompts.Peek().Prompts()), l.settings.Load().Config.Docs, library.Sites().String(), library.Served(), library.Dependencies() != nil}, time.Since(start)})
	}
}

// begin compiles the templates and reads the tree with them.
func (l *Live) begin(ctx context.Context) (*loader.Catalog, error) {
	s := l.project.Settings
	if s.Loader.Templates == nil {
		problems, err := l.project.compile(ctx, &s)
		l.warn(problems.Warnings())
		if err = cmp.Or(err, problems.Err()); err != nil {
			return nil, err
		}
	}
	l.settings.Store(&s)
	close(l.compiled)
	return l.scan(ctx)
}

// find looks for a file before the resources are read, and waits for the templates.
func (l *Live) find(ctx context.Context, uri string) (loader.Resource, bool, error) {
	if err := latest.Wait(ctx, l.compiled); err != nil {
		return loader.Resource{}, false, err
	}
	return loader.Find(ctx, l.project.now(), l.settings.Load().Loader, uri)
}

// follow reads everything again that a change concerns.
func (l *Live) follow(ctx context.Context, c loader.Changes) {
	l.apply(ctx, c)
	l.docsFolder.notify(c)
	l.promptsFolder.notify(c)
	l.changes.Publish(new(struct{}))
}

// publish makes a catalog the current one.
func (l *Live) publish(catalog *loader.Catalog) {
	l.catalog.Publish(catalog)
	l.index.Changed()
}

// learn reads titles and descriptions from the files of each new catalog, until ctx ends. Otherwise a
// list reads them for the files that it shows, and takes longer.
func (l *Live) learn(ctx context.Context) {
	var last *loader.Catalog
	var warned jsondoc.Problems // about skills
	var replaced []loader.Warning
	for {
		changed := l.catalog.Changed()
		catalog, err := l.catalog.Load(ctx)
		if err != nil {
			return
		}
		l.warn(catalog.Learn(ctx, last))
		warned = l.learnSkills(ctx, catalog, warned)
		replaced = l.learnReplaced(catalog, replaced)
		last = catalog
		if latest.Wait(ctx, changed) != nil {
			return
		}
	}
}

// learnReplaced reports files that are served in place of a resource that the server makes itself,
// if they were not reported before. It returns the warnings about all of them.
func (l *Live) learnReplaced(catalog *loader.Catalog, before []loader.Warning) []loader.Warning {
	var found []loader.Warning
	for _, r := range l.server.Replaced(catalog) {
		found = append(found, loader.Warning{Path: r.File.LogicalPath(), Reason: fmt.Sprintf("is served as %s and hides the resource of %s with this URI: rename the file to have both", r.File.URI(), r.Source)})
	}
	l.warnings(without(found, before))
	return found
}

// without returns the entries of list that are not in other.
func without[T comparable](list, other []T) []T {
	return slices.DeleteFunc(slices.Clone(list), func(entry T) bool { return slices.Contains(other, entry) })
}

func (l *Live) warn(problems jsondoc.Problems) {
	if len(problems) > 0 {
		l.report(Warnings{problems})
	}
}

func (l *Live) warnings(warnings []loader.Warning) {
	if len(warnings) > 0 {
		l.report(Notices{warnings})
	}
}

func (l *Live) scan(ctx context.Context) (*loader.Catalog, error) {
	opts := l.settings.Load().Loader
	opts.Visit = l.watcher.Add // each folder, before it is read
	return loader.Scan(ctx, l.project.now(), opts)
}

// An Event is one of the types below. It informs the owner of a live project.
type Event any

type (
	// Warnings lists doubtful places in files of the project: in settings, in prompts, and in what
	// files say about themselves. Paths are in the form of [Project.Show].
	Warnings struct{ Problems jsondoc.Problems }

	// Notices lists what a user should know about files of the tree. Paths are relative to the
	// project folder. Each notice is reported once.
	Notices struct{ Notices []loader.Warning }

	// Scanned counts the contents of the project when everything has been read for the first time.
	Scanned struct {
		Contents
		Took time.Duration
	}

	// Dependencies reports the packages whose documents are served, at the start and after each change.
	Dependencies struct {
		Set     *dependencies.Set
		LeftOut int // links and other things that are left out, which check names
	}

	// Said is a line for the owner: about changed settings, or a folder of documents that cannot be read. The same mistake is said once.
	Said struct{ Line string }
)

// Contents counts the parts of a project.
type Contents struct {
	Resources, Documents, Prompts int
	// the folder of the documents, relative to the project folder
	Docs string
	// one line about the sites that were found, if the project names no folder of documents; "": none
	Sites  string
	Served string // [docs.Library.Served]
	// documents of dependencies are served or are being read
	Dependencies bool
}
