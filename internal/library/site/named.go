package site

import (
	"cmp"
	"slices"
	"strings"
)

// A Named is a tree of documents that the configuration names. What it leaves out is detected.
type Named struct {
	Root      string // folder of the documents, below the project folder
	Generator string // as [Names] has it; "": the one that is found for the folder, or none
	Language  string // "": as the generator's configuration says
	Version   string // "": as the generator's configuration says
}

// Names returns the names of all generators, and the name that stands for a folder without a generator.
func Names() []string {
	names := make([]string, 0, len(generators)+1)
	for _, g := range generators {
		names = append(names, g.Name)
	}
	return append(names, plain.Name)
}

// generatorOf returns the generator of a name, in any case of letters, or nil.
func generatorOf(name string) *Generator {
	for _, g := range append(slices.Clone(generators), plain) {
		if strings.EqualFold(g.Name, name) {
			return g
		}
	}
	return nil
}

// Spread reports whether a generator has documents, or a project without one has documents outside of docs and is not a README
// alone. A configuration must name these sites, by their folder or by "." for all, or else only docs is served.
func (s *Set) Spread() bool {
	return slices.ContainsFunc(s.known().pages, func(p *Page) bool {
		return p.Hidden == "" && (!p.Tree.site.is(plain) || !p.Tree.site.Alone && !within("docs", p.File))
	})
}

// name replaces the sites by those that are named. A named folder is a tree of a site that was detected, or of a
// site without configuration.
func (s *Set) name(r *reader, named []Named) {
	detected, trees := s.Sites, make(map[*Site][]*Tree)
	for _, site := range detected {
		trees[site], site.Trees = site.Trees, nil
	}
	s.Sites = nil
	bare := make(map[*Generator]*Site) // the sites without configuration
	for _, n := range named {
		found := false
		add := func(site *Site, t Tree) {
			found = true
			t.site, t.Language, t.Version = site, strings.ToLower(cmp.Or(n.Language, t.Language)), cmp.Or(n.Version, t.Version)
			if len(site.Trees) == 0 {
				s.Sites = append(s.Sites, site)
			}
			if !slices.ContainsFunc(site.Trees, func(o *Tree) bool { return o.Root == t.Root && o.Language == t.Language && o.Version == t.Version }) {
				site.Trees = append(site.Trees, &t)
			}
		}
		for _, site := range detected {
			if n.Generator != "" && !strings.EqualFold(n.Generator, site.Name) {
				continue
			}
			if n.Language+n.Version == "" {
				for _, t := range trees[site] {
					if within(n.Root, t.Root) {
						add(site, *t)
					}
				}
			} else if t := n.tree(trees[site]); t != nil && !found {
				add(site, *t)
			}
		}
		if !found && r.isDir(n.Root) {
			g := cmp.Or(generatorOf(n.Generator), plain)
			if bare[g] == nil {
				bare[g] = g.site("", n.Root)
				bare[g].Trees, bare[g].Only = nil, false
			}
			add(bare[g], Tree{Root: n.Root})
		}
	}
	for _, site := range s.Sites {
		site.settle(site.Config == "")
	}
}

// tree returns the one of some trees that has the folder, and the language and version if there are several, or nil.
func (n Named) tree(trees []*Tree) (found *Tree) {
	for _, t := range trees {
		if t.Root == n.Root && (found == nil || strings.EqualFold(t.Language, n.Language) && t.Version == n.Version) {
			found = t
		}
	}
	return found
}

// settle makes the language and version of the first tree the default ones, if they are not, or if always is true.
func (site *Site) settle(always bool) {
	first := site.Trees[0]
	if !always && !first.Other {
		return
	}
	for _, t := range site.Trees {
		t.Other = t.Language != first.Language || t.Version != first.Version
	}
}

// narrow keeps the trees that have documents in the chosen folder: those in it, and the innermost one around it.
func (s *Set) narrow() {
	s.Sites = slices.DeleteFunc(s.Sites, func(site *Site) bool {
		around := ""
		for _, t := range site.Trees {
			if within(t.Root, s.options.Chosen) && len(t.Root) > len(around) {
				around = t.Root
			}
		}
		site.Trees = slices.DeleteFunc(site.Trees, func(t *Tree) bool { return t.Root != around && !within(s.options.Chosen, t.Root) })
		if len(site.Trees) > 0 {
			site.settle(false)
		}
		return len(site.Trees) == 0
	})
}

// generators that a repository may be configured for. If several know a file, the first that
// opens it counts.
var generators = []*Generator{
	mkdocs, docusaurus, vitepress, vuepress, starlight, hugo, zola, mdbook, sphinx, antora, jupyterBook, mintlify, hexo, jekyll,
	nextra, fumadocs, docfx, quarto, docsify, eleventy, exdoc, documenter, gitbook,
}
