package server

import (
	"context"
	"errors"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/contents"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// A View is what the page for people sees of a project, beside the answers to calls. It reads with
// the same reader and searches with the same index as they do, on the account of the caller.
type View struct {
	server *Server
	caller string
}

// Visit lets work look at the project, as a call that is answered: it waits until its caller has a
// place, has an audit line, and its panic is its error. c.Method and c.Params say what it is about
// in that line. The error is a [*protocol.Error] that people may read.
func (s *Server) Visit(ctx context.Context, c *protocol.Call, work func(context.Context, View) error) (err error) {
	began := time.Now()
	ctx, leave, err := s.enter(ctx, c)
	if err == nil {
		err = func() (err error) {
			defer leave()
			defer s.recovered(c.Method, func(failure error) { err = failure })
			return work(ctx, View{s, c.Caller})
		}()
	}
	if mistake, ok := errors.AsType[*tools.Mistake](err); ok {
		err = mistake.Err
	}
	if err != nil {
		err = s.clientError(c.Method, err)
	}
	s.audited(c, began, 0, err)
	return err
}

// DocumentsChanged returns a channel that is closed when other documents are published.
func (s *Server) DocumentsChanged() <-chan struct{} { return s.tools.LibraryChanged() }

// Catalog returns the files as they are now.
func (v View) Catalog(ctx context.Context) (*loader.Catalog, error) {
	return v.server.catalog.Load(ctx)
}

// Everything returns all resources as they are now, with those that are not files.
func (v View) Everything(ctx context.Context) (view.View, error) {
	return v.server.views.Load(ctx, v.caller)
}

// Library returns the documents as they are now.
func (v View) Library(ctx context.Context) (*docs.Library, error) { return v.server.tools.Library(ctx) }

// Search finds documents and resources.
func (v View) Search(ctx context.Context, query string) ([]tools.Found, error) {
	return v.server.tools.Search(ctx, v.caller, query)
}

// Read reads a resource, which is held whole until the contents are released.
func (v View) Read(ctx context.Context, catalog *loader.Catalog, r loader.Resource) (*contents.Contents, error) {
	return v.server.reader.ReadWhole(ctx, catalog, r.URI(), r)
}

// ReadOther reads a resource that is not a file, likewise.
func (v View) ReadOther(ctx context.Context, r *view.Resource) (*contents.Contents, error) {
	return v.server.reader.ReadOtherWhole(ctx, r.URI, r)
}

// MaxRead is how many bytes a resource may have that is read.
func (v View) MaxRead() int64 { return v.server.reader.Limits().ReadBytes }

// OnDisk does work that may have to wait for the disk and whose result takes some memory, such as a
// page of a list, and returns what it returns. late is given a result that came too late. Such work
// must not call other methods of the view but Catalog and Library.
func OnDisk[T any](ctx context.Context, v View, of string, work func(context.Context) (T, error), late func(T)) (T, error) {
	budget, err := v.server.memory.Acquire(ctx, pageBytes)
	if err != nil {
		var none T
		return none, err
	}
	out, err := contents.OnDisk(ctx, v.server.reader, of, budget, work, late)
	if err == nil {
		budget.Release()
	}
	return out, err
}

// Everything returns all resources as they are now, with those that are not files, for a table of
// contents; false while there is no catalog.
func (s *Server) Everything(caller string) (view.View, bool) { return s.views.Peek(caller) }

// Current is what a project has at the moment, without waiting: nil for what was not read yet.
type Current struct {
	Catalog *loader.Catalog
	Library *docs.Library
	Prompts *prompts.Set
}

// Current returns what the project has, for a table of contents.
func (s *Server) Current() Current {
	return Current{s.catalog.Peek(), s.tools.PeekLibrary(), s.prompts.Peek()}
}
