package site

import (
	"slices"
	"strings"
)

// index fills in the paths of the pages, and makes the maps with which pages are found.
func (s *Set) index() {
	s.files, s.same = make(map[string]*Page, len(s.pages)), make(map[Identity][]*Page)
	for _, p := range s.pages {
		s.files[p.File], p.Path = p, p.File
		if root := s.options.Chosen; root != "" && within(root, p.File) {
			p.Path = relative(root, p.File)
		}
		if p.Hidden == "" {
			s.same[p.Identity()] = append(s.same[p.Identity()], p)
		}
	}
	for _, same := range s.same {
		shown := slices.IndexFunc(same, func(p *Page) bool { return !p.Tree.Other })
		for i, p := range same {
			p.Apart = p.Tree.Other && (shown >= 0 || i > 0 || p.Tree.Translated)
		}
	}
}

// hiddenPath reports whether a part of a path begins with a dot.
func hiddenPath(name string) bool {
	return slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool { return len(part) > 1 && part[0] == '.' })
}
