package project

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/config"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docsfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// readDocuments reads the documents that have changed and publishes them. A query waits a little
// until they are indexed, or else searches only the paths.
func (l *Live) readDocuments(ctx context.Context, r *refresher) bool {
	old := l.searched.documents.Peek()
	// Where nothing is followed, the first answer is often the only one: a command or a Worker needs all documents.
	quick := old == nil && (l.watcher != nil || l.reports != nil)
	reading := docs.Reading{Sites: site.Options{Quick: quick, Visit: r.visit}, Old: old, Changed: r.changed}
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
		if _, scattered := errors.AsType[*ScatteredError](err); scattered && old == nil {
			l.stop(err)
			return false
		}
		if refused = err.Error(); refused != l.unreadable {
			l.report(Unreadable{r.folder(), err})
		}
		library = new(docs.Library)
	}
	l.unreadable = refused
	l.searched.documents.Publish(library)
	if l.publishDocuments(ctx, library) != nil {
		return false // ctx has ended
	}
	news := without(library.Notices(), old.Notices())
	l.offerSearch(ctx)
	l.notices(l.unreported(ctx, news))
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

// unreported returns the notices about documents that the catalog does not report. The catalog has
// the documents too where they are resources.
func (l *Live) unreported(ctx context.Context, notices []loader.Notice) []loader.Notice {
	if len(notices) == 0 || !l.settings.Load().Config.DocsResources {
		return notices
	}
	catalog, err := l.catalog.Load(ctx)
	if err != nil {
		return nil
	}
	return without(notices, catalog.Notices())
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

// readDocuments reads the documents. They come from the first of these that has any: the folder that the user or the
// configuration chooses; the sites that the configuration names; docs/ in a project with a configuration; the sites that
// are found in the project; docs/ in any project. If a site generator publishes the folder, its configuration adds
// information about the documents.
func (p *Project) readDocuments(ctx context.Context, s *Settings, r docs.Reading) (*docs.Library, error) {
	library, err := p.readLibrary(ctx, s, r)
	if err == nil {
		p.noteExcluded(s, library)
	}
	return library, err
}

// readLibrary is readDocuments without notices about the configuration.
func (p *Project) readLibrary(ctx context.Context, s *Settings, r docs.Reading) (*docs.Library, error) {
	r.Sites.Named, r.Sites.Exclude = namedSites(s.Config.Sites), s.docsExclude
	files, folder, chosen, detect := p.docFiles(s), s.Config.Docs, s.choosesFolder(), s.Config.Sites == nil
	if chosen || detect && s.Configured {
		library, err := docs.ScanFolder(ctx, files, folder, r)
		if err != nil {
			return nil, err
		}
		if chosen || library.Len() > 0 {
			return library.Follow(ctx, r)
		}
	}
	library, err := docs.Detect(ctx, files, r)
	if err != nil {
		return nil, err
	}
	if n, folders := library.Sites().Scattered(); n > 0 && p.Shared {
		e := &ScatteredError{Config: p.Show(p.ConfigFile), Documents: n, Folders: folders}
		if !s.Configured {
			e.Package = cmp.Or(bundle.Slug(s.Config.Name), "docs")
		}
		return nil, e
	}
	if library.Len() > 0 || !detect {
		return library, nil
	}
	if scanned, err := docs.ScanFolder(ctx, files, folder, r); err != nil || scanned.Len() > 0 || len(library.Left()) == 0 {
		return scanned, err
	}
	return library, nil // it says why there are none
}

// A ScatteredError reports that nothing says which Markdown of a project others may read.
type ScatteredError struct {
	Config    string // the configuration file, for messages
	Documents int
	Folders   []string // of the documents, at the top of the project, as messages name them
	Package   string   // a name for the package, for a project without a configuration file
}

func (e *ScatteredError) Error() string {
	folders := e.Folders
	if len(folders) > 5 {
		folders = append(slices.Clip(folders[:5]), "others")
	}
	problem := fmt.Sprintf("nothing says which Markdown files others may read (%d, in %s)", e.Documents, strings.Join(folders, ", "))
	if e.Package != "" {
		return fmt.Sprintf(`%s: to let them read all, write into %s {"name": %q, "package": %[3]q, "version": "1.0.0", "sites": [{"root": "."}]}; for one folder, write "docs": "FOLDER" in place of "sites"`,
			problem, e.Config, e.Package)
	}
	return fmt.Sprintf(`%s: write the key "docs": "FOLDER" for one folder, or "sites": [{"root": "."}] for all, into %s`, problem, e.Config)
}

// CheckChosen returns a [ScatteredError] if others may not read the documents, before anything is said to be served. It reads
// the documents only if no configuration and no folder chooses them.
func (p *Project) CheckChosen(ctx context.Context) error {
	if !p.Shared || p.Config.Sites != nil || p.scansDocs(ctx, &p.Settings) {
		return nil
	}
	set, err := site.Find(ctx, p.docFiles(&p.Settings), site.Options{Exclude: p.docsExclude})
	if err != nil || !set.Unchosen() {
		return nil // an error is reported when the documents are read
	}
	_, err = p.readLibrary(ctx, &p.Settings, docs.Reading{})
	if scattered, ok := errors.AsType[*ScatteredError](err); ok {
		return scattered
	}
	return nil
}

// choosesFolder reports whether the documents come from a folder, whatever sites there are.
func (s *Settings) choosesFolder() bool {
	return s.Config.DocsGiven || s.Config.Sites != nil && len(s.Config.Sites) == 0
}

// scansDocs reports whether readDocuments reads the folder that the configuration names. Otherwise it reads the files of
// sites.
func (p *Project) scansDocs(ctx context.Context, s *Settings) bool {
	return s.choosesFolder() || s.Config.Sites == nil && s.Configured && docs.HasDocuments(ctx, p.docFiles(s), s.Config.Docs, s.docsExclude)
}

// namedSites returns the sites of the configuration, or nil if it does not name any.
func namedSites(sites []config.Site) (named []site.Named) {
	if sites != nil {
		named = make([]site.Named, len(sites))
	}
	for i, s := range sites {
		named[i] = site.Named{Root: s.Root, Generator: s.Generator, Language: s.Language, Version: s.Version}
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
	return docsfs.Of(p.now(), named...)
}
