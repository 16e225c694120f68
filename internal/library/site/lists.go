package site

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
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
		nav, _ := site.settings.Get("nav").([]any)
		o.texts(site.Config, dir, settings.Texts(nav, true))
		for _, keys := range [][]string{{"navigation"}, {"website", "sidebar"}, {"book", "chapters"}, {"project", "toc"}} {
			if v := site.settings.Get(keys...); v != nil {
				o.texts(site.Config, dir, settings.Texts(v, false))
			}
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
			v := o.config(file)
			root := v.Str("root")
			if v.Get("root") == nil && v.Get("parts") == nil && v.Get("chapters") == nil { // a list
				v = o.parse(file, "all:\n"+o.text(file))
			}
			o.texts(file, dir, append([]settings.Text{{Text: root}}, settings.Texts(map[string]any(v), false)...))
		case "_category_.json", "_category_.yml", "_category_.yaml":
			v := o.config(file)
			o.label(dir, v.Str("label"))
			if n, ok := v.Number("position"); ok {
				o.weights[dir] = weight(n, false)
			}
		case "meta.json":
			v := o.config(file)
			pages := v.List("pages")
			if o.label(dir, v.Str("title")); len(pages) == 0 {
				o.labels[dir] = "" // a file of another program
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
		name, _, _ := strings.Cut(x.Text, "#")
		if name == "" || strings.Contains(name, "://") || strings.ContainsAny(name, "\n{") {
			continue
		}
		e := Entry{File: o.page(dir, name), Title: excerpt.Cut(excerpt.OneLine(x.Label), maxTitle)}
		for i, group := range x.Groups {
			if first, ok := strings.CutPrefix(group, titleOf); ok {
				group = titleOf + cmp.Or(o.page(dir, first), first)
			} else if isPage(group) && o.page(dir, group) != "" { // a part of a book is named by its page
				group = titleOf + o.page(dir, group)
			}
			if e.Groups = inGroup(e.Groups, group); i == maxGroups {
				break
			}
		}
		if e.File == "" && isPage(name) {
			e.File = join(dir, name)
		}
		if e.File != "" {
			entries = append(entries, e)
		}
	}
	o.entries(from, entries)
}

// page returns the file of a page that a list names, or "".
func (o *order) page(dir, name string) string {
	name = strings.Trim(name, "/")
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
		if o.set.files[e.File] == nil && isPage(e.File) && !o.listed[e.File] && !o.set.options.Quick && strings.Contains(o.text(from), path.Base(e.File)) { // else it is inherited
			if o.listed[e.File] = true; !o.has(e.File) && !o.docs.Ignored(e.File, false) && len(o.notices) < maxNotices {
				o.notice(from, e.File, "the navigation names "+e.File+", which is not there")
			}
		}
		o.place(e, grouped)
	}
}

// linkedPages returns the files that a Markdown list such as SUMMARY.md leads to, in order. Links begin at dir. Groups are
// the heading above a list, and the entries that hold the list of an entry.
func linkedPages(text, dir string) (entries []Entry) {
	if len(text) > maxList {
		text = text[:maxList]
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		if len(line) <= maxListLine {
			b.WriteString(line)
		}
	}
	source := []byte(b.String())
	label := func(n ast.Node) string {
		return excerpt.Cut(plainTitle(excerpt.OneLine(textOf(n, source, 0))), maxTitle)
	}
	var part []string
	links := func(n ast.Node, groups []string) {
		_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			link, ok := n.(*ast.Link)
			if !entering || !ok {
				return ast.WalkContinue, nil
			}
			target, _, _ := strings.Cut(unescaped(string(link.Destination)), "#")
			if target != "" && !External(target) {
				entries = append(entries, Entry{join(dir, strings.TrimPrefix(target, "/")), label(link), groups})
			}
			return ast.WalkSkipChildren, nil
		})
	}
	var list func(l *ast.List, groups []string, depth int)
	list = func(l *ast.List, groups []string, depth int) {
		for item := l.FirstChild(); item != nil && depth < maxGroups; item = item.NextSibling() {
			inside := groups
			for c := item.FirstChild(); c != nil; c = c.NextSibling() {
				below, ok := c.(*ast.List)
				switch {
				case ok:
					list(below, inside, depth+1)
				case c.PreviousSibling() == nil && c.NextSibling() != nil: // the entry is the page of its group
					inside = inGroup(groups, label(c))
					links(c, inside)
				default:
					links(c, inside)
				}
			}
		}
	}
	for c := goldmark.DefaultParser().Parse(gmtext.NewReader(source)).FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Heading:
			if c.Level > 1 || len(entries) > 0 { // otherwise it is the title of the list
				part = inGroup(nil, label(c))
			}
		case *ast.List:
			list(c, part, 0)
		default:
			links(c, part)
		}
	}
	return entries
}

// textOf returns the text in a node: of a list entry, the text of its link.
func textOf(n ast.Node, source []byte, depth int) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil && depth < maxGroups; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Link:
			if n.Kind() != ast.KindLink && b.Len() == 0 {
				return textOf(c, source, depth+1)
			}
			b.WriteString(textOf(c, source, depth+1))
		case *ast.Text:
			b.Write(c.Segment.Value(source))
			if c.SoftLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(c.Value)
		default:
			b.WriteString(textOf(c, source, depth+1))
		}
	}
	return b.String()
}

// inGroup returns groups with one more, unless that has no title, or there are many.
func inGroup(groups []string, title string) []string {
	if title == "" || len(groups) >= maxGroups {
		return groups
	}
	return append(slices.Clip(groups), title)
}

// matchesAny reports whether a path matches one of the globs. Of braces, the time of a comparison is the product, so a
// glob with many matches nothing.
func matchesAny(globs []string, file string) bool {
	for _, g := range globs {
		if strings.Count(g, "{") > 3 {
			continue
		}
		if ok, _ := doublestar.Match(g, file); ok {
			return true
		}
	}
	return false
}
