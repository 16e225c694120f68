package site

import (
	"context"
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
		c, _ := s.Content(context.Background(), p, string(data))
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
	if m[1] == "doc" || m[1] == "download" {
		if strings.Contains(name, ":") && !strings.HasPrefix(name, "/") {
			return Target{Certainty: Elsewhere} // of another project
		}
		if below, ok := strings.CutPrefix(name, "/"); ok {
			name = strings.Repeat("../", strings.Count(p.below(), "/")) + below
		}
		return s.target(p, name, "")
	}
	if t, ok := s.label(name); ok {
		return t
	}
	switch {
	case m[1] == "any" || p.Tree.site.Values["sections"] != "": // each section has a label
		return Target{Certainty: Unknown}
	case strings.Contains(name, ":") || matchesAny(p.Tree.site.Built, name):
		return Target{Certainty: Elsewhere}
	}
	return Target{Certainty: Absent}
}
