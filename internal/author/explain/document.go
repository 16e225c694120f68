package explain

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/fserr"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docsfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

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
	held := walk.Holds(q.Library.Dir(), name)
	switch {
	case p != nil && p.Hidden != "":
		q.answer.File, q.answer.Hidden = name, append(q.answer.Hidden, Unpublished(sites, p))
	case p != nil, held && q.Library.HasFile(below):
		q.answer.File = name
		removed, err := q.Library.Check(name)
		if err != nil {
			q.answer.Hidden = append(q.answer.Hidden, unopened(name, err))
			return nil
		}
		q.answer.Document = &Document{Path: below}
		for _, f := range removed {
			q.answer.Document.Removed = append(q.answer.Document.Removed, Removal{f.Line, f.What})
		}
		if p != nil {
			return q.answer.Document.page(sites, p, q.Files)
		}
	case held && (name == q.Docs || q.Library.HasFolder(below+"/")):
		q.answer.File, q.answer.Folder = name, true
	case held && walk.Holds(q.Docs, name):
		return q.missing(name, Reported(q.Library.Warnings(), nil, q.Docs))
	}
	return nil
}

// unopened says why a document cannot be opened.
func unopened(name string, err error) Hidden {
	if secret, ok := errors.AsType[*docsfs.SecretError](err); ok {
		return Hidden{Path: name, Rule: "secret", Reason: secret.Error(), Fix: "take it out of the file"}
	}
	if large, ok := errors.AsType[*docsfs.SizeError](err); ok {
		return Hidden{Path: name, Rule: "too-large", Reason: large.Error(), Fix: "split it, or move it out of the folder of the documents"}
	}
	cause, detail := loader.Unreadable, fserr.Reason(err)
	switch {
	case strings.HasPrefix(detail, "is a link"):
		cause = loader.LinkRefused
	case errors.Is(err, walk.ErrTooDeep):
		cause, detail = loader.TooDeep, ""
	}
	return HiddenOf(loader.Skipped{Path: name, Cause: cause, Detail: detail})
}

// Unpublished says why a file is not a document, or all files in a folder are not.
func Unpublished(sites *site.Set, p *site.Page) Hidden {
	if pattern, ok := sites.Exclude().Covers(p.File); ok && p.Hidden == site.InDocsExclude {
		return HiddenOf(loader.Skipped{Path: p.File, Cause: loader.Excluded, Detail: pattern})
	}
	if p.Err != nil {
		return unopened(p.File, p.Err)
	} else if p.Hidden == site.Gitignored {
		return HiddenOf(loader.Skipped{Path: p.File, Cause: loader.Ignored})
	}
	return Hidden{Path: p.File, Rule: "not-published", Reason: p.Hidden, Fix: "nothing, if it is not for readers; else name its folder by the key \"docs\" in mcp-docs-server.json"}
}

// page fills in what is known of a page.
func (d *Document) page(sites *site.Set, p *site.Page, files fs.FS) error {
	text, err := fs.ReadFile(files, p.File)
	d.Path, d.Title, d.Listed = p.Path, p.Title, !p.Apart
	if p.Apart {
		d.Language, d.Version = p.Language(), p.Version()
	}
	for _, l := range sites.Links(p, string(text)) {
		to := sites.Resolve(p, l.Link)
		d.Links = append(d.Links, Link{l.Line, l.Link, to.String(), to.Certainty.String(), to.Candidates})
	}
	return err
}
