package site

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
	"strings"
)

var nextra = &Generator{
	Name: "Nextra", Lacks: "components; pages made by a program",
	Markers: []string{"next.config.js", "next.config.mjs", "next.config.ts", "next.config.cjs"}, Extensions: []string{".mdx", ".md"}, Index: []string{"index", "page"}, Skip: []string{"**/_*", "**/_*/**", "**/node_modules/**"}, Spell: ungrouped, Public: []string{"public"},
	Open: func(r *reader, s *Site) bool {
		if !strings.Contains(r.text(s.Config), "nextra") {
			return false
		}
		for _, root := range []string{"content", "src/content", "app", "src/app", "pages", "src/pages"} {
			if s.Trees[0].Root = join(s.Dir, root); !r.isDir(s.Trees[0].Root) {
				continue
			}
			if strings.HasSuffix(root, "app") {
				s.Keep = []string{"**/page.{md,mdx}"}
			}
			s.redirects(r.exported(s.Config), "")
			return true
		}
		return false
	},
}

// templated reports whether a file that is not a document makes a page: it has the name of the page, without its extension, or
// is named after a parameter, such as [id].tsx. Next.js and Astro have such files in folders of routes.
func (s *Set) templated(t *Tree, below string) bool {
	site := t.site.Dir
	return slices.ContainsFunc([]string{t.Root, join(site, "src/pages"), join(site, "pages"), join(site, "src/app"), join(site, "app")}, func(dir string) bool {
		entries, _ := fs.ReadDir(s.fsys, join(dir, path.Dir(below)))
		return slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
			return compile(`^\[\w`).MatchString(e.Name()) || stem(e.Name()) == path.Base(below) && !e.IsDir() && !hiddenPath(e.Name())
		})
	})
}

// ungrouped leaves out folders in parentheses, which routes do not have.
func ungrouped(part string) string {
	if strings.HasPrefix(part, "(") && strings.HasSuffix(part, ")") {
		return ""
	}
	return part
}

var fumadocs = &Generator{
	Name: "Fumadocs", Lacks: "API pages made of OpenAPI files",
	Markers: []string{"source.config.ts", "source.config.js", "source.config.mjs"}, Extensions: []string{".mdx", ".md"}, Index: []string{"index"},
	Public: []string{"public"}, Spell: ungrouped,
	Open: func(r *reader, s *Site) bool { return true },
	Sites: func(r *reader, s *Site) (sites []*Site) { // one for each collection, below the route of its name
		var roots []string
		for _, o := range r.program(s.Config).Names().Options() {
			if o.Name == "defineDocs" {
				roots = append(roots, cmp.Or(o.Str("dir"), "content/docs"))
			}
		}
		if roots == nil {
			roots = []string{"content/docs", "content"}
		}
		for _, root := range roots {
			site := *s
			site.Trees = []*Tree{{Root: join(s.Dir, root), Prefix: strings.TrimPrefix(path.Base(root)+"/", "content/")}}
			sites = append(sites, &site)
		}
		return sites
	},
	Order: func(n *navigation, s *Site, t *Tree) { n.addMeta(t.Root) },
}

// addMeta adds the pages of a folder in the order of its meta.json.
func (n *navigation) addMeta(dir string) {
	file := join(dir, "meta.json")
	if !n.first(file) {
		return
	}
	names := n.config(file).List("pages")
	if len(names) == 0 {
		n.addFolder(dir, nil)
	}
	for _, name := range names {
		if name = strings.TrimPrefix(name, "..."); name == "" || strings.HasPrefix(name, "---") {
			continue
		}
		if n.isDir(join(dir, name)) {
			n.addMeta(join(dir, name))
		} else {
			n.addName(file, relative(n.tree.Root, join(dir, name)), nil, !strings.ContainsAny(name, "[!("))
		}
	}
}
