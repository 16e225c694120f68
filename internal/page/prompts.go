package page

import (
	"cmp"
	"net/http"
	"strings"
)

// prompts lists the prompts, or shows one with its form and its messages.
func (q *request) prompts(rest string) {
	set := q.site.Server.Current().Prompts
	if rest == "" || set == nil {
		if _, err := q.call("prompts/list", struct{}{}); err != nil {
			q.failed(err)
			return
		}
		set = q.site.Server.Current().Prompts
	}
	if rest == "" {
		page := listPage{frame: q.frame("Prompts", "prompts")}
		for _, p := range set.Prompts() {
			page.Items = append(page.Items, listItem{p.Name, q.promptHref(p.Name), p.Title, p.Description})
		}
		q.show("list", page)
		return
	}
	p, ok := set.Get(unescape(rest))
	if !ok {
		var names []string
		for _, p := range set.Prompts() {
			names = append(names, p.Name)
		}
		q.noName("prompt", unescape(rest), names)
		return
	}
	page := formPage{frame: q.frame(promptTitle(p), "prompts"), Name: p.Name, About: helpOf(p.Description), Action: q.promptHref(p.Name), Button: "Get the messages"}
	page.Crumbs = []link{{"Prompts", q.base + "/prompts"}}
	for _, a := range p.Arguments {
		f := field{Name: a.Name, Label: a.Title, About: helpOf(a.Description), Required: a.Required, Kind: "area"}
		if f.Label == "" {
			f.Label = a.Name
		}
		if values, ok := p.Complete(a.Name, ""); ok && len(values) > 0 {
			f.Kind, f.Choices = "choice", values
		}
		page.Fields = append(page.Fields, f)
	}
	if q.r.Method == http.MethodPost && q.readForm() {
		arguments := make(map[string]string)
		for i := range page.Fields {
			f := &page.Fields[i]
			f.Value = q.r.PostForm.Get("arg." + f.Name)
			if f.Value != "" {
				arguments[f.Name] = strings.ReplaceAll(f.Value, "\r\n", "\n") // browsers send CRLF
			}
		}
		q.ask(&page, "prompts/get", map[string]any{"name": p.Name, "arguments": arguments})
	}
	q.show("form", page)
}

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
		item := listItem{Name: e.Template.String(), Title: cmp.Or(e.Title, e.Name), Description: e.Description}
		literal, _, _ := strings.Cut(item.Name, "{")
		if f, ok := all.Folder(literal[:strings.LastIndexByte(literal, '/')+1]); ok {
			item.Href = q.folderHref(f.URI)
		}
		page.Items = append(page.Items, item)
	}
	q.show("list", page)
}

// maxTemplates is how many templates the page lists.
const maxTemplates = 250
