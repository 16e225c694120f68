package site

import (
	"path"
	"strings"
)

var exdoc = &Generator{
	Name: "ExDoc", Lacks: "pages of modules, which are made of code",
	Markers: []string{"mix.exs"}, Extensions: []string{".md", ".cheatmd", ".livemd"}, Index: []string{"readme"},
	Open: func(r *reader, marker string) []*Site {
		text, dir := r.text(marker), path.Dir(marker)
		m := compile(`(?s)\bextras:\s*(.*?)(?:\n\s*\]|$)`).FindStringSubmatch(text)
		if m == nil {
			return nil
		}
		s := &Site{HTML: true, Trees: []*Tree{{Root: dir}}}
		for _, q := range compile(`"([^"\n]+\.(?:md|cheatmd|livemd|\{[^}]*\}))"`).FindAllStringSubmatch(text, 1000) {
			s.Keep = append(s.Keep, path.Clean(q[1]))
		}
		if s.Keep == nil {
			return nil
		}
		return []*Site{s}
	},
}

var documenter = &Generator{
	Name: "Documenter", Lacks: "docstrings; `@ref` links",
	Markers: []string{"make.jl"}, NavTitles: true,
	Open: func(r *reader, marker string) []*Site {
		dir := path.Dir(marker)
		if !strings.Contains(r.text(marker), "makedocs") || !r.isDir(join(dir, "src")) {
			return nil
		}
		s := &Site{HTML: compile(`\bprettyurls\s*=\s*false\b`).MatchString(r.text(marker)), Trees: []*Tree{{Root: join(dir, "src")}}}
		if m := compile(`\bcanonical\s*=\s*"(https?://[^"\s]+)"`).FindStringSubmatch(r.text(marker)); m != nil {
			s.BaseURL = m[1]
		}
		return []*Site{s}
	},
	Order: func(n *navigation, s *Site, t *Tree) {
		for _, m := range compile(`(?:"([^"\n]*)"\s*=>\s*)?"([^"\n]+\.md)"`).FindAllStringSubmatch(n.text(s.Config), 5000) {
			n.add(s.Config, Entry{File: join(t.Root, m[2]), Title: m[1]})
		}
	},
}
