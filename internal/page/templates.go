package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

type templatesPage struct {
	frame
	Templates []templateItem
	Left      int
}

type templateItem struct {
	Template, Name, Title, Description, MIME string
	Verdict                                  string // why the template never matches, or ""
	Files                                    string // the page of a folder with files that it matches, or ""
}

// maxTemplates is how many templates the page lists.
const maxTemplates = 250

// templates lists the templates.
func (q *request) templates() {
	page := templatesPage{frame: q.frame("Templates", "templates")}
	catalog := q.site.Server.Current().Catalog
	if catalog == nil {
		q.show("templates", page)
		return
	}
	if _, err := q.call("resources/templates/list", struct{}{}); err != nil { // so that the log and the limits count the list
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
			t.Verdict = cmp.Or(v.Detail, v.Reason.String())
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
	if v, ok := q.everything(); ok {
		for _, e := range v.Templates() {
			text := e.Template.String()
			listed := slices.ContainsFunc(index.Entries(), func(e templates.Entry) bool { return e.Template.String() == text })
			if len(page.Templates) < 2*maxTemplates && !listed {
				page.Templates = append(page.Templates, templateItem{Template: text, Name: e.Name, Title: e.Title, Description: e.Description, MIME: e.MIMEType})
			}
		}
	}
	q.show("templates", page)
}
