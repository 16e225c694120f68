package explain

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/fserr"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docsfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/skills"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
	"github.com/mcp-docs-server/mcp-docs-server/matcher"
	"github.com/mcp-docs-server/mcp-docs-server/problems"
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
	_, data, err := q.catalog.Content(r, q.MaxBytes)
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

// causes holds the names of the causes of the loader, and what to do about each.
var causes = map[loader.Cause]struct{ name, fix string }{
	loader.HiddenName:     {"hidden-name", "rename it, or add a pattern with that name to \"include\" in mcp-docs-server.json"},
	loader.Excluded:       {"excluded", "change \"exclude\", or \"docsExclude\" for a document, in mcp-docs-server.json"},
	loader.Ignored:        {"ignored", "change .gitignore or .git/info/exclude; or name a folder that they ignore by the key \"docs\" in mcp-docs-server.json"},
	loader.NotIncluded:    {"not-included", "add a pattern for it to \"include\" in mcp-docs-server.json"},
	loader.NoTemplate:     {"no-template", "add a template for it to resources/templates.json, or set \"unmatched\" to \"serve\" in mcp-docs-server.json"},
	loader.Describes:      {"describes", "nothing: its text is the title and the description of the other file"},
	loader.OutsideSchemes: {"outside-schemes", "move it to a folder such as resources/docs/"},
	loader.NotScheme:      {"not-scheme", "rename the folder: a scheme is a letter, then letters, digits, \"+\", \"-\" and \".\""},
	loader.OutsideSkills:  {"outside-skills", "move it to the folder of a skill, or add a SKILL.md next to it"},
	loader.SameURI:        {"same-uri", "rename one of the two"},
	loader.TooDeep:        {"too-deep", "move it up"},
	loader.Irregular:      {"irregular", "put a regular file in its place"},
	loader.LinkRefused:    {"link-refused", "let the link lead to a file in the project folder that is not hidden, or copy the file"},
	loader.TooManyLinks:   {"too-many-links", "copy the files, or use fewer links to folders"},
	loader.Unreadable:     {"unreadable", "allow this user to read it"},
}

// HiddenOf returns an omission with the name of its rule and what to do.
func HiddenOf(o loader.Skipped) Hidden {
	c := causes[o.Cause]
	if o.Cause == loader.LinkRefused && o.Detail != "" { // the detail says all of it
		return Hidden{Path: o.Path, Rule: c.name, Reason: o.Detail, Fix: c.fix}
	}
	return Hidden{Path: o.Path, Rule: c.name, Reason: string(o.Cause), Detail: o.Detail, Fix: c.fix}
}

// Rules that hide documents and prompts, in addition to the rules of names.
const (
	problem     = "problem"
	notMarkdown = "not-markdown"
	notRegular  = "not-regular"
)

// Unexplained reports whether the only known reason is that no scan accepted the file.
func (h Hidden) Unexplained() bool { return h.Rule == notMarkdown || h.Rule == notRegular }

// Withheld says why a file in the folders of documents or prompts is not served: because a name in its
// path is hidden, because a pattern excludes documents, because the scans reported a problem, or because
// of its kind. reported holds the problems by path.
func Withheld(name string, library *docs.Library, reported map[string][]string) []Hidden {
	var hidden []Hidden
	for i := range len(name) + 1 {
		if i < len(name) && name[i] != '/' {
			continue
		}
		ancestor := name[:i] // the first ones are folders above the file
		if pattern, ok := library.Excluded(ancestor); ok && walk.Holds(library.Dir(), name) {
			return append(hidden, HiddenOf(loader.Skipped{Path: ancestor, Cause: loader.Excluded, Detail: pattern}))
		}
		if library.Ignored(ancestor, ancestor != name) {
			return append(hidden, HiddenOf(loader.Skipped{Path: ancestor, Cause: loader.Ignored}))
		}
		if loader.Hidden(path.Base(ancestor)) {
			h := HiddenOf(loader.Skipped{Path: ancestor, Cause: loader.HiddenName, Detail: path.Base(ancestor)})
			h.Fix = "rename it" // include patterns apply only to resources
			return append(hidden, h)
		}
		for _, reason := range reported[ancestor] {
			hidden = append(hidden, Hidden{Path: ancestor, Rule: problem, Reason: reason})
		}
	}
	switch {
	case len(hidden) > 0:
	case walk.Holds(prompts.Folder, name):
		hidden = append(hidden, Hidden{Path: name, Rule: notMarkdown, Reason: "a prompt is a file whose name ends in .md or .mdx", Fix: "rename it"})
	default:
		hidden = append(hidden, Hidden{Path: name, Rule: notRegular, Reason: "is not a regular file that can be read"})
	}
	return hidden
}

// Reported returns what warnings and problems say, by path. docs is the folder of the documents: a notice about it hides no document.
func Reported(warnings []loader.Warning, found problems.List, docs string) map[string][]string {
	reported := make(map[string][]string)
	for _, n := range warnings {
		if n.Path != docs {
			reported[n.Path] = append(reported[n.Path], n.Reason)
		}
	}
	for _, p := range found.Errors() {
		reason := p.Reason
		if p.Line > 0 {
			reason = fmt.Sprintf("line %d: %s", p.Line, reason)
		}
		reported[p.File] = append(reported[p.File], reason)
	}
	return reported
}

// omitted says why something is not a resource.
func (q *inquiry) omitted(o loader.Skipped) { q.answer.Hidden = append(q.answer.Hidden, HiddenOf(o)) }

// missing answers why a document or prompt that exists is not served: because of a hidden name, or
// because of a problem that the scan reports.
func (q *inquiry) missing(name string, reported map[string][]string) error {
	info, err := fs.Stat(q.Files, name)
	links, hasLinks := q.Files.(fs.ReadLinkFS)
	if err != nil && hasLinks {
		info, err = links.Lstat(name) // a link that leads nowhere
	}
	if err != nil {
		return nil
	}
	q.answer.File, q.answer.Folder = name, info.IsDir()
	hidden := Withheld(name, q.Library, reported)
	if info.IsDir() && len(hidden) == 1 && hidden[0].Unexplained() {
		return nil // a folder without served files is not a mistake
	}
	// the same rule may hide it as a resource
	q.answer.Hidden = slices.DeleteFunc(q.answer.Hidden, func(h Hidden) bool {
		return slices.ContainsFunc(hidden, func(other Hidden) bool { return h.Path == other.Path && h.Rule == other.Rule })
	})
	q.answer.Hidden = append(q.answer.Hidden, hidden...)
	return nil
}
