package page

import (
	"cmp"
	"strings"
)

// templates lists the templates.
func (q *request) templates() {
	all, err := q.everything()
	if err == nil {
		_, err = q.call("resources/templates/list", struct{}{}) // so that the limits count the list
	}
	if err != nil {
		q.failed(err)
		return
	}
	page := listPage{frame: q.frame("Templates", "templates")}
	entries := all.Templates()
	for _, e := range entries[:min(len(entries), maxTemplates)] {
		listed := item{Name: e.Template.String(), Title: cmp.Or(e.Title, e.Name), Description: e.Description}
		literal, _, _ := strings.Cut(listed.Name, "{")
		if f, ok := all.Folder(literal[:strings.LastIndexByte(literal, '/')+1]); ok {
			listed.Href = q.folderHref(f.URI)
		}
		page.Items = append(page.Items, listed)
	}
	q.show("list", page)
}

// maxTemplates is how many templates the page lists.
const maxTemplates = 250
