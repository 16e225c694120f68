package site

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	gmtext "github.com/yuin/goldmark/text"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/settings"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

// An order is what static lists say about the order of pages, while [Set.arrange] reads them.
type order struct {
	*reader
	set     *Set
	weights map[string]int // of folders, and of pages without extension
	labels  map[string]string
	missed  map[string]bool
	placed  int
}

// arrange gives the pages their titles and their places in lists, and sorts them: the default languages and versions first, in
// each the main documents first, then as lists say, and then by weights and names.
func (s *Set) arrange(r *reader) {
	o := &order{reader: r, set: s, weights: make(map[string]int), labels: make(map[string]string), missed: make(map[string]bool)}
	s.files = make(map[string]*Page, len(s.pages))
	for _, p := range s.pages {
		s.files[p.File], p.Title, p.order = p, p.ownTitle, 0
		if !p.isIndex() || path.Dir(p.below()) != "." {
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
	indexes := make(map[string]int) // of folders' index pages
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

const (
	maxList     = 256 << 10
	maxLists    = 10_000
	maxListLine = 4 << 10
	maxTitle    = 200
)

// read reads the lists of pages: in the configuration of sites, in files of Markdown and YAML, and of folders.
func (o *order) read() {
	for _, site := range o.set.Sites {
		dir := site.Trees[0].Root
		o.list(site.Config, dir, settings.Texts(site.settings.Get("nav"), true))
		o.list(site.Config, dir, settings.Texts(site.settings.Get("navigation|website sidebar|book chapters|project toc"), false))
	}
	lists := 0
	for _, file := range o.set.all {
		name := strings.ToLower(path.Base(file))
		if lists++; lists > maxLists {
			return
		}
		switch dir := path.Dir(file); name {
		case "summary.md", "_sidebar.md":
			o.list(file, dir, settings.Texts(navigation(o.text(file)), true))
		case "_toc.yml", "_toc.yaml":
			o.list(file, dir, settings.Texts(map[string]any(o.config(file)), false))
		case "_category_.json", "_category_.yml", "_category_.yaml":
			v := o.config(file)
			o.label(dir, v.Str("label"))
			if n, ok := v.Number("position"); ok {
				o.weights[dir] = weight(n)
			}
		case "meta.json":
			v := o.config(file)
			pages := v.List("pages")
			if len(pages) > 0 {
				o.label(dir, v.Str("title"))
			}
			for i, page := range pages {
				if page = strings.TrimPrefix(page, "..."); page != "" {
					o.weights[join(dir, page)] = weight(i + 1)
				}
			}
		default:
			lists--
		}
	}
}

func (o *order) label(dir, label string) {
	o.labels[dir] = excerpt.Cut(excerpt.OneLine(label), maxTitle)
}

// weight returns a place in a list as a weight, which is not 0.
func weight(place int) int { return 2*place + 1 }

// list gives the pages of a list their places. A name may lack the extension, and begins at dir. It reports names of files that are not
// there.
func (o *order) list(from, dir string, texts []settings.Text) {
	for i := range texts {
		x := &texts[i]
		name, _, _ := strings.Cut(strings.Trim(x.Text, "/"), "#")
		if x.Text = o.page(dir, name); x.Text == "" && isPage(name) && !strings.ContainsAny(name, ":\n{") {
			o.miss(from, join(dir, name))
		}
		x.Label, x.Groups = excerpt.Cut(excerpt.OneLine(x.Label), maxTitle), slices.Clone(x.Groups)
		for j, group := range x.Groups {
			if p := o.set.files[o.page(dir, group)]; p != nil && isPage(group) {
				x.Groups[j] = cmp.Or(p.Title, p.lastTitle, stem(path.Base(group)))
			}
		}
	}
	grouped := slices.ContainsFunc(texts, func(x settings.Text) bool { return x.Text != "" && len(x.Groups) > 0 })
	for _, x := range texts {
		o.place(x, grouped)
	}
}

// miss reports once that a list names a file that is not there.
func (o *order) miss(from, file string) {
	if o.missed[file] || o.set.options.Quick {
		return
	}
	o.missed[file] = true
	if info, err := fs.Stat(o.fsys, file); (err != nil || info.IsDir()) && !o.docs.Ignored(file, false) {
		o.warn(from, file, "the navigation names "+file+", which is not there")
	}
}

// page returns the file of a page that a list names, or "".
func (o *order) page(dir, name string) string {
	for _, end := range append([]string{"", "/index.md", "/README.md"}, documentExtensions...) {
		if file := join(dir, name+end); o.set.files[file] != nil {
			return file
		}
	}
	return ""
}

// navigation returns a Markdown list such as SUMMARY.md as [settings.Texts] reads it: links by their titles, and in lists, by the title
// above, what an entry holds, and what follows a heading.
func navigation(text string) []any {
	var b strings.Builder
	for line := range strings.Lines(text[:min(len(text), maxList)]) {
		if len(line) <= maxListLine {
			b.WriteString(line)
		}
	}
	source := []byte(b.String())
	return linked(goldmark.DefaultParser().Parse(gmtext.NewReader(source)), source)
}

// linked returns the navigation in a node.
func linked(parent ast.Node, source []byte) (items []any) {
	group := func(title ast.Node, items []any) []any {
		if title == nil {
			return items
		}
		return []any{map[string]any{textOf(title, source): items}}
	}
	var heading ast.Node
	var below []any
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Link:
			below = append(below, map[string]any{textOf(n, source): uri.Decode(string(n.Destination))})
			continue
		case *ast.Heading:
			if parent.Kind() == ast.KindDocument && (n.Level > 1 || len(items)+len(below) > 0) {
				// otherwise it is the title of the list
				items, heading, below = append(items, group(heading, below)...), n, nil
			}
		}
		inner := linked(n, source)
		if n.Kind() == ast.KindListItem && n.ChildCount() > 1 {
			inner = group(n.FirstChild(), inner)
		}
		below = append(below, inner...)
	}
	return append(items, group(heading, below)...)
}

// textOf returns the text in a node as a title: of a list entry that begins with a link, the text of the link.
func textOf(n ast.Node, source []byte) string {
	if link, ok := n.FirstChild().(*ast.Link); ok {
		n = link
	}
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if text, ok := n.(*ast.Text); ok && entering {
			b.Write(text.Segment.Value(source))
			if text.SoftLineBreak() {
				b.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return excerpt.Cut(plainTitle(excerpt.OneLine(b.String())), maxTitle)
}
