package project

import (
	"context"
	"fmt"
	"io/fs"
	"iter"
	"sync"

	"github.com/mcp-docs-server/mcp-docs-server/internal/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/walk"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// resourceTexts are the resources of a catalog that may be text, except the documents.
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

// searched is what is searched: the documents, and the resources if the settings say so.
type searched struct {
	mu        sync.Mutex
	documents *docs.Library // as they were scanned; nil: not yet; guarded by mu
	resources bool          // the library that is published has resources; guarded by mu
	left      int           // resources that it had no room for; guarded by mu
}

// offerSearch publishes the documents with the resources that are searched with them, and has them
// indexed once the resources are published. documents is nil if they are as before.
func (l *Live) offerSearch(ctx context.Context, documents *docs.Library, indexing *sync.WaitGroup) {
	if documents != nil && l.settings.Load().Config.Search.Resources {
		// The first query is to find resources too.
		if _, err := l.catalog.Load(ctx); err != nil {
			return // ctx has ended
		}
	}
	s := &l.searched
	s.mu.Lock()
	defer s.mu.Unlock()
	config := &l.settings.Load().Config
	switch {
	case documents != nil:
		s.documents = documents
	case s.documents == nil || !s.resources && !config.Search.Resources:
		return
	}
	library := s.documents
	catalog := l.catalog.Peek()
	s.resources = config.Search.Resources && catalog != nil
	if s.resources {
		var left int
		library, left = s.documents.With(l.documents.Peek(), resourceTexts{catalog, config.Docs})
		if left != s.left && left > 0 {
			l.notices([]loader.Notice{{Path: loader.Resources, Reason: fmt.Sprintf(
				"%d resources are not searched: all that are searched have at most %d MiB", left, docs.MaxTexts>>20)}})
		}
		s.left = left
	}
	l.server.SetLibrary(library)
	l.index.Changed()
	indexing.Go(func() {
		if _, err := l.catalog.Load(ctx); err != nil {
			return // ctx has ended
		}
		if l.documents.Peek() != library {
			return // its successor is indexed
		}
		if err := library.IndexBeside(ctx, l.yield()); err != nil && ctx.Err() == nil {
			l.logger.Warn("the documents cannot be indexed", "error", err)
		}
		l.index.Changed()
	})
}
