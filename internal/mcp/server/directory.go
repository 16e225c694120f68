package server

import (
	"context"
	"fmt"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/contents"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

// directoryMIME is the type of folders (SEP-2640, "Directory Resources").
const directoryMIME = "inode/directory"

type directoryParams struct {
	uriParams
	pageParams
}

// readDirectory answers resources/directory/read with the direct children of a folder of any
// scheme.
func (s *Server) readDirectory(ctx context.Context, r request, p *directoryParams) (*reply, error) {
	folder, ok := r.Folder(p.URI)
	if !ok {
		why := "there is no such folder"
		if _, ok := r.Lookup(p.URI); ok {
			why = "it is not a folder; resources/read reads it"
		}
		return nil, resourceError(protocol.CodeInvalidParams, fmt.Sprintf("%s: %s", protocol.Shown(p.URI), why), errorData{URI: p.URI})
	}
	after := view.Child{}
	if p.Cursor != "" {
		key, ok := protocol.ParseCursor(protocol.DirectoryCursor, p.Cursor)
		parent, name, cut := strings.Cut(key, "\n")
		if !ok || !cut || parent != folder.URI || name == "" {
			return nil, protocol.InvalidParams("the cursor is not one of this folder")
		}
		after = view.Child{Folder: name[0] == 'd', Name: name[1:]}
	}
	budget, err := s.options.Memory.Acquire(ctx, pageBytes)
	if err != nil {
		return nil, err
	}
	limit := s.bounds.Load().PageItems
	page, err := contents.OnDisk(ctx, s.reader, "a folder", budget,
		func(context.Context) (*encodedBody, error) {
			return newDirectoryPage(r.View, s.tools.PeekLibrary(), folder, after, limit), nil
		}, (*encodedBody).Release)
	if err != nil {
		return nil, err
	}
	page.budget = budget
	return &reply{Outcome: outcomeOf(r.era), body: page}, nil
}

// newDirectoryPage returns the children of a folder after one child.
func newDirectoryPage(v view.View, library *docs.Library, folder view.Folder, after view.Child, limit int) *encodedBody {
	page, b := newBody(pageBytes/16, `"resources":[`)
	items, last, next := 0, view.Child{}, ""
	w := itemWriter{catalog: v.Files, library: library, reads: true}
	for c := range v.Children(folder, after) {
		if items == limit || len(b) > pageBytes {
			kind := "f"
			if last.Folder {
				kind = "d"
			}
			next = protocol.NewCursor(protocol.DirectoryCursor, folder.URI+"\n"+kind+last.Name)
			break
		}
		if items++; items > 1 {
			b = append(b, ',')
		}
		switch {
		case c.Folder:
			b = append(append(b, uriPrefix...), c.URI...)
			b = jsonwire.AppendString(append(b, `","name":`...), uri.Display(c.Name))
			b = append(b, `,"mimeType":"`+directoryMIME+`"}`...)
		case c.Item.Other != nil:
			b = w.appendOther(b, c.Item.Other)
		default:
			b, _ = w.append(b, c.Item.File) // w.reads is set, so ok is true
		}
		last = c
	}
	page.finish(b, next)
	return page
}
