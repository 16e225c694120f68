package server

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/progress"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/contents"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// A View lets the web UI read a project for a caller. It uses the same reader, index and limits as
// calls.
type View struct {
	server *Server
	caller string
}

// Visit runs work on the project like a call: it waits until the caller may run another call,
// writes an audit line, and converts a panic into an error. c.Method and c.Params describe the
// visit in that line. The error is a [*protocol.Error] for people to read.
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

// Everything returns the current resources of all sources.
func (v View) Everything(ctx context.Context) (view.View, error) {
	return v.server.views.Load(ctx, v.caller)
}

// Library returns the current documents.
func (v View) Library(ctx context.Context) (*docs.Library, error) { return v.server.tools.Library(ctx) }

// Search finds documents and resources.
func (v View) Search(ctx context.Context, query string) ([]tools.Found, error) {
	return v.server.tools.Search(ctx, v.caller, query)
}

// Read reads a resource into memory, where it stays until the contents are released.
func (v View) Read(ctx context.Context, all view.View, it view.Item) (*contents.Contents, error) {
	if it.Other != nil {
		return v.server.reader.ReadOther(ctx, it.URI(), it.Other, true)
	}
	return v.server.reader.ReadWhole(ctx, all.Files, it.URI(), it.File)
}

// MaxRead returns how many bytes a resource may have to be read.
func (v View) MaxRead() int64 { return v.server.reader.Limits().ReadBytes }

// OnDisk runs work that may wait for the disk and whose result takes some memory, such as a page of
// a list. A result that comes too late is closed if it is an [io.Closer]. what names the work in errors. work must not call
// methods of the view other than Everything and Library.
func OnDisk[T any](ctx context.Context, v View, what string, work func(context.Context) (T, error)) (T, error) {
	budget, err := v.server.options.Memory.Acquire(ctx, pageBytes)
	if err != nil {
		var none T
		return none, err
	}
	out, err := contents.OnDisk(ctx, v.server.reader, what, budget, work, func(late T) {
		if c, ok := any(late).(io.Closer); ok {
			c.Close()
		}
	})
	if err == nil {
		budget.Release()
	}
	return out, err
}

// Everything returns the current resources of all sources for a table of contents. It returns false
// before the first catalog.
func (s *Server) Everything(caller string) (view.View, bool) { return s.views.Peek(caller) }

// State holds the parts of a project at one moment. A part that has not been read yet is nil.
type State struct {
	Catalog *loader.Catalog
	Library *docs.Library
	Prompts *prompts.Set
	Reading *progress.Step // of the documents, the last time; nil: it has not begun
}

// State returns the parts of the project that have been read, without waiting, for a table of contents.
func (s *Server) State() State {
	return State{s.options.Catalog.Peek(), s.tools.PeekLibrary(), s.options.Prompts.Peek(), s.options.Reading()}
}
