package site

import (
	"path"
	"strings"
)

var exdoc = &Generator{
	Name: "ExDoc", Lacks: "pages of modules, which are made of code",
	Markers: []string{"mix.exs"}, Extensions: []string{".md", ".cheatmd", ".livemd"}, Index: []string{"readme"}, Ending: ".html",
	Built: []string{"**/[A-Z]*.{html,epub}", "**/`*{,/*}"}, // of the code
	Route: func(s *Site, p *Page) string { return "/" + p.name() + ".html" },
	Open: func(r *reader, s *Site) bool {
		text := r.text(s.Config)
		m := compile(`(?s)\bextras:\s*(.*?)(?:\n\s*\]|$)`).FindStringSubmatch(text)
		if m == nil {
			return false
		}
		for _, q := range compile(`"([^"\n]+\.(?:md|cheatmd|livemd|\{[^}]*\}))"`).FindAllStringSubmatch(text, 1000) {
			s.Keep = append(s.Keep, path.Clean(q[1]))
		}
		return s.Keep != nil
	},
}

var documenter = &Generator{
	Name: "Documenter", Lacks: "docstrings; `@ref` links",
	Markers: []string{"make.jl"}, Extensions: []string{".md"}, Index: []string{"index"}, NavTitles: true, Folder: "src", Ending: "/",
	Open: func(r *reader, s *Site) bool {
		text := r.text(s.Config)
		if !strings.Contains(text, "makedocs") || !r.isDir(s.Trees[0].Root) {
			return false
		}
		if compile(`\bprettyurls\s*=\s*false\b`).MatchString(text) {
			s.Ending = ".html"
		}
		if m := compile(`\bcanonical\s*=\s*"(https?://[^"\s]+)"`).FindStringSubmatch(text); m != nil {
			s.BaseURL = m[1]
		}
		return true
	},
	Order: func(n *navigation, s *Site, t *Tree) {
		for _, m := range compile(`(?:"([^"\n]*)"\s*=>\s*)?"([^"\n]+\.md)"`).FindAllStringSubmatch(compile(`(?s:\s*#=.*?=#)|(?m:^[ \t]*#.*$)`).ReplaceAllString(n.text(s.Config), ""), 5000) {
			n.add(s.Config, Entry{File: join(t.Root, m[2]), Title: m[1]})
		}
	},
}
