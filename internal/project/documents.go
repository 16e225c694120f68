package project

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"sync"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/config"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/media"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docsfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/latest"
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
	if err == nil && library.Sites().Quick() {
		// clients can already search the default language and version
		l.searched.documents.Publish(library)
		l.offerSearch(ctx)
		// before the other documents are read, so that the first search need not wait for them
		_ = library.IndexBeside(ctx, l.yield())
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
		// before it is published, so that no search waits for the texts of PDF files
		_ = library.IndexBeside(ctx, l.yield())
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

// A source is what sources of resources of documents have in common: a snapshot, which is replaced as a whole.
type source struct {
	mu        sync.Mutex // guards the fields below
	snapshot  view.Snapshot
	resources *view.List // of the snapshot
	changed   func(view.Change)
}

// Snapshot implements [view.Source].
func (s *source) Snapshot(*loader.Catalog, string) view.Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.snapshot
}

// Notify implements [view.Source].
func (s *source) Notify(changed func(view.Change)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed = changed
}

// replace sets the snapshot, which is nil without resources, and its resources, and notifies clients of the differences. Only one goroutine
// calls it.
func (s *source) replace(next view.Snapshot, resources *view.List) {
	s.mu.Lock()
	last, changed := cmp.Or(s.resources, new(view.List)), s.changed
	s.snapshot, s.resources = next, resources
	s.mu.Unlock()
	if changed == nil {
		return
	}
	listed := func(a, b *view.Resource) bool {
		return a.URI == b.URI && a.Title == b.Title && a.Description == b.Description
	}
	changed(view.Change{
		List: !slices.EqualFunc(slices.Collect(last.After("")), slices.Collect(resources.After("")), listed),
		Also: func(uri string) bool {
			was, before := last.Lookup(uri)
			is, now := resources.Lookup(uri)
			return before != now || now && (was.Size != is.Size || !was.Modified.Equal(is.Modified))
		},
	})
}

// documentFiles is the [view.Source] of documents that are resources, where sites chose the documents: these, their
// images and what they include. No other file in their folders is one. In a folder that somebody chose, the loader
// makes resources of all files instead.
type documentFiles struct {
	source
	has   func() bool   // reports whether there are any, once the templates are compiled
	known chan struct{} // closed when they are known
}

// Wait implements [view.Waiter].
func (s *documentFiles) Wait(ctx context.Context) {
	if !s.has() {
		return
	}
	select {
	case <-s.known:
	case <-ctx.Done():
	case <-time.After(mostWaited):
	}
}

// mostWaited is how long a request for resources waits for the first documents that are resources.
const mostWaited = 20 * time.Second

// Name implements [view.Source].
func (s *documentFiles) Name() string { return "the documents" }

// set makes resources of files. name is the name of the project.
func (s *documentFiles) set(name string, files []docs.File) {
	var all []*view.Resource
	for _, f := range files {
		all = append(all, resourceOf(name, f))
	}
	list := view.NewList(all)
	if all == nil {
		s.replace(nil, list)
	} else {
		s.replace(list, list)
	}
	select {
	case <-s.known:
	default:
		close(s.known)
	}
}

// resourceOf returns a file of the documents as a resource.
func resourceOf(name string, f docs.File) *view.Resource {
	r := &view.Resource{URI: docs.URI(name, f.Path), Name: f.Path, Size: f.Size, Modified: f.ModTime, MIMEType: "application/octet-stream"}
	if p := f.Page; p != nil {
		r.MIMEType, r.Document = "text/markdown", f.Path
		r.Title, r.Description = p.Title, p.Summary
	}
	if mime, ok := media.ByName(f.Name); ok {
		r.MIMEType = mime
	}
	r.Read = func(_ context.Context, alloc func(int) []byte) ([]byte, error) {
		opened, err := f.Open()
		if err != nil {
			return nil, err
		}
		defer opened.Close()
		info, err := opened.Stat()
		if err != nil {
			return nil, err
		}
		if !info.Mode().IsRegular() {
			return nil, fs.ErrNotExist
		}
		data := alloc(int(info.Size()))
		if data == nil {
			return nil, loader.ErrNoRoom
		}
		n, err := io.ReadFull(opened, data[:info.Size()])
		if err == io.ErrUnexpectedEOF || err == io.EOF { // it has become shorter
			err = nil
		}
		return data[:n], err
	}
	return r
}

// MadeOfDocuments reports whether documents are resources that the loader does not make. It is known once the templates are
// compiled.
func (s *Settings) MadeOfDocuments() bool { return s.Config.DocsResources && !s.docsMounted }

// publishDocuments makes resources of the documents of sites, if the settings say so and the loader does not.
func (l *Live) publishDocuments(ctx context.Context, library *docs.Library) error {
	// The settings of the loader are known once it is compiled.
	if err := latest.Wait(ctx, l.compiled); err != nil {
		return err
	}
	s := l.settings.Load()
	if !s.MadeOfDocuments() {
		l.documentFiles.set(s.Config.Name, nil)
		return nil
	}
	files, err := library.Published(ctx)
	if err != nil {
		return err
	}
	// a document may include it
	files = slices.DeleteFunc(files, func(f docs.File) bool { _, excluded := library.Excluded(f.Name); return excluded })
	l.documentFiles.set(s.Config.Name, files)
	return nil
}
