package project

import (
	"context"
	"fmt"
	"iter"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies/gomodules"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies/npm"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

// Ecosystems are the names of the ecosystems whose dependencies can be served.
var Ecosystems = []string{"npm", "go"}

// unsupported are the manifests of ecosystems that have no finder.
var unsupported = []struct{ file, language string }{
	{"pyproject.toml", "Python"}, {"requirements.txt", "Python"}, {"setup.py", "Python"}, {"Pipfile", "Python"}, {"Cargo.toml", "Rust"},
}

// finder returns the finder of an ecosystem.
func finder(ecosystem string) dependencies.Finder {
	if ecosystem == "go" {
		return gomodules.Find
	}
	return npm.Find
}

// DependencyOptions say which documents of dependencies are served. The zero value: none, whatever the configuration
// says.
type DependencyOptions struct {
	Configured bool // as the configuration says, and nothing outside the project folder
	// the ecosystems that an operator chose, who allows to read outside the project folder; nil: none
	Ecosystems []string
	All        bool   // indirect dependencies too
	Cache      string // folder that keeps the index between starts; "": it is not kept
}

// chosen returns the ecosystems to serve, and whether the operator chose them.
func (o *DependencyOptions) chosen(s *Settings) (ecosystems []string, byOperator bool) {
	switch {
	case len(o.Ecosystems) > 0:
		return o.Ecosystems, true
	case o.Configured && s.Config.Deps:
		return Ecosystems, false
	}
	return nil, false
}

// stampEvery is how often it is checked whether packages have changed, which takes a few calls of stat. Folders of
// packages are too large to be watched.
const stampEvery = 2 * time.Second

// found holds the results of the finders of all ecosystems.
type found struct {
	set      *dependencies.Set
	warnings []loader.Warning
	all      []*dependencies.Found

	ecosystems []string // that were searched
	first      string   // the stamp when the packages were found
}

// stamp changes when packages may have changed.
func (f *found) stamp() string {
	var b strings.Builder
	for _, one := range f.all {
		b.WriteString(one.Stamp())
	}
	return b.String()
}

func (f *found) close() {
	if f == nil {
		return
	}
	for _, one := range f.all {
		one.Close()
	}
}

// findDependencies finds the packages that the project depends on. The error is ctx.Err().
func (p *Project) findDependencies(ctx context.Context, ecosystems []string, o dependencies.Options) (*found, error) {
	if o.Files = p.Folder; p.Folder == nil {
		ecosystems = nil
	}
	var err error
	if o.Dir, err = filepath.Abs(p.Dir); err != nil {
		o.Outside = false
	}
	f := new(found)
	var packages []*dependencies.Package
	for _, name := range ecosystems {
		one, err := finder(name)(ctx, o)
		if err != nil {
			f.close()
			return nil, err
		}
		f.all = append(f.all, one)
		packages, f.warnings = append(packages, one.Packages...), append(f.warnings, one.Notices...)
	}
	var left []loader.Warning
	if len(ecosystems) == len(Ecosystems) {
		for _, m := range unsupported {
			if _, err := o.Files.Stat(m.file); err == nil {
				left = append(left, loader.Warning{Path: m.file, Reason: "the documents of " + m.language + " packages are not supported yet"})
			}
		}
	}
	f.set = dependencies.New(packages, left...)
	return f, nil
}

// followDependencies reads the documents of dependencies, and reads them again when the packages change, until ctx ends.
func (l *Live) followDependencies(ctx context.Context) {
	var now, last *found // answers may still read the last ones
	defer func() { last.close(); now.close() }()
	// Reading must not delay what clients ask for first.
	if _, err := l.catalog.Load(ctx); err != nil {
		return
	}
	var cache *dependencies.Cache
	defer func() { cache.Close() }()
	settled := "" // a stamp that was seen once since the last reading
	for {
		changed := l.changes.Changed()
		ecosystems, byOperator := l.options.Dependencies.chosen(l.settings.Load())
		stamp := ""
		if now != nil {
			stamp = now.stamp()
		}
		if now == nil || stamp != now.first && stamp == settled || !slices.Equal(ecosystems, now.ecosystems) {
			if len(ecosystems) > 0 && cache == nil {
				cache = l.openCache()
			}
			f, err := l.project.findDependencies(ctx, ecosystems, dependencies.Options{Outside: byOperator, All: l.options.Dependencies.All, Cache: cache})
			if err != nil {
				return
			}
			last.close()
			last, now = now, f
			now.ecosystems, now.first = ecosystems, now.stamp()
			if l.publishDependencies(ctx, f, cache) != nil {
				return
			}
		}
		settled = stamp
		if l.watcher == nil {
			<-ctx.Done() // until then, documents are read
			return
		}
		var tick <-chan time.Time
		if len(ecosystems) > 0 {
			tick = time.After(stampEvery)
		}
		select {
		case <-ctx.Done():
			return
		case <-changed: // perhaps the configuration
		case <-tick:
		}
	}
}

// openCache opens the cache of the dependencies, or returns nil if there is none.
func (l *Live) openCache() *dependencies.Cache {
	dir := l.options.Dependencies.Cache
	if dir == "" {
		return nil
	}
	cache, err := dependencies.OpenCache(dir)
	if err != nil {
		l.logger.Warn("the index of the dependencies is not kept between starts", "error", err)
	}
	return cache
}

// publishDependencies publishes the packages that were found, and indexes their documents. Descriptions of APIs that are not in the
// cache follow later. The error is ctx.Err().
func (l *Live) publishDependencies(ctx context.Context, f *found, cache *dependencies.Cache) error {
	l.searched.mu.Lock()
	old := l.searched.dependencies
	l.searched.mu.Unlock()
	if len(f.ecosystems) == 0 {
		if old != nil {
			l.setDependencies(ctx, nil)
		}
		return nil
	}
	if old.Pending() {
		old = nil
	}
	key := fmt.Sprint("index ", f.ecosystems, l.options.Dependencies.All, l.project.Place())
	for cached := true; ; cached = false {
		set, err := f.set.Describe(ctx, cached)
		if err != nil {
			return err
		}
		if cached {
			l.report(Dependencies{set, len(f.warnings)})
		}
		d, err := docs.ReadDependencies(ctx, set, old)
		if err != nil {
			return err
		}
		first := old == nil
		if first { // searches wait for the index
			if saved, ok := cache.Get(key); ok {
				d.Restore(saved)
			}
			l.setDependencies(ctx, d)
		}
		if err := d.Index(ctx, l.yield()); err != nil {
			return err
		}
		if !first {
			l.setDependencies(ctx, d)
		}
		if old = d; set.Undescribed() > 0 {
			continue
		}
		if data := d.Save(); data != nil {
			cache.Put(key, data)
		}
		if !cached {
			debug.FreeOSMemory() // declarations take many times the memory of their index
		}
		return nil
	}
}

// setDependencies publishes dependencies; nil: none are served.
func (l *Live) setDependencies(ctx context.Context, d *docs.Dependencies) {
	l.searched.mu.Lock()
	l.searched.dependencies = d
	l.searched.mu.Unlock()
	l.dependencyFiles.set(d) // before searches find them
	l.offerSearch(ctx)
}

// dependencyFiles is the [view.Source] of documents of dependencies. They can be read and match a template, but are not
// listed: clients that show all resources would show little else.
type dependencyFiles struct{ source }

// Name implements [view.Source].
func (s *dependencyFiles) Name() string { return "the documents of dependencies" }

// set replaces the documents.
func (s *dependencyFiles) set(d *docs.Dependencies) {
	var all []*view.Resource
	for _, document := range d.Documents() {
		all = append(all, &view.Resource{
			URI: docs.DependencyURI(document.Path), Name: document.Path, MIMEType: "text/markdown", Size: -1, Modified: document.ModTime,
			Description: "From " + d.Set().Of(document.Path).String() + ". " + docs.ThirdParty,
			Read: func(ctx context.Context, _ func(int) []byte) ([]byte, error) {
				text, err := document.Text(ctx)
				return []byte(text), err
			},
		})
	}
	list := view.NewList(all)
	if all == nil {
		s.replace(nil, list)
	} else {
		s.replace(dependencySnapshot{list}, list)
	}
}

// A dependencySnapshot is the documents of dependencies at one moment.
type dependencySnapshot struct{ *view.List }

// After implements [view.Snapshot].
func (dependencySnapshot) After(string) iter.Seq[*view.Resource] {
	return func(func(*view.Resource) bool) {}
}

// Templates implements [view.Snapshot].
func (dependencySnapshot) Templates() []templates.Entry {
	e := templates.Entry{Definition: templates.Definition{
		URITemplate: dependencies.Folder + "://{ecosystem}/{+path}",
		Name:        "documents of dependencies",
		Description: "A document of a package that the project depends on, such as deps://npm/NAME@VERSION/README.md. " + docs.ThirdParty,
		MIMEType:    "text/markdown",
	}}
	var err error
	if e.Template, err = templates.Parse(e.URITemplate); err != nil {
		return nil
	}
	return []templates.Entry{e}
}
