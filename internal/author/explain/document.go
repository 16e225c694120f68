package explain

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/fserr"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docsfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
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

// document answers how the tool for documents sees a file.
func (q *inquiry) document(name string) error {
	sites := q.Library.Sites()
	p := sites.Page(name)
	for _, hidden := range sites.Hidden() {
		if p == nil && walk.Holds(hidden.File, name) {
			p = hidden
		}
	}
	below := strings.TrimPrefix(name, q.Library.Dir()+"/")
	switch {
	case p != nil && p.Hidden != "":
		q.answer.File, q.answer.Hidden = name, append(q.answer.Hidden, Unpublished(sites, p))
	case p != nil:
		if q.answer.File = name; q.opens(name) {
			return q.published(sites, p)
		}
	case !walk.Holds(q.Library.Dir(), name):
	case q.Library.HasFile(below):
		if q.answer.File = name; q.opens(name) {
			q.answer.Document.Path = below
		}
	case name == q.Docs || q.Library.HasFolder(below+"/"):
		q.answer.File, q.answer.Folder = name, true
	case walk.Holds(q.Docs, name):
		return q.missing(name, q.Library.Notices())
	}
	return nil
}

// opens reports whether a document can be opened, and begins what the answer says of the document, or says why it cannot.
func (q *inquiry) opens(name string) bool {
	removed, err := q.Library.Check(name)
	if err != nil {
		q.answer.Hidden = append(q.answer.Hidden, unopened(name, err))
		return false
	}
	q.answer.Document = new(Document)
	for _, f := range removed {
		q.answer.Document.Removed = append(q.answer.Document.Removed, Removal{f.Line, f.What})
	}
	return true
}

// unopened says why a document cannot be opened.
func unopened(name string, err error) Hidden {
	if secret, ok := errors.AsType[*docsfs.SecretError](err); ok {
		return Hidden{Path: name, Rule: "secret", Reason: secret.Error(), Fix: "take it out of the file"}
	}
	cause, detail := loader.Unreadable, fserr.Reason(err)
	if strings.HasPrefix(detail, "is a link") {
		cause = loader.LinkRefused
	}
	return HiddenOf(loader.Omission{Path: name, Cause: cause, Detail: detail})
}

// Unpublished says why a file is not a document, or all files in a folder are not.
func Unpublished(sites *site.Set, p *site.Page) Hidden {
	if pattern, ok := sites.Exclude().Covers(p.File); ok && p.Hidden == site.InDocsExclude {
		return HiddenOf(loader.Omission{Path: p.File, Cause: loader.Excluded, Detail: pattern})
	}
	switch {
	case p.Err != nil:
		return unopened(p.File, p.Err)
	case p.Hidden == site.Gitignored:
		return HiddenOf(loader.Omission{Path: p.File, Cause: loader.Ignored})
	}
	return unpublished(p.File, p.Hidden)
}

func unpublished(name, reason string) Hidden {
	return Hidden{Path: name, Rule: "not-published", Reason: reason, Fix: "nothing, if it is not for readers; else name its folder by the key \"docs\" in mcp-docs-server.json"}
}

// published adds to a document what its site says of it.
func (q *inquiry) published(sites *site.Set, p *site.Page) error {
	text, err := fs.ReadFile(q.Files, p.File)
	if err != nil {
		return err
	}
	d := q.answer.Document
	d.Path, d.Listed, d.Title = p.Path, true, p.Title
	if p.Apart {
		d.Listed, d.Language, d.Version = false, p.Language(), p.Version()
	}
	for _, l := range sites.Links(p, string(text)) {
		to := sites.Resolve(p, l.Link)
		d.Links = append(d.Links, Link{l.Line, l.Link, to.String(), to.Certainty.String(), to.Candidates})
	}
	return nil
}
