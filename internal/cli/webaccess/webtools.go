// Package webaccess gives agents access to the web, for each project that allows it. It reads options of
// the command line and environment variables, and opens what they ask for: the tools scrape, map, crawl
// and web_search, the store of captures, browsers and services. A [Project] is the result for one project.
// The tools themselves are in internal/capture/webtools.
package webaccess

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/browser"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/conversion"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fetch"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/firecrawl"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/resources"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/store"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webclient"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/webtools"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/database"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/metrics"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
)

// Options are the options of serve for captures of agents. Options that weaken security are only for the
// operator: no project can set them.
type Options struct {
	capture      bool
	captured     *bool // capture, if the option is given
	dir          string
	allowPrivate bool
	allow        []string
	rules        []webclient.Rule // of allow
	ignoreRobots bool
	browser      browserOptions
	// tools are listed and not called, so nothing is written
	Listed bool
	// keeps captures and jobs for all replicas; nil: they are in memory or in files
	Database  *database.DB
	Converter *conversion.Converter // converts pages, and PDF files that are documents
	// names of given options that have an effect only if agents capture pages
	given []string
}

// Add gives a command the options.
func (o *Options) Add(cmd *cobra.Command) {
	command.WebFlags.Add(cmd, func(flags *pflag.FlagSet) {
		flags.BoolVar(&o.capture, "capture", false, "let agents capture web pages, with the tool scrape and others")
		flags.StringVar(&o.dir, "capture-dir", "", "keep captures as files in this `DIR`, instead of in memory")
		flags.BoolVar(&o.allowPrivate, "allow-private", false, "also let agents capture from private networks and from this computer")
		flags.StringSliceVar(&o.allow, "allow", nil, "let agents capture from a `HOST`, an address or a network, with a port or :*, even if it is private")
		flags.BoolVar(&o.ignoreRobots, "ignore-robots", false, "let agents capture pages that robots.txt does not allow")
	})
	o.browser.add(cmd)
}

// Check returns an error for invalid options.
func (o *Options) Check(cmd *cobra.Command) error {
	if cmd.Flags().Changed("capture") {
		o.captured = &o.capture
	}
	o.given = nil
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if title := command.FlagTitle(f); f.Name != "capture" && (title == command.WebFlags.Title || title == command.BrowserFlags.Title) {
			o.given = append(o.given, "--"+f.Name)
		}
	})
	o.rules = nil
	for _, s := range o.allow {
		rule, err := webclient.ParseRule(s)
		if err != nil {
			return command.Misuse("--allow: %v", err)
		}
		o.rules = append(o.rules, rule)
	}
	return nil
}

// on reports whether agents capture pages in a project.
func (o *Options) on(p *project.Project) bool {
	if o.captured != nil {
		return *o.captured
	}
	return p.Config.Capture.On
}

// A webAccess holds the clients, browsers and services that the projects of a process share. nil: no
// project has access to the web.
type webAccess struct {
	options    Options
	logger     *slog.Logger
	several    bool
	client     *webclient.Client
	strategies []fetch.Strategy
	browser    *browser.Browser
	providers  []webtools.Provider // of web_search
	firecrawl  *firecrawl.Strategy // nil, as model, without its variables
	model      *webtools.Model
	converter  *conversion.Converter
}

// Open opens what projects share if agents capture pages in one of them.
func Open(o Options, logger *slog.Logger, projects ...*project.Project) (*webAccess, error) {
	on := false
	for _, p := range projects {
		on = on || o.on(p)
	}
	if !on {
		if len(o.given) > 0 {
			logger.Warn(strings.Join(o.given, ", ") + ": without effect, as agents cannot capture pages: give --capture too")
		}
		return nil, nil
	}
	services, err := openServices()
	if err != nil {
		return nil, err
	}
	w := &webAccess{options: o, logger: logger, several: len(projects) > 1, providers: services.providers, converter: o.Converter}
	if w.model, err = openModel(); err != nil {
		return nil, err
	}
	access := webclient.Options{Version: command.Version(), AllowPrivate: o.allowPrivate, Allow: o.rules, IgnoreRobots: o.ignoreRobots}
	w.client = webclient.New(access)
	w.strategies = []fetch.Strategy{&fetch.Native{Client: w.client}}
	if w.browser, err = o.browser.open(w.client, logger); err != nil {
		return nil, err
	}
	if w.browser != nil {
		w.strategies = append(w.strategies, w.browser)
	}
	if services.firecrawl != nil {
		pictures := access
		pictures.IgnoreRobots = true
		w.firecrawl = &firecrawl.Strategy{Client: services.firecrawl, Rules: w.client, Pictures: webclient.New(pictures)}
		w.strategies = append(w.strategies, w.firecrawl)
	}
	return w, nil
}

// Close ends the browser.
func (w *webAccess) Close() {
	if w != nil && w.browser != nil {
		w.browser.Close()
	}
}

// A Project is the access of one project to the web: its store of captures, and its tools.
type Project struct {
	logger  *slog.Logger
	store   *store.Store
	now     func() time.Time // the clock of the store
	crawls  *webtools.Crawler
	Tools   []tools.Tool
	Sources []view.Source
	runs    []func(context.Context)
}

