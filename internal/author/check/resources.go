package check

import (
	"fmt"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
	"github.com/mcp-docs-server/mcp-docs-server/matcher"
)

// maxCompared is the maximum number of pairs of a file and a template that are compared to find
// templates that lose. The first file finds most of them; the limit is for projects with very many
// files and templates that never match the same URIs.
const maxCompared = 20_000_000

// resources checks the files of the catalog against the templates.
func (c *checker) resources() {
	catalog := c.contents.Catalog
	index := catalog.Templates()
	t := newTemplates(index)
	for r := range catalog.All() {
		if c.ctx.Err() != nil {
			return
		}
		entry, ok := r.Template()
		if !ok {
			if c.Templates != "" && !r.Mounted() {
				c.add(Unmatched, Finding{File: r.LogicalPath(), URI: r.URI(), Message: "no template matches: clients see it without a description"})
			}
			continue
		}
		c.roundTrip(catalog, r, entry)
		t.see(r, entry)
	}
	c.templates(t)
}

// roundTrip checks that expanding the template with the variables of the URI gives a URI of the
// same file.
func (c *checker) roundTrip(catalog *loader.Catalog, r loader.Resource, entry int) {
	canonical := r.URI()
	index := catalog.Templates()
	e := index.Entries()[entry]
	m, ok := index.Match(canonical)
	if !ok || m.Entry != entry {
		c.add(RoundTrip, Finding{File: r.LogicalPath(), URI: canonical, Message: fmt.Sprintf("%s does not match the URI again", e.URITemplate)})
		return
	}
	expanded := index.Pattern(entry).Expand(m.Variables)
	if expanded == canonical {
		return
	}
	if found, ok := catalog.Lookup(expanded); !ok || found != r {
		c.add(RoundTrip, Finding{File: r.LogicalPath(), URI: canonical, Message: fmt.Sprintf("%s gives %s, which is not this file", e.URITemplate, expanded)})
	}
}

// templateUse records which templates win and lose files.
type templateUse struct {
	index *matcher.Index
	wins  []int // by entry: the number of files that it wins

	lost     map[int]example // by entry that wins no file: a file that it matches
	idle     map[int]bool    // entries that match no file so far
	compared int             // the number of compared pairs of a file and a template
	cut      bool            // maxCompared was reached
}

// An example is a file that a template loses.
type example struct {
	uri    string
	winner int
}

func newTemplates(index *matcher.Index) *templateUse {
	n := len(index.Entries())
	t := &templateUse{index: index, wins: make([]int, n), lost: make(map[int]example), idle: make(map[int]bool)}
	for i := range n {
		if index.Pattern(i) != nil {
			t.idle[i] = true
		}
	}
	return t
}

// see records a file and its template.
func (t *templateUse) see(r loader.Resource, winner int) {
	t.wins[winner]++
	delete(t.idle, winner)
	delete(t.lost, winner)
	if len(t.idle) == 0 {
		return
	}
	if t.compared += len(t.idle); t.compared > maxCompared {
		t.cut = true
		return
	}
	canonical := r.URI()
	decoded := uri.Decode(canonical)
	for i := range t.idle {
		if t.index.Pattern(i).Matches(decoded) {
			t.lost[i] = example{canonical, winner}
			delete(t.idle, i)
		}
	}
}

// templates reports templates that do not work as their author may expect.
func (c *checker) templates(t *templateUse) {
	entries := t.index.Entries()
	located := func(entry int, f Finding) Finding {
		e := entries[entry]
		f.File, f.Line, f.Column = loader.TemplatesFile, e.Line, e.Column
		f.Message = fmt.Sprintf("%s (%s) %s", e.URITemplate, e.Name, f.Message)
		return f
	}
	named := func(entry int) string {
		return fmt.Sprintf("%s (%s) in line %d", entries[entry].URITemplate, entries[entry].Name, entries[entry].Line)
	}
	for i, e := range entries {
		if e.Line == 0 {
			continue // the program adds it
		}
		for _, part := range entries[i].Template.Parts() {
			if x := part.Expression; x != nil && x.Operator == 0 && x.Variables[0].Explode {
				name := x.Variables[0].Name
				c.add(Unmatchable, located(i, Finding{Message: fmt.Sprintf("{%[1]s*} matches one segment, without slashes", name), Fix: fmt.Sprintf("write {+%s} for a path of any length", name)}))
			}
		}
		v := t.index.Verdict(i)
		lost, loses := t.lost[i]
		switch {
		case !v.Reason.Matches():
			c.add(Unmatchable, located(i, Finding{Message: "matches no file: " + v.Detail}))
		case v.Reason == matcher.Repeated:
			c.add(Repeated, located(i, Finding{URI: v.URI, Message: "is already in line " + fmt.Sprint(entries[v.Winner].Line)}))
		case v.Reason == matcher.Covered:
			c.add(Shadowed, located(i, Finding{URI: v.URI, Message: "can never win: " + t.why(v.Winner, i, named)}))
		case loses:
			c.add(Shadowed, located(i, Finding{URI: lost.uri, Message: "wins no existing file: " + t.why(lost.winner, i, named)}))
		case t.wins[i] == 0:
			f := Finding{Message: "matches no existing file"}
			if p := t.index.Pattern(i); p != nil {
				f.URI = p.Example()
				f.Message += "; it is for URIs such as " + f.URI
			}
			c.add(Unused, located(i, f))
		}
	}
	if t.cut {
		c.add(Unused, Finding{Severity: Note, File: loader.TemplatesFile, Message: "there are too many files and templates to compare all of them: templates that lose may be reported as unused", Fix: "use fewer templates"})
	}
}

// why says by which rule one template wins over another.
func (t *templateUse) why(winner, loser int, named func(int) string) string {
	d, ok := t.index.Decide(winner, loser)
	if !ok || d.Winner == loser {
		return named(winner) + " gets its URIs"
	}
	return fmt.Sprintf("%s comes before it (%s)", named(winner), d.Rule)
}
