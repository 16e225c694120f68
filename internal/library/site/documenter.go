package site

import (
	"path"
	"strings"
)

var documenter = &Generator{
	Name: "Documenter", Markers: []string{"make.jl"}, Slug: Julia,
	Open: func(r *reader, marker string) []*Site {
		dir := path.Dir(marker)
		if !strings.Contains(r.text(marker), "makedocs") || !r.isDir(join(dir, "src")) {
			return nil
		}
		return []*Site{{Trees: []*Tree{{Root: join(dir, "src")}}}}
	},
	Order: func(r *reader, s *Site, t *Tree) (entries []Entry) {
		for _, m := range compile(`(?:"([^"\n]*)"\s*=>\s*)?"([^"\n]+\.md)"`).FindAllStringSubmatch(r.text(s.Config), 5000) {
			entries = append(entries, Entry{File: join(t.Root, m[2]), Title: m[1]})
		}
		return entries
	},
}
