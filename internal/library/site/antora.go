package site

import (
	"cmp"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/settings"
)

var antora = &Generator{
	Name: "Antora", Lacks: "playbooks outside the repository, links to other components, include extensions",
	Markers: []string{"antora.yml"}, Extensions: []string{".adoc", ".asciidoc"}, Modules: true, Index: []string{"index"},
	Keys: Keys{Title: "title"}, Folder: "modules", Ending: ".html",
	Open: func(r *reader, s *Site) bool {
		v := s.settings
		if v.Str("name") == "" {
			return false
		}
		s.Keep, s.Skip, s.Values = []string{"*/pages/**"}, []string{"**/_*"}, make(map[string]string)
		for name, value := range v.Sub("asciidoc", "attributes") {
			s.Values[name] = strings.TrimSuffix(settings.Scalar(value), "@")
		}
		for _, name := range []string{"antora-playbook.yml", "local-antora-playbook.yml", "playbook.yml", "antora-playbook.yaml"} {
			if url := r.config(name).Str("site", "url"); public(url) {
				s.BaseURL = url
			}
		}
		s.Trees[0].Prefix = strings.TrimPrefix(v.Str("name")+"/", "ROOT/")
		if version := v.Str("version"); version != "" && version != "~" {
			s.Trees[0].Prefix += version + "/"
		}
		return true
	},
	Route: func(s *Site, p *Page) string {
		module, rest, _ := strings.Cut(p.below(), "/pages/")
		if module == "ROOT" {
			module = ""
		}
		return "/" + join(module, stem(rest)) + ".html"
	},
	Order: func(n *navigation, s *Site, t *Tree) {
		for _, nav := range s.settings.List("nav") {
			file := join(s.Dir, nav)
			if !n.first(file) {
				continue
			}
			module, _, _ := strings.Cut(relative(t.Root, file), "/")
			for _, m := range compile(`xref:([^\[\s]+)\[([^\]]*)\]`).FindAllStringSubmatch(n.text(file), 5000) {
				target, _, _ := strings.Cut(m[1], "#")
				in, page := resource(target, module)
				n.add(file, Entry{File: join(t.Root, cmp.Or(in, "ROOT"), "pages", page), Title: m[2]})
			}
		}
	},
}

// antora returns the file of a resource id: module:partial$name, partial$name.
func (e *expansion) antora(from, name string) string {
	module, _, _ := strings.Cut(relative(e.page.Tree.Root, from), "/")
	module, name = resource(name, module)
	family, file, ok := strings.Cut(name, "$")
	if !ok {
		family, file = "page", name
	}
	if !e.page.Tree.site.Modules {
		return ""
	}
	return join(e.page.Tree.Root, module, family+"s", file)
}

// resource returns the module and the rest of a resource id, such as component:module:file.adoc, in a module.
func resource(id, in string) (module, rest string) {
	i := strings.LastIndexByte(id, ':')
	if i < 0 {
		return in, id
	}
	parts := strings.Split(id[:i], ":")
	return cmp.Or(parts[len(parts)-1], "ROOT"), id[i+1:]
}

// component returns the name of the component of an Antora site.
func (site *Site) component() string {
	name, _, _ := strings.Cut(site.Trees[0].Prefix, "/")
	return name
}
