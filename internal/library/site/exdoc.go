package site

import "path"

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
