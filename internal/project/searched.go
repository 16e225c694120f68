package project

import (
	"context"
	"fmt"
	"io/fs"
	"iter"
	"sync"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
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
			path := r.Path()
			if r.Size() > docs.MaxText || r.Mounted() && walk.Holds(s.documents, path) || !docs.Searchable(s.catalog.MIME(r)) {
				continue
			}
			if !yield(docs.Text{URI: r.URI(), Path: path, Size: r.Size(), ModTime: r.ModTime().UnixNano()}) {
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

// searched holds what is searched: the documents, and resources and captures if the settings say
// so.
type searched struct {
	captures     []Captures
	mu           sync.Mutex
	documents    *docs.Library      // as they were scanned; nil before the first scan; guarded by mu
	more         bool               // the published library has more than documents; guarded by mu
	dependencies *docs.Dependencies // nil: none are served; guarded by mu
	left         int                // texts that did not fit into the published library; guarded by mu
}

// searchesResources reports whether resources are searched: the settings say so, or there are no documents to search.
func (l *Live) searchesResources(documents *docs.Library) bool {
	return l.settings.Load().Config.Search.Resources || documents.Len() == 0
}

// followCaptures publishes a new library when captures change, until ctx ends.
func (l *Live) followCaptures(ctx context.Context, c Captures, indexing *sync.WaitGroup) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.Changed():
		}
		if !l.settings.Load().Config.Search.Captures {
			continue
		}
		l.offerSearch(ctx, nil, indexing)
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
	for {
		changed := l.documents.Changed()
		library, err := l.documents.Load(ctx)
		if err != nil {
			return err
		}
		if library.Dependencies().Described() {
			if err := library.Dependencies().Index(ctx, nil); err != nil {
				return err
			}
			return library.Index(ctx)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// offerSearch publishes the documents together with the other texts that are searched, and has them
// indexed once the resources are published. documents is nil if they have not changed.
func (l *Live) offerSearch(ctx context.Context, documents *docs.Library, indexing *sync.WaitGroup) {
	if documents != nil && l.searchesResources(documents) {
		// The first query must find resources too.
		if _, err := l.catalog.Load(ctx); err != nil {
			return // ctx has ended
		}
	}
	s := &l.searched
	s.mu.Lock()
	defer s.mu.Unlock()
	config := &l.settings.Load().Config
	if documents != nil {
		s.documents = documents
	} else if s.documents == nil {
		return
	}
	resources := l.searchesResources(s.documents)
	if documents == nil && !s.more && !resources && !config.Search.Captures {
		return
	}
	library := s.documents
	catalog := l.catalog.Peek()
	var sources []docs.Source
	if resources && catalog != nil {
		sources = append(sources, resourceTexts{catalog, config.Docs})
	}
	if config.Search.Captures {
		for _, c := range s.captures {
			sources = append(sources, c.Texts())
		}
	}
	s.more = len(sources) > 0 || s.dependencies != nil
	if len(sources) > 0 {
		var left int
		library, left = s.documents.With(l.documents.Peek(), sources...)
		if left > 0 && (s.left == 0 || left >= 2*s.left) { // not with each capture
			l.notices([]loader.Notice{{Path: loader.Resources, Reason: fmt.Sprintf(
				"%d resources are not searched: the searched resources may have %d MiB in all", left, docs.MaxTexts>>20)}})
		}
		s.left = left
	}
	if s.dependencies != nil {
		library = library.WithDependencies(s.dependencies)
	}
	l.server.SetLibrary(library)
	l.index.Changed()
	indexing.Go(func() {
		if _, err := l.catalog.Load(ctx); err != nil {
			return // ctx has ended
		}
		if l.documents.Peek() != library {
			return // a later library is indexed instead
		}
		if err := library.IndexBeside(ctx, l.yield()); err != nil && ctx.Err() == nil {
			l.logger.Warn("the documents cannot be indexed", "error", err)
		}
		l.notices(library.Unfound())
		l.index.Changed()
	})
}
