package explain

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/skills"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
	"github.com/mcp-docs-server/mcp-docs-server/matcher"

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

// resource answers how clients see a resource.
func (q *inquiry) resource(r loader.Resource) {
	q.answer.File = r.LogicalPath()
	about := q.catalog.Metadata(r)
	mime, from := q.catalog.MIMEOrigin(r)
	out := &Resource{
		URI:         r.URI(),
		Title:       about.Title,
		Description: about.Description,
		MIME:        Origin{mime, string(from)},
		Size:        r.Size(), ModTime: r.ModTime(),
	}
	q.skill(r, out)
	q.form(r, out)
	q.templates(r, out)
	q.answer.Resource = out
}

// skill answers whether clients see a skill.
func (q *inquiry) skill(r loader.Resource, out *Resource) {
	if !r.IsSkill() {
		return
	}
	s, _, err := skills.NewReader().Read(q.ctx, q.catalog, r)
	if err != nil {
		why := loader.Reason(err)
		if invalid, ok := errors.AsType[*skills.InvalidError](err); ok {
			why = invalid.Error()
		}
		out.Skill = &Skill{Why: why}
		return
	}
	out.Skill = &Skill{Name: s.Name, Files: len(s.Files)}
}

// form answers whether clients get text or a blob.
func (q *inquiry) form(r loader.Resource, out *Resource) {
	data, err := q.read(r)
	if tooLarge, ok := errors.AsType[*loader.TooLargeError](err); ok {
		out.FormRule = tooLarge.Error() + ": clients cannot read it"
		return
	} else if err != nil {
		out.FormRule = "cannot be read: " + loader.Reason(err)
		return
	}
	c := q.catalog.Classify(r, data)
	out.Form, out.FormRule = string(c.Form), string(c.Rule)
	if c.Rule == loader.IsBinary {
		out.FormRule = fmt.Sprintf("%s: %s", out.FormRule, c.Known)
	}
	if c.MIME != out.MIME.Value { // lists show the type without reading the file
		out.MIME.From += fmt.Sprintf("; a read says %s, %s", c.MIME, c.Origin)
	}
}

// read returns the bytes of a resource.
func (q *inquiry) read(r loader.Resource) ([]byte, error) {
	f, err := r.Open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, q.MaxBytes+1))
	if err == nil && int64(len(data)) > q.MaxBytes {
		err = &loader.TooLargeError{Size: max(r.Size(), int64(len(data))), Limit: q.MaxBytes}
	}
	return data, err
}

// templates finds the template of a resource, and the other templates that match.
func (q *inquiry) templates(r loader.Resource, out *Resource) {
	index := q.catalog.Templates()
	winner, ok := r.Template()
	if !ok {
		return
	}
	template := func(entry int) Template {
		e := index.Entries()[entry]
		return Template{e.Name, e.URITemplate, e.Line}
	}
	won := template(winner)
	out.Template = &won
	decoded := uri.Decode(r.URI())
	variables, _ := index.Pattern(winner).Match(decoded)
	for _, v := range variables {
		out.Variables = append(out.Variables, Variable{v.Name, uri.Display(v.Value)})
	}
	for _, entry := range index.Candidates(decoded) {
		d, ok := index.Decide(winner, entry)
		if entry == winner || !ok {
			continue
		}
		lost := Lost{Template: template(entry), Rule: string(d.Rule)}
		if d.Rule == matcher.Inclusion && d.Through != d.Loser {
			through := template(d.Through)
			lost.Through = &through
		}
		out.Lost = append(out.Lost, lost)
	}
}
