package project

import (
	"context"
	"io/fs"
	"iter"
	"sync"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/current"
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
	return s.catalog.Open(r)
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
	documents    *current.Value[docs.Library] // as they were scanned
	mu           sync.Mutex                   // held while a library is published
	dependencies *docs.Dependencies           // nil: none are served; guarded by mu
}

// followCaptures publishes a new library when captures change, until ctx ends.
func (l *Live) followCaptures(ctx context.Context, c Captures) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.Changed():
		}
		if !l.settings.Load().Config.Search.Captures {
			continue
		}
		l.offerSearch(ctx)
		select {
		case <-ctx.Done():
			return
		case <-time.After(betweenCaptures):
		}
	}
}

// Library returns the current documents. The error is ctx.Err().
func (l *Live) Library(ctx context.Context) (*docs.Library, error) { return l.documents.Load(ctx) }

// Indexed waits until the documents are read and indexed. The error is ctx.Err().
func (l *Live) Indexed(ctx context.Context) error {
	library, err := l.documents.Until(ctx, func(library *docs.Library) bool { return library.Dependencies().Described() })
	if err != nil {
		return err
	}
	if err := library.Dependencies().Index(ctx, nil); err != nil {
		return err
	}
	return library.Index(ctx)
}

// offerSearch publishes the documents together with the other texts that are searched, and has them
// indexed once the resources are published. Without documents, the other texts are indexed for the first search: few clients
// search files that they read by their URIs, and the index of very many takes more time and memory than all else.
func (l *Live) offerSearch(ctx context.Context) {
	s := &l.searched
	s.mu.Lock()
	defer s.mu.Unlock()
	library := s.documents.Peek()
	if library == nil {
		return
	}
	config, hasDocuments := &l.settings.Load().Config, library.Len() > 0
	var sources []docs.Source
	if config.Search.Resources || !hasDocuments {
		catalog, err := l.catalog.Load(ctx) // the first query must find resources too
		if err != nil {
			return // ctx has ended
		}
		sources = append(sources, resourceTexts{catalog, config.Docs})
	}
	if config.Search.Captures {
		for _, c := range s.captures {
			sources = append(sources, c.Texts())
		}
	}
	if len(sources) > 0 {
		library = library.With(l.documents.Peek(), sources...)
	}
	if s.dependencies != nil {
		library = library.WithDependencies(s.dependencies)
	}
	if library == l.documents.Peek() {
		return
	}
	l.server.SetLibrary(library)
	l.index.Changed()
	l.work.Go(func() {
		if _, err := l.catalog.Load(ctx); err != nil {
			return // ctx has ended
		}
		changed := l.documents.Changed()
		if l.documents.Peek() != library {
			return // a later library is indexed instead
		}
		var err error
		if hasDocuments {
			err = library.IndexBeside(ctx, l.yield())
		} else {
			err = library.IndexWanted(ctx, changed)
		}
		if err != nil && ctx.Err() == nil {
			l.logger.Warn("the documents cannot be indexed", "error", err)
		}
		l.notices(library.TakeNotices())
		l.index.Changed()
	})
}
