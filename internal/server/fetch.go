package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strconv"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// place is the end of an id that asks for the text from a line on, or from some bytes behind the beginning of that line. A "#"
// of a name is encoded in the id.
var place = regexp.MustCompile(`#L([0-9]{1,9})(?:\+([0-9]{1,9}))?$`)

// notExact says what a text is that its file does not have as it is.
const notExact = "The file is not UTF-8. What is not is shown as U+FFFD."

func (s *Server) callFetch(ctx context.Context, raw json.RawMessage) (*output, error) {
	var args struct {
		ID string `json:"id"`
	}
	if err := arguments(raw, &args); err != nil {
		return nil, err
	}
	if args.ID == "" {
		return nil, badCall("id is missing")
	}
	id, line, skip := args.ID, 1, 0
	if m := place.FindStringSubmatch(id); m != nil {
		id = strings.TrimSuffix(id, m[0])
		line, _ = strconv.Atoi(m[1]) // nine digits are a number
		skip, _ = strconv.Atoi(m[2]) // or none
	}
	f, err := s.fetch(ctx, id)
	if err != nil {
		return nil, err
	}
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

// fetch returns the whole text of a resource or document.
func (s *Server) fetch(ctx context.Context, id string) (fetched, error) {
	catalog, err := s.catalog.Load(ctx)
	if err != nil {
		return fetched{}, err
	}
	library, err := s.documents(ctx)
	if err != nil {
		return fetched{}, err
	}
	switch of := s.subject(catalog, library, id); {
	case of.isDocument:
		return s.fetchDocument(catalog, library, id, of.path)
	case of.isResource:
		return s.fetchResource(ctx, catalog, id, of.resource)
	}
	return fetched{}, badCall("%s", missing(catalog, id))
}

// A subject is what an id names.
type subject struct {
	isDocument bool
	path       string // of a document

	isResource bool
	resource   loader.Resource
}

// subject finds what an id names: the resource whose canonical URI it is, else a document, else the resource that it is another
// spelling of. A document whose URI a file below resources/ has is not to be had; one that is a resource itself is the document.
func (s *Server) subject(catalog *loader.Catalog, library *docs.Library, id string) subject {
	own := func(id string) (loader.Resource, bool) {
		r, ok := catalog.Lookup(id)
		return r, ok && r.URI() == id && !r.Mounted()
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
	r, ok := catalog.Lookup(id)
	return subject{isResource: ok, resource: r}
}

func (s *Server) fetchDocument(catalog *loader.Catalog, library *docs.Library, id, path string) (fetched, error) {
	named, err := s.document(library, path)
	if err != nil {
		return fetched{}, badCall("%s", missing(catalog, id))
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

func (s *Server) fetchResource(ctx context.Context, catalog *loader.Catalog, id string, r loader.Resource) (fetched, error) {
	read, err := s.read(ctx, catalog, id, []loader.Resource{r}, unlimited)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fetched{}, badCall("%s", missing(catalog, id))
	case err != nil:
		return fetched{}, badCall("%v", err)
	}
	defer read.release()
	item := &read.files[0]
	if !item.isText {
		return fetched{}, badCall("%s is %d bytes of %s, which is no text", protocol.Shown(id), len(item.data), item.mime)
	}
	return fetched{resource(catalog, r), item.text(), map[string]string{"mimeType": item.mime}}, nil
}
