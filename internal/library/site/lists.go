package site

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	gmtext "github.com/yuin/goldmark/text"

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
	var below []any // the heading
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Link:
			below = append(below, map[string]any{textOf(n, source): uri.Decode(string(n.Destination))})
			continue
		case *ast.Heading:
			if parent.Kind() == ast.KindDocument && (n.Level > 1 || len(items)+len(below) > 0) { // otherwise it is the title of the list
				items, heading, below = append(items, group(heading, below)...), n, nil
			}
		}
		inner := linked(n, source)
		if n.Kind() == ast.KindListItem && n.ChildCount() > 1 { // the entry is the page of its group
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
