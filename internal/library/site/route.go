package site

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// index fills in the paths of the pages and their identities, and makes the maps with which pages are found.
func (s *Set) index() {
	main := s.Default()
	s.files, s.same = make(map[string]*Page, len(s.pages)), make(map[Identity][]*Page)
	for _, p := range s.pages {
		s.files[p.File] = p
		root := cmp.Or(s.options.Chosen, ".")
		if s.options.Chosen == "" && main != nil && p.Tree.site == s.Sites[0] && !p.Tree.Other {
			root = main.Root
		}
		p.Path = relative(root, p.File)
		if p.Hidden != "" {
			continue
		}
		if s.description == nil {
			p.key = join(path.Dir(p.below()), p.name())
		}
		id := p.Identity()
		s.same[id] = append(s.same[id], p)
	}
	for _, same := range s.same {
		shown := slices.IndexFunc(same, func(p *Page) bool { return !p.Tree.Other })
		for i, p := range same {
			p.Apart = p.Tree.Other && (shown >= 0 || i > 0 || p.Tree.Translated)
		}
	}
}

// routeKey returns what all spellings of a path have in common.
func routeKey(route string) string {
	route = strings.ToLower(unescaped(route))
	for _, end := range []string{"/", "/index.html", ".html", ".md", ".mdx", "/index", "/readme"} {
		route = strings.TrimSuffix(route, end)
	}
	return route
}

// spelled returns a route whose parts are as spell returns them, without those for which it returns "".
func spelled(route string, spell func(part string) string) string {
	if spell == nil {
		return route
	}
	var parts []string
	for part := range strings.SplitSeq(route, "/") {
		if s := spell(part); s != "" || part == "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, "/")
}
