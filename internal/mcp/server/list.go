package server

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/contents"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

// pageBytes is the size at which a page ends early, so that pages with long names do not burden
// clients.
const pageBytes = 1 << 20

// An encoded body has members that are already encoded as JSON.
type encodedBody struct {
	members []byte
	buffer  *contents.Buffer // of members; nil: it is not shared
	budget  *contents.Budget // or nil
}

// newBody returns a body with a buffer of some size, and bytes in the buffer to append to.
func newBody(size int, begin string) (*encodedBody, []byte) {
	e := &encodedBody{buffer: contents.NewBuffer(size)}
	e.members = append(e.buffer.Data[:0], begin...)
	return e, e.members
}

// finish ends the array in b, with the cursor of the next page if there is one.
func (e *encodedBody) finish(b []byte, next string) {
	b = append(b, ']')
	if next != "" {
		b = append(append(append(b, `,"nextCursor":"`...), next...), '"')
	}
	e.members = b
}

func (e *encodedBody) WriteJSON(w *jsonwire.Writer) error {
	w.Raw(e.members)
	return nil
}

func (e *encodedBody) Release() {
	if e.buffer != nil {
		e.buffer.Data = e.members[:cap(e.members)]
		e.buffer.Free()
	}
	if e.budget != nil {
		e.budget.Release()
	}
}

func (s *Server) listResources(ctx context.Context, r request, p *pageParams) (*reply, error) {
	after, err := p.key(protocol.ResourceCursor)
	if err != nil {
		return nil, err
	}
	limit := s.bounds.Load().PageItems
	write := func(reads bool) *encodedBody {
		return newResourcesPage(r.View, s.tools.PeekLibrary(), after, limit, reads)
	}
	page, err := s.page(ctx, "a list of resources", pageBytes,
		func() *encodedBody { return write(false) },
		// This reads titles or descriptions from files.
		func(context.Context) (*encodedBody, error) { return write(true), nil })
	if err != nil {
		return nil, err
	}
	return s.ofView(r, page), nil
}

// page makes a page within a share of the memory: by quick, which does not wait for the disk and returns nil if it would have to, or else
// by work, which may wait. quick may be nil. what names the page in errors.
func (s *Server) page(ctx context.Context, what string, bytes int64, quick func() *encodedBody, work func(context.Context) (*encodedBody, error)) (page *encodedBody, err error) {
	budget, err := s.options.Memory.Acquire(ctx, bytes)
	if err != nil {
		return nil, err
	}
	if quick != nil {
		page = quick()
	}
	if page == nil {
		if page, err = contents.OnDisk(ctx, s.reader, what, budget, work, (*encodedBody).Release); err != nil {
			return nil, err
		}
	}
	page.budget = budget
	return page, nil
}

var errCursor = protocol.InvalidParams("the cursor is not one of this list")

// key returns the key after which the requested page begins, or "" for the first page.
func (p *pageParams) key(kind protocol.CursorKind) (string, error) {
	key, ok := protocol.ParseCursor(kind, p.Cursor)
	if !ok && p.Cursor != "" {
		return "", errCursor
	}
	return key, nil
}

// newResourcesPage returns the resources after one URI. library describes the resources that are documents. If reads is false,
// newResourcesPage reads no file, and returns nil if it would have to.
func newResourcesPage(v view.View, library *docs.Library, after string, limit int, reads bool) *encodedBody {
	page, b := newBody(pageBytes/2, `"resources":[`)
	items, last, next := 0, 0, ""
	w := itemWriter{catalog: v.Files, library: library, reads: reads}
	for r := range v.After(after) {
		if items == limit || len(b) > pageBytes {
			next = protocol.NewCursor(protocol.ResourceCursor, uriIn(b[last:]))
			break
		}
		if items++; items > 1 {
			b = append(b, ',')
		}
		last = len(b)
		if r.Other != nil {
			b = w.appendOther(b, r.Other)
		} else {
			var ok bool
			if b, ok = w.append(b, r.File); !ok {
				page.buffer.Free()
				return nil
			}
		}
	}
	page.finish(b, next)
	return page
}

// uriPrefix is the beginning of an item of the list.
const uriPrefix = `{"uri":"`

// uriIn returns the URI of an item of the list. URIs contain nothing that JSON escapes.
func uriIn(item []byte) string {
	uri, _, _ := bytes.Cut(item[len(uriPrefix):], []byte{'"'})
	return string(uri)
}

// An itemWriter writes files as items of a list. Each page has its own.
type itemWriter struct {
	catalog *loader.Catalog
	library *docs.Library // the documents; nil: they are not read yet
	reads   bool          // it may read files
	times   jsonwire.Times
	mime    string // of the last file
	quoted  []byte // mime as JSON
}

