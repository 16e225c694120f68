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
		return "/" + strings.TrimPrefix(join(module, stem(rest)), "ROOT/") + ".html"
	},
	Order: func(n *navigation, s *Site, t *Tree) {
		for _, nav := range s.settings.List("nav") {
			file := join(s.Dir, nav)
			if !n.first(file) {
				continue
			}
			n.missing(s.Config, file, "")
			for _, m := range compile(`xref:([^\[\s]+)\[([^\]]*)\]`).FindAllStringSubmatch(n.text(file), 5000) {
				target, _, _ := strings.Cut(m[1], "#")
				n.add(file, Entry{File: join(t.Root, resource(target, relative(t.Root, file))), Title: m[2]})
			}
		}
	},
}

// resource returns the file of a resource id, such as component:module:partial$file.adoc, in a file. Both are below the root.
func resource(id, in string) string {
	module, _, _ := strings.Cut(in, "/")
	if i := strings.LastIndexByte(id, ':'); i >= 0 {
		names := strings.Split(id[:i], ":")
		module, id = cmp.Or(names[len(names)-1], "ROOT"), id[i+1:]
	}
	family, file, ok := strings.Cut(id, "$")
	if !ok {
		family, file = "page", id
	}
	return join(module, family+"s", file)
}
