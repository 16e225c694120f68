package tools

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/contents"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/tokens"
)

// position is the end of an id that asks for the text from a line on, or from a byte of that line on. A
// "#" in a name is encoded in the id.
var position = lazyregexp.New(`#L([0-9]{1,9})(?:\+([0-9]{1,9}))?$`)

// notExact is the note about a text that differs from the bytes of its file.
const notExact = "The file is not UTF-8. Invalid bytes are shown as U+FFFD."

func (s *Set) callFetch(ctx context.Context, c Call) (*Output, error) {
	var args fetchArguments
	if err := c.read(fetchSchema(), &args); err != nil {
		return nil, err
	}
	if args.ID == "" {
		return nil, badCall("id is missing")
	}
	id, line, skip := args.ID, 1, 0
	if m := position().FindStringSubmatch(id); m != nil {
		id = strings.TrimSuffix(id, m[0])
		line, _ = strconv.Atoi(m[1]) // nine digits always fit
		skip, _ = strconv.Atoi(m[2]) // 0 if missing
	}
	f, release, err := s.fetch(ctx, c.Caller, id)
	if err != nil {
		return nil, err
	}
	defer release()
	lines := excerpt.LinesFrom(f.Text, line, skip, 0, excerpt.MaxText, tokens.MaxAnswer)
	if lines.Beyond {
		return nil, badCall("%s", lines.Missing())
	}
	f.Text = lines.Text
	if lines.Partial() {
		f.Metadata["lines"] = fmt.Sprintf("%d-%d of %d", lines.First, lines.Last, lines.Total)
	}
	switch {
	case lines.Broken:
		f.Metadata["next"] = fmt.Sprintf("%s#L%d+%d", f.ID, lines.First, lines.Skipped+len(lines.Text))
	case lines.Last < lines.Total:
		f.Metadata["next"] = fmt.Sprintf("%s#L%d", f.ID, lines.Last+1)
	}
	return asText(f)
}

// fetch returns the whole text of a resource or document, which is valid until release is called.
func (s *Set) fetch(ctx context.Context, caller, id string) (f fetched, release func(), err error) {
	v, err := s.views.Load(ctx, caller)
	if err != nil {
		return fetched{}, nil, err
	}
	path, ok := docs.PathOf(s.name, id)
	library, err := s.documents(ctx, func(l *docs.Library) bool { return !ok || l.Has(path) })
	if err != nil {
		return fetched{}, nil, err
	}
	switch named := s.subject(v, library, id); {
	case named.isDocument:
		f, err := onDisk(ctx, s, func(ctx context.Context) (fetched, error) { return s.fetchDocument(ctx, v, library, id, named.path) })
		return f, func() {}, err
	case named.isResource:
		return s.fetchResource(ctx, v, id, named.resource)
	}
	return fetched{}, nil, &Mistake{contents.NotFound(v, id)}
}

// A subject is the document or resource that an id names, or neither.
type subject struct {
	isDocument bool
	path       string // of a document

	isResource bool
	resource   view.Item
}

// subject finds the subject of an id: the resource with this canonical URI, or else a document, or else
// the resource with another spelling of this URI. If a file in resources/ has the URI of a document,
// the file is the subject. A document that is also served as a resource is a document.
func (s *Set) subject(v view.View, library *docs.Library, id string) subject {
	canonical := func(id string) (view.Item, bool) {
		r, ok := v.Lookup(id)
		return r, ok && r.URI() == id && !isDocument(r)
	}
	if r, ok := canonical(id); ok {
		return subject{isResource: true, resource: r}
	}
	if path, ok := docs.PathOf(s.name, id); ok && library.Has(path) {
		if r, ok := canonical(docs.URI(s.name, path)); ok {
			return subject{isResource: true, resource: r}
		}
		return subject{isDocument: true, path: path}
	}
	r, ok := v.Lookup(id)
	return subject{isResource: ok, resource: r}
}

func (s *Set) fetchDocument(ctx context.Context, v view.View, library *docs.Library, id, path string) (fetched, error) {
	text, exact, err := library.Text(ctx, path)
	if errors.Is(err, fs.ErrNotExist) {
		return fetched{}, &Mistake{contents.NotFound(v, id)}
	}
	if err != nil {
		return fetched{}, badCall("%s cannot be read", protocol.Shown(id))
	}
	f := fetched{s.document(library, path), text, map[string]string{"mimeType": DocumentType(path)}}
	if !exact {
		f.Metadata["note"] = notExact
	}
	return f, nil
}

func (s *Set) fetchResource(ctx context.Context, v view.View, id string, r view.Item) (f fetched, release func(), err error) {
	read, err := s.read(ctx, v, id, r)
	if err != nil {
		return fetched{}, nil, err
	}
	item := &read.Files[0]
	if !item.IsText {
		read.Release()
		return fetched{}, nil, badCall("%s is %d bytes of %s, which is not text", protocol.Shown(id), item.Size(), item.MIME)
	}
	named, err := onDisk(ctx, s, func(context.Context) (Found, error) {
		f, _ := resource(v, r)
		return f, nil
	})
	if err != nil {
		read.Release()
		return fetched{}, nil, err
	}
	return fetched{named, item.Text(), map[string]string{"mimeType": item.MIME}}, read.Release, nil
}
