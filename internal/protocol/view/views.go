package view

import (
	"context"
	"slices"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/latest"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// Views makes views of the current state.
type Views struct {
	files   *latest.Value[loader.Catalog]
	sources []Source
}

// New returns the views of a project.
func New(files *latest.Value[loader.Catalog], sources ...Source) *Views {
	return &Views{files, sources}
}

// Load returns the current view of a caller, and waits for the first catalog and each [Waiter]. If ctx ends first, it
// returns the error of ctx.
func (vs *Views) Load(ctx context.Context, caller string) (View, error) {
	files, err := vs.files.Load(ctx)
	for _, s := range vs.sources {
		if w, ok := s.(Waiter); ok && err == nil {
			w.Wait(ctx)
			err = ctx.Err()
		}
	}
	if err != nil {
		return View{}, err
	}
	return vs.with(files, caller), nil
}

// Peek returns the current view of a caller, and false before the first catalog.
func (vs *Views) Peek(caller string) (View, bool) {
	files := vs.files.Peek()
	if files == nil {
		return View{}, false
	}
	return vs.with(files, caller), true
}

func (vs *Views) with(files *loader.Catalog, caller string) View {
	v := View{Files: files}
	for _, s := range vs.sources {
		if snapshot := s.Snapshot(files, caller); snapshot != nil {
			v.others = append(v.others, snapshot)
		}
	}
	return v
}

// UpToDate reports whether a caller's view is up to date.
func (vs *Views) UpToDate(v View, caller string) bool {
	if vs.files.Peek() != v.Files {
		return false
	}
	return len(vs.sources) == 0 || slices.Equal(vs.with(v.Files, caller).others, v.others)
}
