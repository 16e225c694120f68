package site

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	gmtext "github.com/yuin/goldmark/text"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/settings"
)

const (
	maxList     = 256 << 10 // bytes of a list of pages
	maxLists    = 10_000
	maxListLine = 4 << 10
	maxGroups   = 20 // that hold a page
	maxTitle    = 200
)

// An Entry is a place in a list.
type Entry struct {
	File   string   // of the page, below the project folder
	Title  string   // "": the page's own
	Groups []string // titles of the groups that hold the entry, the outermost first
}

// titleOf stands before a file in a group that has the title of this page.
const titleOf = "\x00"

// read reads the lists of pages: in the configuration of sites, in files of Markdown and YAML, and of folders.
func (o *order) read() {
	for _, site := range o.set.Sites {
		dir := cmp.Or(site.Root, site.Dir)
		o.texts(site.Config, dir, settings.Texts(site.settings.Get("nav"), true))
		for _, keys := range [][]string{{"navigation"}, {"website", "sidebar"}, {"book", "chapters"}, {"project", "toc"}} {
			o.texts(site.Config, dir, settings.Texts(site.settings.Get(keys...), false))
		}
	}
	lists := 0
	for _, file := range o.set.all {
		name := strings.ToLower(path.Base(file))
		if lists++; lists > maxLists {
			return
		}
		switch dir := path.Dir(file); name {
		case "summary.md", "_sidebar.md":
			o.entries(file, linkedPages(o.text(file), dir))
		case "_toc.yml", "_toc.yaml":
			o.texts(file, dir, settings.Texts(map[string]any(o.config(file)), false))
		case "_category_.json", "_category_.yml", "_category_.yaml":
			v := o.config(file)
			o.label(dir, v.Str("label"))
			if n, ok := v.Number("position"); ok {
				o.weights[dir] = weight(n, false)
			}
		case "meta.json":
			v := o.config(file)
			pages := v.List("pages")
			if len(pages) > 0 { // else it is of another program
				o.label(dir, v.Str("title"))
			}
			for i, page := range pages {
				if page = strings.TrimPrefix(page, "..."); page != "" {
					o.weights[join(dir, page)] = weight(i+1, false)
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

// weight returns the weight of a number in front matter or a list. A weight of 0 is none, unless it is a place.
func weight(n int, zero bool) int {
	if n == 0 && !zero {
		return 1
	}
	return 2 * n
}

// texts gives the pages places whose names are texts of a configuration. A name may lack the extension, and begins at dir.
func (o *order) texts(from, dir string, texts []settings.Text) {
	var entries []Entry
	for _, x := range texts {
		name, _, _ := strings.Cut(strings.Trim(x.Text, "/"), "#")
		file := o.page(dir, name)
		if file == "" && isPage(name) && !strings.ContainsAny(name, ":\n{") {
			file = join(dir, name)
		}
		groups := slices.Clone(x.Groups)
		for i, group := range groups {
			if isPage(group) { // that has the title of the group
				groups[i] = titleOf + cmp.Or(o.page(dir, group), group)
			}
		}
		if file != "" {
			entries = append(entries, Entry{file, excerpt.Cut(excerpt.OneLine(x.Label), maxTitle), groups})
		}
	}
	o.entries(from, entries)
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

// entries gives the pages of a list their places. It reports those that are not there.
func (o *order) entries(from string, entries []Entry) {
	grouped := slices.ContainsFunc(entries, func(e Entry) bool { return len(e.Groups) > 0 })
	for _, e := range entries {
		if o.set.files[e.File] == nil && isPage(e.File) && !o.listed[e.File] && !o.set.options.Quick {
			if o.listed[e.File] = true; !o.has(e.File) && !o.docs.Ignored(e.File, false) {
				o.notice(from, e.File, "the navigation names "+e.File+", which is not there")
			}
		}
		o.place(e, grouped)
	}
}

// linkedPages returns the files that a Markdown list such as SUMMARY.md leads to, in order. Links begin at dir. Groups are
// the heading above a list, and the entries that hold the list of an entry.
func linkedPages(text, dir string) (entries []Entry) {
	var b strings.Builder
	for line := range strings.Lines(text[:min(len(text), maxList)]) {
		if len(line) <= maxListLine {
			b.WriteString(line)
		}
	}
	source := []byte(b.String())
	var groups []string // the part, and the entries around the current one
	push := func(n ast.Node) {
		title := ""
		if n != nil {
			title = excerpt.Cut(plainTitle(excerpt.OneLine(textOf(n, source))), maxTitle)
		}
		groups = append(groups, title)
	}
	push(nil)
	_ = ast.Walk(goldmark.DefaultParser().Parse(gmtext.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Heading:
			if entering && n.Parent().Kind() == ast.KindDocument && (n.Level > 1 || len(entries) > 0) { // otherwise it is the title of the list
				groups = nil
				push(n)
			}
		case *ast.ListItem:
			switch {
			case !entering:
				groups = groups[:len(groups)-1]
			case n.ChildCount() > 1: // the entry is the page of its group
				push(n.FirstChild())
			default:
				push(nil)
			}
		case *ast.Link:
			target, _, _ := strings.Cut(unescaped(string(n.Destination)), "#")
			if entering && target != "" && !External(target) {
				push(n)
				holding := slices.DeleteFunc(slices.Clone(groups[:len(groups)-1]), func(title string) bool { return title == "" })
				entries = append(entries, Entry{join(dir, strings.TrimPrefix(target, "/")), groups[len(groups)-1], holding[:min(len(holding), maxGroups)]})
				groups = groups[:len(groups)-1]
			}
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	return entries
}

// textOf returns the text in a node: of a list entry that begins with a link, the text of the link.
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
	return b.String()
}
