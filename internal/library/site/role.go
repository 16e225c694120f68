package site

import (
	"context"
	"path"
	"slices"
	"strings"
)

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
		if p.Hidden != "" || !p.Tree.site.Labels {
			continue
		}
		data, err := readBounded(s.docs, p.File)
		if err != nil {
			continue
		}
		c, _ := s.expand(context.Background(), p, string(data))
		for _, m := range compile(labels).FindAllStringSubmatch(c.Text, 5000) {
			id := strings.ToLower(strings.Join(m[1:], ""))
			if _, again := s.labels[id]; !again {
				s.labels[id] = Target{File: p.File, ID: strings.ReplaceAll(id, " ", "-"), Page: p}
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
