package site

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/settings"
)

// An order is what static lists say about the order of pages, while [Set.arrange] reads them.
type order struct {
	*reader
	set     *Set
	weights map[string]int    // of folders, and of pages by their files without extension
	labels  map[string]string // of folders
	missed  map[string]bool   // files that are not there
	placed  int
}

// arrange gives the pages their titles and their places in lists, and sorts them: the default languages and versions first, in
// each the main documents first, then as lists say, and then by weights and names.
func (s *Set) arrange(r *reader) {
	o := &order{reader: r, set: s, weights: make(map[string]int), labels: make(map[string]string), missed: make(map[string]bool)}
	s.files = make(map[string]*Page, len(s.pages))
	for _, p := range s.pages {
		s.files[p.File], p.Title, p.order = p, p.ownTitle, 0
		if !p.isIndex() || path.Dir(p.below()) != "." { // the first page of the site is first
			p.order = 2 * maxPages
		}
	}
	o.read()
	numbered := o.numbered()
	for _, p := range s.pages {
		if p.Title = cmp.Or(p.Title, p.lastTitle); p.Title == "" {
			p.Title = nameTitle(p, numbered)
		}
		o.group(p, numbered)
	}
	ranks := make(map[*Tree]int)
	for _, site := range s.Sites {
		first := len(ranks)
		for _, t := range site.Trees {
			if ranks[t] = len(ranks); !t.Other {
				ranks[t] = first
			}
		}
	}
	keys := o.keys()
	slices.SortStableFunc(s.pages, func(a, b *Page) int {
		return cmp.Or(compareBool(a.Tree.Other, b.Tree.Other), cmp.Compare(a.Class, b.Class), cmp.Compare(ranks[a.Tree], ranks[b.Tree]), cmp.Compare(a.order, b.order),
			strings.Compare(keys[a], keys[b]), strings.Compare(a.File, b.File))
	})
}

// place gives a page of a list its place, unless it has one. The title of an entry is the page's, if it has none.
func (o *order) place(x settings.Text, grouped bool) {
	p := o.set.files[x.Text]
	if p == nil || p.Hidden != "" || p.placed {
		return
	}
	o.placed++
	p.placed, p.order = true, o.placed
	if p.Groups = x.Groups; grouped && p.Groups == nil {
		p.Groups = []string{}
	}
	switch {
	case x.Label == "" || x.Label == p.Title:
	case p.Title == "":
		p.Title = x.Label
	default:
		p.Short = x.Label
	}
}

// group fills in the titles of folders with labels.
func (o *order) group(p *Page, numbered func(dir string) bool) {
	if p.Groups != nil || len(o.labels) == 0 {
		return
	}
	var groups []string
	labelled := false
	for dir := path.Dir(p.File); dir != "." && dir != p.Tree.Root && len(groups) < settings.MaxGroups; dir = path.Dir(dir) {
		labelled = labelled || o.labels[dir] != ""
		groups = append(groups, cmp.Or(o.labels[dir], titleOfName(path.Base(dir), numbered(path.Dir(dir)))))
	}
	if slices.Reverse(groups); labelled {
		p.Groups = groups
	}
}

// keys returns texts that compare as pages without a place in a list do. In a folder, its index comes first, then
// pages with a weight, and folders by the weight of their index, then other pages, then other folders. Of names, 2 is
// before 10.
func (o *order) keys() map[*Page]string {
	indexes := make(map[string]int) // weights of the pages that stand for folders
	for _, p := range o.set.pages {
		if dir := path.Dir(p.File); p.isIndex() {
			indexes[dir] = cmp.Or(indexes[dir], p.weight)
		}
	}
	key := func(weight int, name, kind string) string {
		place := "~" + kind // after all weights
		if weight != 0 {
			place = fmt.Sprintf("%07d", min(max(weight, -1_000_000), 1_000_000)+1_000_000)
		}
		name = strings.ToLower(name)
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
			k = folder(path.Dir(dir)) + key(cmp.Or(o.weights[dir], indexes[dir]), path.Base(dir), "folder")
			folders[dir] = k
		}
		return k
	}
	keys := make(map[*Page]string, len(o.set.pages))
	for _, p := range o.set.pages {
		keys[p] = folder(path.Dir(p.File))
		if !p.isIndex() {
			keys[p] += key(cmp.Or(o.weights[stem(p.File)], p.weight), path.Base(p.File), "")
		}
	}
	return keys
}

// indexNames are the names of files that stand for their folder, without extension and in lower case.
var indexNames = []string{"index", "readme", "_index", "home", "page"}

// isIndex reports whether the page stands for its folder.
func (p *Page) isIndex() bool { return slices.Contains(indexNames, strings.ToLower(p.name())) }

// name returns the name of the page's file, without its extension and language.
func (p *Page) name() string { return strings.TrimSuffix(stem(path.Base(p.File)), p.suffix) }

// numberedName matches a name that begins with a number of a place: not with a year, a date or a version.
const numberedName = `^\d{1,3}(?:[-_. ]+)([^\d\s].*)$`

// numbered returns whether the names of most files in a folder, or with a slash of most folders, begin with a number.
func (o *order) numbered() func(dir string) bool {
	all, with, seen := make(map[string]int), make(map[string]int), make(map[string]bool)
	count := func(name, kind string) {
		if dir := path.Dir(name) + kind; !seen[name+kind] {
			seen[name+kind] = true
			all[dir]++
			with[dir] += number(compile(numberedName).MatchString(path.Base(name)))
		}
	}
	for _, p := range o.set.pages {
		if !p.isIndex() {
			count(stem(p.File), "")
		}
		for dir := path.Dir(p.File); dir != "." && !seen[dir+"/"]; dir = path.Dir(dir) {
			count(dir, "/")
		}
	}
	return func(dir string) bool { return with[dir]*2 > all[dir] }
}

// nameTitle returns a title made of the name of a file, or of the folder that it stands for.
func nameTitle(p *Page, numbered func(dir string) bool) string {
	dir := path.Dir(p.File)
	if p.isIndex() && dir != "." {
		return titleOfName(path.Base(dir), numbered(path.Dir(dir)+"/"))
	}
	return titleOfName(p.name(), numbered(dir))
}

// titleOfName returns a name as a title. A number before it goes if it gives the name a place among others.
func titleOfName(name string, numbered bool) string {
	if m := compile(numberedName).FindStringSubmatch(name); m != nil && numbered {
		name = m[1]
	}
	if !compile(`^\d[\d-]*$`).MatchString(name) { // else it is a date
		name = strings.Join(strings.FieldsFunc(name, func(r rune) bool { return r == '-' || r == '_' || unicode.IsSpace(r) }), " ")
	}
	first, size := utf8.DecodeRuneInString(name)
	if first == utf8.RuneError {
		return name
	}
	return string(unicode.ToUpper(first)) + name[size:]
}