// append appends a file as an item of the list (MCP, "Resources", data type Resource). It returns
// false if it would have to read the file.
func (w *itemWriter) append(b []byte, r loader.Resource) (_ []byte, ok bool) {
	about, mime, ok := w.catalog.Known(r)
	if !ok {
		if !w.reads {
			return b, false
		}
		about, mime = w.catalog.Metadata(r), w.catalog.MIME(r)
	}
	if page := w.page(r); page != nil {
		about.Title, about.Description = page.Title, cmp.Or(page.Summary, about.Description)
	}
	b = append(b, uriPrefix...)
	start := len(b)
	b = r.AppendURI(b) // contains nothing to escape
	name := belowHost(b[start:])
	b = append(b, `","name":`...)
	switch {
	case r.IsSkill():
		b = jsonwire.AppendString(b, r.DisplayName())
	case bytes.IndexByte(name, '%') >= 0:
		b = jsonwire.AppendString(b, uri.Display(uri.Decode(string(name))))
	default:
		b = append(append(append(b, '"'), name...), '"')
	}
	return w.rest(b, about, mime, r.Size(), r.ModTime()), true
}

// rest appends the members of an item after its name. A negative size and a zero time are unknown.
func (w *itemWriter) rest(b []byte, about loader.Metadata, mime string, size int64, modified time.Time) []byte {
	if about.Title != "" {
		b = jsonwire.AppendString(append(b, `,"title":`...), about.Title)
	}
	if about.Description != "" {
		b = jsonwire.AppendString(append(b, `,"description":`...), about.Description)
	}
	// Most items have the same type as the previous one.
	if mime != w.mime || w.quoted == nil {
		w.mime, w.quoted = mime, jsonwire.AppendString(w.quoted[:0], mime)
	}
	b = append(append(b, `,"mimeType":`...), w.quoted...)
	if size >= 0 {
		b = strconv.AppendInt(append(b, `,"size":`...), size, 10)
	}
	b = append(b, `,"annotations":`...)
	before := len(b)
	if about.Audience != nil {
		b = appendJSON(append(b, `,"audience":`...), about.Audience)
	}
	if about.Priority != nil {
		b = appendJSON(append(b, `,"priority":`...), *about.Priority)
	}
	if !modified.IsZero() {
		b = append(w.times.Append(append(b, `,"lastModified":"`...), modified.UnixNano()), '"')
	}
	if len(b) > before {
		b = append(b, '}')
		b[before] = '{' // instead of the first comma
	} else {
		b = b[:before-len(`,"annotations":`)]
	}
	if about.Icons != nil {
		b = appendJSON(append(b, `,"icons":`...), about.Icons)
	}
	return append(b, '}')
}

// belowHost returns the part of the URI of a file after the host, which differs for files of one name, or the host if there is no more.
func belowHost(uri []byte) []byte {
	_, name, _ := bytes.Cut(uri, []byte("://"))
	if _, path, ok := bytes.Cut(name, []byte{'/'}); ok {
		return path
	}
	return name
}

// page returns the page of a site that a file is, or nil.
func (w *itemWriter) page(r loader.Resource) *site.Page {
	if w.library.Sites() == nil || !r.Mounted() || r.IsSkill() {
		return nil
	}
	return w.library.Sites().Page(r.LogicalPath())
}

// appendOther appends a resource that is not a file as an item of the list.
func (w *itemWriter) appendOther(b []byte, r *view.Resource) []byte {
	b = append(append(b, uriPrefix...), r.URI...)
	b = jsonwire.AppendString(append(b, `","name":`...), r.Name)
	return w.rest(b, loader.Metadata{Title: r.Title, Description: r.Description, Audience: r.Audience, Priority: r.Priority}, r.MIMEType, r.Size, r.Modified)
}

// appendJSON appends a value of a rare kind.
func appendJSON(b []byte, v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		return append(b, "null"...) // plain values can always be encoded
	}
	return append(b, data...)
}

type templatesPage struct {
	// MCP, "Resources", data type ResourceTemplate
	Templates  []templates.Definition `json:"resourceTemplates"`
	NextCursor string                 `json:"nextCursor,omitempty"`
}

func (s *Server) listTemplates(_ context.Context, r request, p *pageParams) (*reply, error) {
	key, err := p.key(protocol.TemplateCursor)
	if err != nil {
		return nil, err
	}
	start, err := strconv.Atoi(cmp.Or(key, "0"))
	if err != nil || start < 0 {
		return nil, errCursor
	}
	entries := r.Templates()
	limit := s.bounds.Load().PageItems
	page := &templatesPage{Templates: []templates.Definition{}}
	size := 0
	for i := min(start, len(entries)); i < len(entries); i++ {
		if len(page.Templates) == limit || size > pageBytes {
			page.NextCursor = protocol.NewCursor(protocol.TemplateCursor, strconv.Itoa(i))
			break
		}
		item := entries[i].Definition
		item.URITemplate, item.Describe = entries[i].Template.String(), nil
		size += len(item.URITemplate) + len(item.Name) + len(item.Title) + len(item.Description) + 200
		page.Templates = append(page.Templates, item)
	}
	body, err := encode(page)
	if err != nil {
		return nil, err
	}
	return s.ofView(r, body), nil
}

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
	limit := s.bounds.Load().PageItems
	page, err := s.page(ctx, "a folder", pageBytes, nil, func(context.Context) (*encodedBody, error) {
		return newDirectoryPage(r.View, s.tools.PeekLibrary(), folder, after, limit), nil
	})
	if err != nil {
		return nil, err
	}
	return &reply{body: page}, nil
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
