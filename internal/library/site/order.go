package site

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
)

// sort orders the pages and fills in what depends on all of them.
func (s *Set) sort() {
	files := make(map[string]*Page, len(s.pages))
	for _, p := range s.pages {
		files[p.File], p.Title = p, p.ownTitle
		if !p.isIndex() || path.Dir(p.below()) != "." { // the first page of the site is first
			p.order = maxPages
		}
	}
	for i, site := range s.Sites {
		for _, t := range site.Trees {
			grouped := slices.ContainsFunc(t.order, func(e Entry) bool { return len(e.Groups) > 0 })
			for j, e := range t.order {
				p := files[e.File]
				if p == nil || p.order != 0 && p.order != maxPages { // another tree has it
					continue
				}
				p.order, p.Groups = j+1, slices.Clip(e.Groups)
				if grouped && p.Groups == nil {
					p.Groups = []string{}
				}
				if grouped && i > 0 {
					p.Groups = append([]string{site.Dir}, p.Groups...)
				}
				switch front := site.FrontTitles && p.front.Str("title") != ""; {
				case e.Title == "" || e.Title == p.Title:
				case p.Title == "" || site.NavTitles && !front:
					p.Title = e.Title
				default:
					p.Short = e.Title
				}
			}
		}
	}
	trees := make(map[*Tree]int)
	for _, site := range s.Sites {
		first := len(trees)
		for _, t := range site.Trees {
			if trees[t] = len(trees); !t.Other {
				trees[t] = first
			}
		}
	}
	for _, p := range s.pages {
		if p.Title == "" {
			p.Title = nameTitle(p)
		}
	}
	for _, p := range s.pages {
		for i, group := range p.Groups {
			if file, ok := strings.CutPrefix(group, titleOf); ok {
				p.Groups = slices.Clone(p.Groups) // pages of a group share them
				if p.Groups[i] = nameTitle(&Page{File: file, Tree: p.Tree}); files[file] != nil {
					p.Groups[i] = files[file].Title
				}
			}
		}
	}
	keys := s.keys()
	slices.SortStableFunc(s.pages, func(a, b *Page) int {
		return cmp.Or(cmp.Compare(trees[a.Tree], trees[b.Tree]), cmp.Compare(a.order, b.order), cmp.Compare(keys[a], keys[b]), cmp.Compare(a.File, b.File))
	})
}

// keys returns texts that compare as pages without a place in a navigation do. In a folder, its index comes first, then
// pages with a weight, and folders by the weight of their index, then other pages, then other folders. Of names, 2 is
// before 10.
func (s *Set) keys() map[*Page]string {
	indexes := make(map[string]*Page)
	for _, p := range s.pages {
		if dir := path.Dir(p.File); p.isIndex() && (indexes[dir] == nil || indexes[dir].Tree.Other) {
			indexes[dir] = p
		}
	}
	key := func(weight int, name, kind string) string {
		place := "~" + kind // after all weights
		if weight != 0 {
			place = fmt.Sprintf("%07d", min(max(weight, -1_000_000), 1_000_000)+1_000_000)
		}
		if m := compile(`^\d{1,6}`).FindString(name); m != "" {
			name = strings.Repeat("0", 6-len(m)) + name
		}
		return place + " " + name + "\x00"
	}
	folders := map[string]string{".": ""}
	var folder func(dir string) string
	folder = func(dir string) string {
		k, known := folders[dir]
		if !known {
			weight := s.weights[dir]
			if index := indexes[dir]; index != nil {
				weight = cmp.Or(weight, index.weight)
			}
			k = folder(path.Dir(dir)) + key(weight, path.Base(dir), "folder")
			folders[dir] = k
		}
		return k
	}
	keys := make(map[*Page]string, len(s.pages))
	for _, p := range s.pages {
		keys[p] = folder(path.Dir(p.File))
		if !p.isIndex() {
			keys[p] += key(p.weight, path.Base(p.File), "")
		}
	}
	return keys
}

// isIndex reports whether the page stands for its folder.
func (p *Page) isIndex() bool {
	return slices.Contains(p.Tree.site.Index, strings.ToLower(p.name()))
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
