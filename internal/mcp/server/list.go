package server

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"strconv"
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

type annotations struct {
	Audience     []string `json:"audience,omitempty"`
	Priority     *float64 `json:"priority,omitempty"`
	LastModified string   `json:"lastModified,omitempty"` // RFC 3339, UTC
}

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

func (s *Server) listResources(ctx context.Context, r request) (*reply, error) {
	after, err := keyOf(r, protocol.ResourceCursor)
	if err != nil {
		return nil, err
	}
	v, err := s.views.Load(ctx, r.Caller)
	if err != nil {
		return nil, err
	}
	budget, err := s.options.Memory.Acquire(ctx, pageBytes)
	if err != nil {
		return nil, err
	}
	limit := s.bounds.Load().PageItems
	page := newResourcesPage(v, s.tools.PeekLibrary(), after, limit, false)
	if page == nil { // titles or descriptions must be read from files
		page, err = contents.OnDisk(ctx, s.reader, "a list of resources", budget,
			func(context.Context) (*encodedBody, error) {
				return newResourcesPage(v, s.tools.PeekLibrary(), after, limit, true), nil
			}, (*encodedBody).Release)
		if err != nil {
			return nil, err
		}
	}
	page.budget = budget
	return s.ofView(r, v, page), nil
}

// cursorOf returns the cursor of a request for a list, or "".
func cursorOf(r request) (string, error) {
	var params struct {
		Cursor string `json:"cursor"`
	}
	err := protocol.Decode(r.Params, &params)
	return params.Cursor, err
}

// noCursor returns an error if a request for a list that has one page names another one.
func noCursor(r request) error {
	cursor, err := cursorOf(r)
	if err == nil && cursor != "" {
		return errCursor
	}
	return err
}

var errCursor = protocol.InvalidParams("the cursor is not one of this list")

// keyOf returns the key after which the requested page begins, or "" for the first page.
func keyOf(r request, kind protocol.CursorKind) (string, error) {
	cursor, err := cursorOf(r)
	if err != nil || cursor == "" {
		return "", err
	}
	key, ok := protocol.ParseCursor(kind, cursor)
	if !ok {
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
			b = appendOther(b, r.Other)
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
	if about.Title != "" {
		b = jsonwire.AppendString(append(b, `,"title":`...), about.Title)
	}
	if about.Description != "" {
		b = jsonwire.AppendString(append(b, `,"description":`...), about.Description)
	}
	if mime != w.mime || w.quoted == nil { // most files have the same type as the previous one
		w.mime, w.quoted = mime, jsonwire.AppendString(w.quoted[:0], mime)
	}
	b = append(append(b, `,"mimeType":`...), w.quoted...)
	b = strconv.AppendInt(append(b, `,"size":`...), r.Size(), 10)
	b = append(b, `,"annotations":{`...)
	if about.Audience != nil {
		b = appendJSON(append(b, `"audience":`...), about.Audience)
		b = append(b, ',')
	}
	if about.Priority != nil {
		b = appendJSON(append(b, `"priority":`...), *about.Priority)
		b = append(b, ',')
	}
	b = append(b, `"lastModified":"`...)
	b = append(w.times.Append(b, r.ModTime().UnixNano()), `"}`...)
	if about.Icons != nil {
		b = appendJSON(append(b, `,"icons":`...), about.Icons)
	}
	return append(b, '}'), true
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
func appendOther(b []byte, r *view.Resource) []byte {
	b = append(append(b, uriPrefix...), r.URI...)
	b = jsonwire.AppendString(append(b, `","name":`...), r.Name)
	if r.Title != "" {
		b = jsonwire.AppendString(append(b, `,"title":`...), r.Title)
	}
	if r.Description != "" {
		b = jsonwire.AppendString(append(b, `,"description":`...), r.Description)
	}
	b = jsonwire.AppendString(append(b, `,"mimeType":`...), r.MIMEType)
	if r.Size >= 0 {
		b = strconv.AppendInt(append(b, `,"size":`...), r.Size, 10)
	}
	a := annotations{Audience: r.Audience, Priority: r.Priority}
	if !r.Modified.IsZero() {
		a.LastModified = r.Modified.UTC().Format(time.RFC3339Nano)
	}
	if a.Audience != nil || a.Priority != nil || a.LastModified != "" {
		b = appendJSON(append(b, `,"annotations":`...), a)
	}
	return append(b, '}')
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
	Templates  []templateItem `json:"resourceTemplates"`
	NextCursor string         `json:"nextCursor,omitempty"`
}

// A templateItem describes a template (MCP, "Resources", data type ResourceTemplate).
type templateItem struct {
	URITemplate string           `json:"uriTemplate"`
	Name        string           `json:"name"`
	Title       string           `json:"title,omitempty"`
	Description string           `json:"description,omitempty"`
	MIMEType    string           `json:"mimeType,omitempty"`
	Annotations *annotations     `json:"annotations,omitempty"`
	Icons       []templates.Icon `json:"icons,omitempty"`
}

func (s *Server) listTemplates(ctx context.Context, r request) (*reply, error) {
	key, err := keyOf(r, protocol.TemplateCursor)
	if err != nil {
		return nil, err
	}
	start, err := strconv.Atoi(cmp.Or(key, "0"))
	if err != nil || start < 0 {
		return nil, errCursor
	}
	v, err := s.views.Load(ctx, r.Caller)
	if err != nil {
		return nil, err
	}
	entries := v.Templates()
	limit := s.bounds.Load().PageItems
	page := &templatesPage{Templates: []templateItem{}}
	size := 0
	for i := min(start, len(entries)); i < len(entries); i++ {
		if len(page.Templates) == limit || size > pageBytes {
			page.NextCursor = protocol.NewCursor(protocol.TemplateCursor, strconv.Itoa(i))
			break
		}
		d := entries[i]
		item := templateItem{d.Template.String(), d.Name, d.Title, d.Description, d.MIMEType, nil, d.Icons}
		if d.Annotations != nil {
			item.Annotations = &annotations{Audience: d.Annotations.Audience, Priority: d.Annotations.Priority}
		}
		size += len(item.URITemplate) + len(item.Name) + len(item.Title) + len(item.Description) + 200
		page.Templates = append(page.Templates, item)
	}
	body, err := encode(page)
	if err != nil {
		return nil, err
	}
	return s.ofView(r, v, body), nil
}
