package site

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

// mystLabel matches where MyST defines a label: before a block, by an option, in figures and in equations.
const mystLabel = `(?m:^\(([^)\n]+)\)=\s*$)|(?m:^\s*:(?:name|label):\s*(\S+)\s*$)|\{figure-md\}[ \t]+(\S+)|(?m:\$\$[ \t]*\(([^)\n]+)\)\s*$)`

// label returns the place of a label of RST or MyST.
func (s *Set) label(name string) (Target, bool) {
	s.labelsOnce.Do(s.readLabels)
	t, ok := s.labels[strings.ToLower(strings.Join(strings.Fields(name), " "))]
	return t, ok
}

// readLabels reads the labels of all documents whose generator has them.
func (s *Set) readLabels() {
	s.labels = make(map[string]Target)
	for _, p := range s.pages {
		site := p.Tree.site
		if p.Hidden != "" || !site.Labels && site.References == nil {
			continue
		}
		data, err := readBounded(s.docs, p.File)
		if err != nil {
			continue
		}
		c, _ := s.expand(context.Background(), p, string(data))
		text := c.Text
		add := func(name, id string) {
			if _, again := s.labels[strings.ToLower(name)]; !again {
				s.labels[strings.ToLower(name)] = Target{File: p.File, ID: id, Page: p}
			}
		}
		if formatOf(p.File) == rst {
			rstSections(text, func(name string, _ *section, _ int) { add(name, docutils(name)) })
			continue
		}
		for _, m := range compile(mystLabel+`|\{[^}\n]*#([\w:./-]+)[^}\n]*\}|\]\(@id\s+([^)\n]+)\)`).FindAllStringSubmatch(text, 5000) {
			name := strings.Join(m[1:], "")
			add(name, name)
		}
		if site.Generator == documenter { // each heading is a label
			for _, h := range excerpt.Headings(text) {
				add(plainTitle(h.Text), strings.ReplaceAll(plainTitle(h.Text), " ", "-"))
			}
		}
	}
}

// resolveRole resolves a role of RST, such as :doc:`Title <file>`.
func (s *Set) resolveRole(p *Page, link string) Target {
	m := compile("^:?(?:[\\w+]+:)?(doc|ref|numref|any|download):`(?:[^`<]*<)?!?([^`>]+)>?`$").FindStringSubmatch(link)
	if m == nil || strings.HasPrefix(m[2], "!") {
		return Target{Certainty: Unknown}
	}
	name := strings.TrimSpace(strings.TrimPrefix(m[2], "~"))
	switch m[1] {
	case "doc", "download":
		if strings.Contains(name, ":") && !strings.HasPrefix(name, "/") {
			return Target{Certainty: Elsewhere} // of another project
		}
		base := clean(path.Dir(p.File), name)
		if strings.HasPrefix(name, "/") {
			base = join(p.Tree.Root, name)
		}
		if file := s.spelled(p, base); file != "" {
			return Target{File: file, Page: s.files[file]}
		}
		if s.docs.Ignored(base, false) {
			return Target{Certainty: Elsewhere}
		}
		return Target{Certainty: Absent}
	case "ref", "numref":
		if t, ok := s.label(name); ok {
			return t
		}
		if strings.Contains(name, ":") || slices.Contains([]string{"genindex", "modindex", "search", "py-modindex"}, name) {
			return Target{Certainty: Elsewhere}
		}
		if p.Tree.site.Values["sections"] != "" {
			return Target{Certainty: Unknown} // each section has a label
		}
		return Target{Certainty: Absent}
	}
	if t, ok := s.label(name); ok {
		return t
	}
	return Target{Certainty: Unknown}
}
