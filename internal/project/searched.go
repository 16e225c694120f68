package project

import (
	"cmp"
	"context"
	"io/fs"
	"iter"
	"sync"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/latest"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// resourceTexts yields the resources of a catalog that may be text, except the documents.
type resourceTexts struct {
	catalog   *loader.Catalog
	documents string // their folder
}

// Texts yields the resources in the order of lists.
func (s resourceTexts) Texts() iter.Seq[docs.Text] {
	return func(yield func(docs.Text) bool) {
		for r := range s.catalog.All() {
			if r.Size() > docs.MaxText || r.Mounted() && walk.Holds(s.documents, r.Path()) || !docs.Searchable(s.catalog.MIME(r)) {
				continue
			}
			if !yield(docs.Text{URI: r.URI(), Path: r.Path(), Size: r.Size(), ModTime: r.ModTime().UnixNano()}) {
				return
			}
		}
	}
}

// Open opens a resource.
func (s resourceTexts) Open(uri string) (fs.File, error) {
	r, ok := s.catalog.Exact(uri)
	if !ok {
		return nil, fs.ErrNotExist
	}
	return r.Open()
}

// promptTexts yields the prompts in files, but not the skills, which are resources.
type promptTexts struct {
	set   *prompts.Set
	files fs.FS
}

// Texts yields the prompts by name.
func (s promptTexts) Texts() iter.Seq[docs.Text] {
	return func(yield func(docs.Text) bool) {
		for _, p := range s.set.Prompts() {
			info, err := fs.Stat(s.files, p.File)
			if err != nil || !walk.Holds(prompts.Folder, p.File) {
				continue
			}
			if !yield(docs.Text{URI: docs.PromptURI(p.Name), Path: p.File, Size: info.Size(), ModTime: info.ModTime().UnixNano(), Markdown: true}) {
				return
			}
		}
	}
}

// Open opens the file of a prompt.
func (s promptTexts) Open(uri string) (fs.File, error) {
	for _, p := range s.set.Prompts() {
		if docs.PromptURI(p.Name) == uri {
			return s.files.Open(p.File)
		}
	}
	return nil, fs.ErrNotExist
}

// Captures is a [view.Source] whose texts are searched with the documents if the settings say so.
type Captures interface {
	// Texts returns the texts that every caller may search at the moment. Texts with an owner are
	// left out, because the words of an index and their weights affect the results of all callers.
	Texts() docs.Source
	// Changed has a value when the texts have changed.
	Changed() <-chan struct{}
}

// betweenCaptures is the least time between two libraries with new captures. A crawl makes several
// captures a second, and joining them with a large index takes a tenth of a second.
const betweenCaptures = time.Second

// searched holds everything that a search looks through: the documents, and, if the settings say so, resources and
// captures.
type searched struct {
	captures     []Captures
	documents    *latest.Value[docs.Library] // as they were scanned
	mu           sync.Mutex                  // held while a library is published
	dependencies *docs.Dependencies          // nil: none are served; guarded by mu
	// how often texts were offered to searches; guarded by mu
	offers int
}

// followCaptures publishes a new library when captures change, until ctx ends.
func (l *Live) followCaptures(ctx context.Context, c Captures) {
	for {
		if latest.Wait(ctx, c.Changed()) != nil {
			return
		}
		if !l.settings.Load().Config.Search.Captures {
			continue
		}
		l.offerSearch(ctx)
		if latest.Wait(ctx, time.After(betweenCaptures)) != nil {
			return
		}
	}
}

// Library returns the current documents. The error is ctx.Err().
func (l *Live) Library(ctx context.Context) (*docs.Library, error) { return l.documents.Load(ctx) }

// Indexed waits until the documents are read and indexed, PDF files too. The error is ctx.Err().
func (l *Live) Indexed(ctx context.Context) error {
	library, err := l.documents.Until(ctx, func(library *docs.Library) bool { return library.Dependencies().Described() })
	if err != nil {
		return err
	}
	if err := library.Dependencies().Index(ctx, nil); err != nil {
		return err
	}
	if l.pdfs != nil && len(library.PDFs()) > 0 {
		l.pdfs.wanted()
		if err := latest.Wait(ctx, l.pdfs.settled); err != nil {
			return err
		}
		if library, err = l.documents.Load(ctx); err != nil {
			return err
		}
	}
	return library.Index(ctx)
}

// offerSearch publishes the documents together with the other texts that are searched, and has them
// indexed once the resources are published. Without documents, the other texts are indexed for the first search: few clients
// search files that they read by their URIs, and the index of very many takes more time and memory than all else. Next to documents,
// they are searched once they are indexed: until then, queries are answered from the documents.
func (l *Live) offerSearch(ctx context.Context) {
	s := &l.searched
	s.mu.Lock()
	defer s.mu.Unlock()
	library := s.documents.Peek()
	if library == nil {
		return
	}
	hasDocuments, follows := library.Len() > 0, l.watcher != nil || l.options.Follow != nil
	sources, err := l.sources(ctx, hasDocuments, follows)
	if err != nil {
		return // ctx has ended
	}
	present := l.documents.Peek()
	// with the other texts, if they are indexed before it is published
	var next *docs.Library
	if s.dependencies != nil {
		library = library.WithDependencies(s.dependencies)
	}
	if len(sources) > 0 {
		with := library.With(present, sources...)
		if next = with; !hasDocuments || !follows || present.HasSources() {
			library, next = with, nil
		}
	}
	if library == present && next == nil {
		return
	}
	if library != present {
		l.server.SetLibrary(library)
		l.index.Changed()
	}
	s.offers++
	offer := s.offers
	l.work.Go(func() { l.indexOffered(ctx, offer, library, next) })
}

// sources returns the other texts that are searched.
func (l *Live) sources(ctx context.Context, hasDocuments, follows bool) (sources []docs.Source, err error) {
	config := &l.settings.Load().Config
	if config.Search.Resources || !hasDocuments {
		if !hasDocuments || !follows { // the first query must find resources too
			_, failed := l.catalog.Load(ctx)
			if _, err := l.prompts.Load(ctx); err != nil || failed != nil {
				return nil, cmp.Or(err, failed)
			}
		}
		if catalog := l.catalog.Peek(); catalog != nil && catalog.Len() > 0 {
			sources = append(sources, resourceTexts{catalog, config.Docs})
		}
		if set := l.prompts.Peek(); len(set.Prompts()) > 0 {
			sources = append(sources, promptTexts{set, l.project.now()})
		}
	}
	if config.Search.Captures {
		for _, c := range l.searched.captures {
			sources = append(sources, c.Texts())
		}
	}
	return sources, nil
}

// indexOffered indexes a library that was published once the resources are, and then the next one, if there is one, which it publishes.
func (l *Live) indexOffered(ctx context.Context, offer int, library, next *docs.Library) {
	if _, err := l.catalog.Load(ctx); err != nil {
		return // ctx has ended
	}
	changed := l.documents.Changed()
	if l.documents.Peek() != library {
		return // a later library is indexed instead
	}
	var err error
	if library.Len() > 0 {
		err = library.IndexBeside(ctx, l.yield())
	} else {
		err = library.IndexWanted(ctx, changed)
	}
	if next != nil && err == nil {
		if err = next.IndexBeside(ctx, l.yield()); err == nil {
			l.searched.publish(offer, func() { l.server.SetLibrary(next) })
		}
	}
	if err != nil && ctx.Err() == nil {
		l.logger.Warn("the documents cannot be indexed", "error", err)
	}
	l.warnings(library.TakeWarnings())
	l.index.Changed()
}

// publish publishes a library unless a later one was offered.
func (s *searched) publish(offer int, set func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.offers == offer {
		set()
	}
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
		return idle < quiet && time.Since(start) < mostYielded && latest.Wait(ctx, time.After(quiet-idle)) == nil
	}
}
