package site

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/directive"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/settings"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

const (
	maxList     = 256 << 10 // bytes of a list of pages
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
			o.list(file, dir, navigation(o.text(file)))
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
			if len(pages) > 0 { // else it is of another program
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

// navigation returns the pages in a Markdown list such as SUMMARY.md, by the titles of their links. The heading above and the titles of
// the items around are their groups; an item with others in it is the page of its group.
func navigation(text string) (texts []settings.Text) {
	type item struct {
		column      int
		title       string
		first, last int // of texts: its own pages, until others are in it
	}
	var around []item
	var heading []string
	for line := range strings.Lines(text[:min(len(text), maxList)]) {
		column, rest := directive.Indent(strings.TrimRight(line, " \t\r\n"))
		if len(line) > maxListLine || rest == "" || len(texts) > maxLists {
			continue
		}
		if title := strings.TrimLeft(rest, "#"); title != rest {
			if around = nil; !strings.HasPrefix(rest, "# ") || len(texts) > 0 { // otherwise it is the title of the list
				heading = []string{listTitle(title)}
			}
			continue
		}
		for len(around) > 0 && around[len(around)-1].column >= column {
			around = around[:len(around)-1]
		}
		groups := slices.Clone(heading)
		for i := range around[:min(len(around), settings.MaxGroups-1)] {
			a := &around[i]
			for ; a.first < a.last; a.first++ {
				texts[a.first].Groups = append(texts[a.first].Groups, a.title)
			}
			groups = append(groups, a.title)
		}
		entry, first := directive.Item(rest), len(texts)
		for _, m := range compile(`\[((?:[^\[\]\\]|\\.)*)\]\(<?([^)>\s]+)`).FindAllStringSubmatch(entry, -1) {
			texts = append(texts, settings.Text{Text: uri.Decode(m[2]), Label: listTitle(m[1]), Groups: slices.Clone(groups)})
		}
		if title := listTitle(entry); entry != rest {
			if len(texts) > first && entry[0] == '[' {
				title = texts[first].Label
			}
			around = append(around, item{column, title, first, len(texts)})
		}
	}
	return texts
}

func listTitle(text string) string { return excerpt.Cut(plainTitle(excerpt.OneLine(text)), maxTitle) }
