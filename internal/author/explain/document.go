package explain

import (
	"path"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

// library returns the documents.
func (q *inquiry) library() (*docs.Library, error) {
	if q.Library == nil {
		library, err := docs.Scan(q.ctx, q.Files, q.Docs, nil, nil, nil)
		if err != nil {
			return nil, err
		}
		q.Library = library
	}
	return q.Library, nil
}

// document finds out how the tool for documents sees a file.
func (q *inquiry) document(name string) error {
	library, err := q.library()
	if err != nil {
		return err
	}
	below := strings.TrimPrefix(strings.TrimPrefix(name, q.Docs), "/")
	found, _, ok := library.Lookup(below)
	switch {
	case below == "" || ok && found == below+"/":
		q.answer.File, q.answer.Folder = name, true
	case ok && found == below:
		q.answer.File = name
		d := &Document{Path: found, Listed: docs.IsDocument(found)}
		without := strings.TrimSuffix(found, path.Ext(found))
		for _, s := range []Spelling{
			{found, Canonical}, {q.Docs + "/" + found, WithFolder}, {without, WithoutExtension},
			{"/" + found, LeadingSlash}, {string(uri.AppendSegment(nil, found)), Encoded},
		} {
			if target, section, ok := library.Lookup(s.Text); ok && target == found && section == "" {
				d.Spellings = addSpelling(d.Spellings, s)
			}
		}
		q.answer.Document = d
	default:
		return q.missing(name, library.Notices())
	}
	return nil
}
