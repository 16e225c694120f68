package site

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// sort orders the pages and fills in what depends on all of them.
func (s *Set) sort() {
	type place struct {
		Entry
		order int
	}
	places := make(map[string]place)
	for i, site := range s.Sites {
		for _, t := range site.Trees {
			grouped := slices.ContainsFunc(t.order, func(e Entry) bool { return len(e.Groups) > 0 })
			for j, e := range t.order {
				if _, again := places[e.File]; again {
					continue
				}
				if e.Groups = slices.Clip(e.Groups); grouped && e.Groups == nil {
					e.Groups = []string{}
				}
				if grouped && i > 0 {
					e.Groups = append([]string{site.Dir}, e.Groups...)
				}
				places[e.File] = place{e, j + 1}
			}
		}
	}
	sites := make(map[*Site]int)
	trees := make(map[*Tree]int)
	for i, site := range s.Sites {
		sites[site] = i
		for j, t := range site.Trees {
			trees[t] = j
		}
	}
	for _, p := range s.pages {
		place, ok := places[p.File]
		p.Title, p.order, p.Groups = p.ownTitle, place.order, place.Groups
		if !ok {
			p.order = maxPages
		}
		if place.Title != "" && place.Title != p.Title {
			p.Short = place.Title
			if p.Title == "" || p.Tree.site.NavTitles {
				p.Title, p.Short = place.Title, ""
			}
		}
		if p.Title == "" {
			p.Title = nameTitle(p)
		}
	}
	titles := make(map[string]string)
	for _, p := range s.pages {
		titles[titleOf+p.File] = p.Title
	}
	for _, p := range s.pages {
		for i, group := range p.Groups {
			if strings.HasPrefix(group, titleOf) {
				p.Groups = slices.Clone(p.Groups) // pages of a group share them
				p.Groups[i] = cmp.Or(titles[group], nameTitle(&Page{File: group, Tree: p.Tree}))
			}
		}
	}
	slices.SortStableFunc(s.pages, func(a, b *Page) int {
		return cmp.Or(cmp.Compare(sites[a.Tree.site], sites[b.Tree.site]), cmp.Compare(trees[a.Tree], trees[b.Tree]),
			cmp.Compare(a.order, b.order), cmp.Compare(path.Dir(a.File), path.Dir(b.File)), compareWeights(a.weight, b.weight),
			cmp.Compare(natural(a), natural(b)), cmp.Compare(a.File, b.File))
	})
}

// compareWeights puts pages without a weight last.
func compareWeights(a, b int) int {
	if a == 0 || b == 0 {
		a, b = -min(1, a*a), -min(1, b*b)
	}
	return cmp.Compare(a, b)
}

// natural returns a name for sorting: the index of a folder comes first, and 2 before 10.
func natural(p *Page) string {
	name := path.Base(p.File)
	if p.isIndex() {
		return ""
	}
	if m := compile(`^\d{1,6}`).FindString(name); m != "" {
		name = strings.Repeat("0", 6-len(m)) + name
	}
	return " " + name
}

// isIndex reports whether the page stands for its folder.
func (p *Page) isIndex() bool {
	index := p.Tree.site.Index
	if index == nil {
		index = []string{"index"}
	}
	return slices.Contains(index, strings.ToLower(p.name()))
}

// name returns the name of the page's file, without its extension and language.
func (p *Page) name() string {
	name := stem(path.Base(p.File))
	if p.Tree.site.Suffix {
		if language := path.Ext(name); strings.EqualFold(strings.TrimPrefix(language, "."), p.Tree.Language) && p.Tree.Language != "" {
			name = strings.TrimSuffix(name, language)
		}
	}
	return name
}

// nameTitle returns a title made of the name of a file.
func nameTitle(p *Page) string {
	name := p.name()
	if p.isIndex() && path.Dir(p.File) != "." {
		name = path.Base(path.Dir(p.File))
	}
	name = compile(`^\d+[-_. ]+`).ReplaceAllString(name, "")
	words := strings.FieldsFunc(name, func(r rune) bool { return r == '-' || r == '_' || r == ' ' })
	if len(words) > 0 && strings.ToLower(words[0]) == words[0] {
		words[0] = strings.ToUpper(words[0][:1]) + words[0][1:]
	}
	return strings.Join(words, " ")
}
