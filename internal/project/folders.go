package project

import (
	"context"
	"fmt"
	"path"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/config"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docsfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// readDocuments reads the documents that have changed and publishes them. A query waits a little
// until they are indexed, or else searches only the paths.
func (l *Live) readDocuments(ctx context.Context, r *refresher) bool {
	old := l.searched.documents.Peek()
	// Where nothing is followed, the first answer is often the only one: a command or a Worker needs all documents.
	quick := old == nil && (l.watcher != nil || l.options.Follow != nil)
	reading := docs.Reading{Sites: site.Options{Quick: quick, Visit: r.visit, Listed: l.server.SetNames}, Old: old, Changed: r.changed}
	if l.pdfs != nil {
		reading.PDFs = l.pdfs
	}
	library, err := l.project.readDocuments(ctx, l.settings.Load(), reading)
	if err == nil && library.Sites().Quick() { // the default language and version can be asked for
		l.searched.documents.Publish(library)
		l.offerSearch(ctx)
		_ = library.IndexBeside(ctx, l.yield()) // before the other documents are read, so that the first search need not wait for them
		reading.Sites.Quick, reading.Old = false, library
		library, err = l.project.readDocuments(ctx, l.settings.Load(), reading)
	}
	refused := ""
	if err != nil {
		if ctx.Err() != nil {
			return false
		}
		if refused = err.Error(); refused != l.unreadable {
			l.report(Said{"warning: " + PathError(l.project.Show(r.folder()), err).Error()})
		}
		library = new(docs.Library)
		l.server.SetNames(site.Names{})
	}
	if l.pdfs != nil && l.pdfs.fresh.Swap(false) {
		_ = library.IndexBeside(ctx, l.yield()) // before it is published, so that no search waits for the texts of PDF files
	}
	l.unreadable = refused
	l.searched.documents.Publish(library)
	if l.publishDocuments(ctx, library) != nil {
		return false // ctx has ended
	}
	news := without(library.Warnings(), old.Warnings())
	l.offerSearch(ctx)
	l.warnings(l.unreported(ctx, news))
	return err == nil
}

const (
	// quiet is how long no client must have made a request before documents are indexed. A client
	// that fetches a list asks for the next page sooner.
	quiet = 10 * time.Millisecond

	// mostYielded is how long clients can delay an index in all.
	mostYielded = 2 * time.Second
)

// yield returns a function that waits a little while clients are answered, and reports whether to
// call it again. After [mostYielded] it does not wait.
func (l *Live) yield() func(context.Context) bool {
	start := time.Now()
	return func(ctx context.Context) bool {
		idle := l.server.Quiet()
		if idle >= quiet || time.Since(start) >= mostYielded {
			return false
		}
		select {
		case <-time.After(quiet - idle):
			return true
		case <-ctx.Done():
			return false
		}
	}
}

// unreported returns the warnings about documents that the catalog does not report. The catalog has
// the documents too where they are resources.
func (l *Live) unreported(ctx context.Context, warnings []loader.Warning) []loader.Warning {
	if len(warnings) == 0 || !l.settings.Load().Config.DocsResources {
		return warnings
	}
	catalog, err := l.catalog.Load(ctx)
	if err != nil {
		return nil
	}
	return without(warnings, catalog.Warnings())
}

// readPrompts reads the prompts and publishes them.
func (l *Live) readPrompts(ctx context.Context, r *refresher) bool {
	l.promptsMu.Lock()
	old := l.filePrompts
	l.promptsMu.Unlock()
	set, err := prompts.Scan(ctx, l.project.now(), r.folder(), r.visit)
	if err != nil {
		return false // ctx has ended
	}
	l.warn(without(set.Problems(), old.Problems()))
	l.setPrompts(ctx, set)
	return true
}

// Documents reads the documents. It does not index them.
func (p *Project) Documents(ctx context.Context) (*docs.Library, error) {
	return p.readDocuments(ctx, &p.Settings, docs.Reading{})
}

// readDocuments reads the documents: the folder that the user or the configuration names, or else all of the project.
func (p *Project) readDocuments(ctx context.Context, s *Settings, r docs.Reading) (*docs.Library, error) {
	r.Sites = p.reading(s, r.Sites)
	library, err := docs.Detect(ctx, p.docFiles(s), r)
	if err != nil {
		return nil, err
	}
	if p.Published && library.Sites().Scattered() {
		return nil, &ScatteredError{Config: p.Show(p.ConfigFile), Documents: library.Len()}
	}
	p.noteExcluded(s, library)
	return library, nil
}

// reading returns options with what the configuration says about the documents.
func (p *Project) reading(s *Settings, o site.Options) site.Options {
	o.Named, o.Exclude, o.Published, o.Default = namedSites(s.Config.Sites), s.docsExclude, p.Published, p.Default
	if s.choosesFolder() {
		o.Chosen = path.Clean(s.Config.Docs)
	}
	return o
}

// A ScatteredError reports that nothing says that the documents of a project, which lie in the project folder itself, are for others.
type ScatteredError struct {
	Config    string // the configuration file, for messages
	Documents int
}

func (e *ScatteredError) Error() string {
	return fmt.Sprintf(`nothing says that others may read the documents of this project (%d, in no folder for documentation): to publish all, write "docs": "." into %s; for one folder, "docs": "FOLDER"`, e.Documents, e.Config)
}

// choosesFolder reports whether the documents come from a folder, whatever sites there are.
func (s *Settings) choosesFolder() bool {
	return s.Config.DocsGiven || s.Config.Sites != nil && len(s.Config.Sites) == 0
}

// mountsDocs reports whether all files of the documents' folder can be resources. Otherwise only documents can, and what they show.
func (s *Settings) mountsDocs() bool { return s.choosesFolder() && path.Clean(s.Config.Docs) != "." }

// namedSites returns the sites of the configuration, or nil if it does not name any.
func namedSites(sites []config.Site) (named []site.Named) {
	if sites != nil {
		named = make([]site.Named, len(sites))
	}
	for i, s := range sites {
		named[i] = site.Named{Root: path.Clean(s.Root), Language: s.Language, Version: s.Version}
	}
	return named
}

// docFiles returns the files that documents may be made of.
func (p *Project) docFiles(s *Settings) *docsfs.FS {
	var named []string
	if s.Config.DocsGiven {
		named = append(named, s.Config.Docs)
	}
	for _, site := range s.Config.Sites {
		named = append(named, site.Root)
	}
	files := docsfs.Of(p.now(), named...)
	files.Bound(int64(s.Config.Limits.MaxReadBytes))
	return files
}