// Project opens the access of a project. It is empty if agents capture nothing in the project.
func (w *webAccess) Project(ctx context.Context, p *project.Project) (*Project, error) {
	if w == nil || !w.options.on(p) {
		return &Project{}, nil
	}
	settings, err := w.storeSettings(p)
	if err != nil {
		return nil, err
	}
	if settings.Kind == store.Files {
		if err := command.OutsideServed("the folder of captures", settings.Folder, p); err != nil {
			return nil, err
		}
	}
	kept, err := store.Open(ctx, settings, w.logger)
	if err != nil {
		if settings.Kind == store.Files {
			err = fmt.Errorf("%s: %w", settings.Folder, err)
		}
		return nil, err
	}
	web := &Project{logger: w.logger, store: kept, now: time.Now, Sources: []view.Source{resources.New(kept)}}
	if settings.DB != nil {
		web.now = settings.DB.Now
	}
	web.runs = append(web.runs, kept.Run)
	if err := w.addTools(web); err != nil {
		web.Close()
		return nil, err
	}
	return web, nil
}

// storeSettings returns how captures of a project are kept: by its configuration, which variables
// override, and in the folder that an option names.
func (w *webAccess) storeSettings(p *project.Project) (store.Settings, error) {
	s := store.DefaultSettings()
	s.Folder = filepath.Join(p.Dir, store.DefaultFolder)
	if kind := p.Config.Capture.Store; kind != "" {
		var err error
		if s.Kind, err = store.ParseKind(kind); err != nil {
			return s, err
		}
	}
	if ttl, ok := p.Config.Capture.MaxAge(); ok {
		s.TTL = ttl
	}
	s, err := s.FromEnvironment(os.Getenv)
	if err != nil {
		return s, err
	}
	if w.options.Listed {
		s.Kind = store.Memory
		return s, nil
	}
	if db := w.options.Database; db != nil {
		s.Kind, s.DB, s.Project = store.Postgres, db, siteName(p)
		return s, nil
	}
	named := os.Getenv(store.RootVariable) != ""
	if w.options.dir != "" {
		s.Kind, s.Folder, named = store.Files, w.options.dir, true
	}
	if named && w.several { // each project has its own folder
		s.Folder = filepath.Join(s.Folder, siteName(p))
	}
	// The author of the project could choose any folder.
	if info, err := os.Lstat(s.Folder); s.Kind == store.Files && !named && err == nil && !info.IsDir() {
		return s, fmt.Errorf("%s: is not a folder, and a link is not followed: remove it, or name the folder of captures with --capture-dir", s.Folder)
	}
	return s, nil
}

// addTools adds the tools to a project.
func (w *webAccess) addTools(web *Project) error {
	strategies, err := inOrder(w.strategies)
	if err != nil {
		return err
	}
	o := &webtools.Options{
		Client: w.client, Chain: fetch.NewChain(strategies...), Providers: w.providers, Firecrawl: w.firecrawl, LLM: w.model, Store: web.store, Converter: w.converter, Logger: w.logger, Now: web.now,
		Acts: slices.ContainsFunc(strategies, func(s fetch.Strategy) bool { return s.Name() != fetch.NativeName }),
	}
	if kept := web.store.Settings(); kept.DB != nil {
		o.Jobs = webtools.DatabaseJobs(kept.DB, kept.Project)
	}
	scraper := webtools.NewScraper(*o)
	web.crawls = webtools.NewCrawler(*o)
	web.runs = append(web.runs, web.crawls.Run)
	web.Tools = append(web.Tools, scraper.Tool())
	if len(o.Providers) > 0 {
		web.Tools = append(web.Tools, scraper.SearchTool())
	}
	web.Tools = append(web.Tools, o.Map(), web.crawls.Tool())
	return nil
}

// siteName returns the name of a project in URLs. The names keep the captures of several projects apart.
func siteName(p *project.Project) string {
	return httpserver.SiteName(cmp.Or(p.Config.Package, p.Config.Name))
}

// Gauges returns the states of captures that metrics show.
func (w *Project) Gauges() []metrics.Gauge {
	if w.store == nil {
		return nil
	}
	return []metrics.Gauge{
		{Name: "captures", Help: "Captures of web pages.", Value: func() float64 { n, _ := w.store.Totals(); return float64(n) }},
		{Name: "capture_bytes", Help: "Bytes of captures.", Value: func() float64 { _, bytes := w.store.Totals(); return float64(bytes) }},
		{Name: "running_crawls", Help: "Crawls that run in this process.", Value: func() float64 { return float64(w.crawls.Running()) }},
	}
}

// Start starts the background work of the store and the tools, which ends with ctx. wait waits until the
// work has ended.
func (w *Project) Start(ctx context.Context) (wait func()) {
	var work sync.WaitGroup
	for _, run := range w.runs {
		work.Go(func() { run(ctx) })
	}
	return work.Wait
}

// Close stops and closes everything that was opened.
func (w *Project) Close() {
	if w.store == nil {
		return
	}
	if err := w.store.Close(); err != nil {
		w.logger.Warn("captures cannot be closed", "error", err)
	}
}

// Captures of agents, for commands that only read them. The commands show public captures. They cannot
// show captures that a server keeps in memory.

// CaptureFiles returns the settings of a project that keeps captures in files, and false for other
// projects.
func CaptureFiles(p *project.Project) (store.Settings, bool) {
	settings, err := new(webAccess).storeSettings(p)
	if err != nil || settings.Kind != store.Files { // serve reports the error
		return settings, false
	}
	info, err := os.Stat(settings.Folder)
	return settings.Unbounded(), err == nil && info.IsDir()
}

// OpenCaptures opens the captures of a project. It returns nil if the project has none.
func OpenCaptures(ctx context.Context, p *project.Project) (*store.Store, error) {
	settings, ok := CaptureFiles(p)
	if !ok {
		return nil, nil
	}
	kept, err := store.Open(ctx, settings, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", settings.Folder, err)
	}
	return kept, nil
}
