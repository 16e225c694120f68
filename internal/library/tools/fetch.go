package tools

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/contents"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// place is the end of an id that asks for the text from a line on, or from some bytes behind the
// beginning of that line. A "#" of a name is encoded in the id.
var place = lazyregexp.New(`#L([0-9]{1,9})(?:\+([0-9]{1,9}))?$`)

// notExact says what a text is that its file does not have as it is.
const notExact = "The file is not UTF-8. What is not is shown as U+FFFD."

func (s *Set) callFetch(ctx context.Context, c Call) (*Output, error) {
	var args struct {
		ID string `json:"id"`
	}
	if err := fetchSchema.Read(c.Arguments, &args).Err(); err != nil {
		return nil, err
	}
	if args.ID == "" {
		return nil, badCall("id is missing")
	}
	id, line, skip := args.ID, 1, 0
	if m := place().FindStringSubmatch(id); m != nil {
		id = strings.TrimSuffix(id, m[0])
		line, _ = strconv.Atoi(m[1]) // nine digits are a number
		skip, _ = strconv.Atoi(m[2]) // or none
	}
	f, release, err := s.fetch(ctx, c.Caller, id)
	if err != nil {
		return nil, err
	}
	defer release()
	lines := excerpt.LinesFrom(f.Text, line, skip, 0, maxToolBytes)
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

// fetch returns the whole text of a resource or document, which is good until release is called.
func (s *Set) fetch(ctx context.Context, caller, id string) (f fetched, release func(), err error) {
	v, err := s.views.Load(ctx, caller)
	if err != nil {
		return fetched{}, nil, err
	}
	library, err := s.documents(ctx)
	if err != nil {
		return fetched{}, nil, err
	}
	switch of := s.subject(v, library, id); {
	case of.isDocument:
		f, err := onDisk(ctx, s, func(context.Context) (fetched, error) { return s.fetchDocument(v, library, id, of.path) })
		return f, func() {}, err
	case of.isResource:
		return s.fetchResource(ctx, v, id, of.resource)
	}
	return fetched{}, nil, &Mistake{contents.NotFound(v, id)}
}

// A subject is what an id names.
type subject struct {
	isDocument bool
	path       string // of a document

	isResource bool
	resource   view.Item
}

// subject finds what an id names: the resource whose canonical URI it is, else a document, else the
// resource that it is another spelling of. A document whose URI a file below resources/ has is not
// to be had; one that is a resource itself is the document.
func (s *Set) subject(v view.View, library *docs.Library, id string) subject {
	own := func(id string) (view.Item, bool) {
		r, ok := v.Lookup(id)
		return r, ok && r.URI() == id && (r.Other != nil || !r.File.Mounted())
	}
	if r, ok := own(id); ok {
		return subject{isResource: true, resource: r}
	}
	if path, ok := docs.PathOf(s.name, id); ok && library.Has(path) {
		if r, ok := own(docs.URI(s.name, path)); ok {
			return subject{isResource: true, resource: r}
		}
		return subject{isDocument: true, path: path}
	}
	r, ok := v.Lookup(id)
	return subject{isResource: ok, resource: r}
}

func (s *Set) fetchDocument(v view.View, library *docs.Library, id, path string) (fetched, error) {
	named, err := s.document(library, path)
	if err != nil {
		return fetched{}, &Mistake{contents.NotFound(v, id)}
	}
	text, exact, err := library.Text(path)
	if err != nil {
		return fetched{}, badCall("%s cannot be read", protocol.Shown(id))
	}
	f := fetched{named, text, map[string]string{"mimeType": documentType(path)}}
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
		return fetched{}, nil, badCall("%s is %d bytes of %s, which is no text", protocol.Shown(id), item.Size(), item.MIME)
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
