package page

import (
	"fmt"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/uri"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
	"github.com/mcp-docs-server/mcp-docs-server/matcher"
)

// judged says where the type of a file comes from, and why it is text or a blob. Without data only
// the type is known.
func (q *request) judged(catalog *loader.Catalog, r loader.Resource, data []byte) []fact {
	if data == nil && r.Size() > 0 {
		mime, origin := catalog.MIMEOrigin(r)
		return []fact{{"Type", mime + ", " + origin.String()}}
	}
	j := catalog.Classify(r, data)
	return []fact{{"Type", j.MIME + ", " + j.Origin.String()}, {"Contents", j.Rule.String()}}
}

// templateOf returns the template of a file and what its URI gives to the variables.
func templateOf(catalog *loader.Catalog, r loader.Resource) (string, []fact) {
	entry, ok := r.Template()
	if !ok {
		return "", nil
	}
	t := catalog.Templates().Entries()[entry].Template
	var variables []fact
	if m, ok := catalog.Templates().Match(r.URI()); ok {
		for _, v := range m.Variables {
			variables = append(variables, fact{v.Name, uri.Display(v.Value)})
		}
	}
	return t.String(), variables
}

// maxCompared is how many templates a URI is compared with for an explanation, which compares with
// each.
const maxCompared = 2000

// decisions say why a file has its template.
func decisions(catalog *loader.Catalog, r loader.Resource) []fact {
	facts := []fact{{"Served", "nothing keeps it from being served"}}
	if r.Mounted() {
		facts[0].Value = "a document that is a resource too (docsResources)"
	} else if r.Linked() {
		facts[0].Value = "found through a link that stays in the project"
	}
	index := catalog.Templates()
	entries := index.Entries()
	winner, ok := r.Template()
	if !ok {
		return append(facts, fact{"Template", "no template matches; it is served nevertheless"})
	}
	if len(entries) > maxCompared {
		return facts
	}
	for _, other := range index.Candidates(uri.Decode(r.URI())) {
		if other == winner {
			continue
		}
		if d, ok := index.Decide(winner, other); ok && d.Winner == winner {
			facts = append(facts, fact{"Wins over", fmt.Sprintf("%s: %s", entries[other].Template, d.Rule)})
		}
	}
	if len(facts) == 1 {
		facts = append(facts, fact{"Template", "no other template matches"})
	}
	return facts
}

type templatesPage struct {
	frame
	Templates []templateItem
	Left      int
}

type templateItem struct {
	Template, Name, Title, Description, MIME string
	Verdict                                  string // why it is never found, or ""
	Files                                    string // a folder that holds what it names, or ""
}

// verdictText says why a template is never found.
func verdictText(v matcher.Verdict) string {
	if v.Detail != "" {
		return v.Detail
	}
	return v.Reason.String()
}

// maxTemplates is how many templates the page lists.
const maxTemplates = 500

// templates lists the templates.
func (q *request) templates() {
	page := templatesPage{frame: q.frame("Templates", "templates")}
	catalog := q.site.Server.Current().Catalog
	if catalog == nil {
		q.show("templates", page)
		return
	}
	if _, err := q.call("resources/templates/list", struct{}{}); err != nil { // it is what the list is of
		q.failed(err)
		return
	}
	index := catalog.Templates()
	for i, e := range index.Entries() {
		if i == maxTemplates {
			page.Left = len(index.Entries()) - i
			break
		}
		t := templateItem{Template: e.Template.String(), Name: e.Name, Title: e.Title, Description: e.Description, MIME: e.MIMEType}
		if v := index.Verdict(i); v.Reason != 0 {
			t.Verdict = verdictText(v)
			if v.URI != "" {
				t.Verdict += fmt.Sprintf(": %s wins %s", index.Entries()[v.Winner].Template, v.URI)
			}
		} else if p := index.Pattern(i); p != nil {
			literal := p.Literal()
			if f, ok := catalog.LookupFolder(literal[:strings.LastIndexByte(literal, '/')+1]); ok {
				t.Files = q.base + resourcePath("/r/", f.URI())
			}
		}
		page.Templates = append(page.Templates, t)
	}
	q.show("templates", page)
}
