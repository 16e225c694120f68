package explain

import (
	"errors"
	"fmt"
	"io"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/skills"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
	"github.com/mcp-docs-server/mcp-docs-server/matcher"
)

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
