package site

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/settings"
)

// A navigation is the order of the pages of a tree, while [Generator.Order] reads it. It may be hostile: it can name a
// file, a folder or a pattern many times, each of which stands for many pages. So it counts what it is told.
type navigation struct {
	*reader
	entries []Entry         // of pages
	again   map[uint64]bool // hashes of what [navigation.first] was called with
	pages   int             // entries of pages that may still be added
	others  int             // further entries, and names that are compared with patterns, that may still come
	full    bool            // no entry will be added
}

// newNavigation returns a navigation of a project with a number of pages. A page may be in two sidebars, so there is room for
// twice as many entries.
func newNavigation(r *reader, pages int) *navigation {
	return &navigation{reader: r, pages: 2 * pages, others: 5 * maxPages}
}

// begin begins the navigation of another tree. What is left of the bounds remains.
func (n *navigation) begin() { n.entries, n.again = nil, make(map[uint64]bool) }

var seed = maphash.MakeSeed()

// first reports whether the navigation of the tree names a file, a folder or a pattern for the first time in a group. It is
// false for all of them if the navigation is full.
func (n *navigation) first(name string, groups []string) bool {
	var h maphash.Hash
	h.SetSeed(seed)
	for _, text := range groups {
		h.WriteString(text)
		h.WriteByte('\n')
	}
	h.WriteString(name)
	sum := h.Sum64()
	again := n.again[sum]
	n.again[sum] = true
	return !again && !n.full
}

// add adds entries that a file names, in groups. Those that are not pages are left out.
func (n *navigation) add(from string, groups []string, entries ...Entry) {
	for _, e := range entries {
		if n.full {
			return
		}
		if !n.listed[e.File] {
			n.spend(from, e.File, 1)
			continue
		}
		if n.pages--; n.pages < 0 {
			n.end(from, e.File)
			return
		}
		if len(groups) > 0 {
			e.Groups = append(slices.Clip(groups), e.Groups...)
		}
		n.entries = append(n.entries, e)
	}
}

// spend counts names that lead to no page, or perhaps to none.
func (n *navigation) spend(from, name string, names int) {
	if n.others -= names; n.others < 0 {
		n.end(from, name)
	}
}

// end reports that the navigation in a file is too long, from the line that names a file or its folder.
func (n *navigation) end(from, name string) {
	if n.full {
		return
	}
	n.full = true
	text, line := n.text(from), 1
	for ; name != "." && name != "/"; name = path.Dir(name) {
		if i := strings.LastIndex(text, stem(path.Base(name))); i >= 0 {
			line += strings.Count(text[:i], "\n")
			break
		}
	}
	n.notice(from, fmt.Sprintf("line %d: the navigation is more than twice as long as the list of pages: this entry and the ones after it are left out", line))
}

// addLinked adds the pages of a Markdown list such as SUMMARY.md, in groups.
func (n *navigation) addLinked(file string, groups []string) {
	if n.first(file, groups) {
		n.add(file, groups, n.linked(file)...)
	}
}

// addUntitled is addLinked for lists whose texts of links are not titles of pages.
func (n *navigation) addUntitled(file string, groups []string) {
	if n.first(file, groups) {
		for _, e := range n.linked(file) {
			e.Title = ""
			n.add(file, groups, e)
		}
	}
}

func (n *navigation) linked(file string) []Entry {
	return once(n.reader, "list", file, func() []Entry { return linkedPages(n.text(file), path.Dir(file)) })
}

// linkedPages returns the files that a Markdown list such as SUMMARY.md leads to, in order. Links begin at dir. Groups are
// the heading above a list, and the entries that hold the list of an entry.
func linkedPages(text, dir string) (entries []Entry) {
	type item struct {
		indent int
		title  string
	}
	var part []string
	var above []item
	for line := range strings.Lines(text) {
		m := compile(`^(?:#+ +(.*)|( *)[-*+] +(.*)|.*)`).FindStringSubmatch(strings.ReplaceAll(strings.TrimRight(line, "\r\n"), "\t", "    "))
		if m[1] != "" {
			if above = nil; len(entries) > 0 || strings.HasPrefix(line, "##") { // otherwise it is the title of the list
				part = []string{plainTitle(excerpt.OneLine(m[1]))}
			}
			continue
		}
		links := compile(`\[((?:\\.|[^\]\\]|\[[^\]]*\])*)\]\(<?([^)>\s]*)>?[^)]*\)`).FindAllStringSubmatch(line, 100)
		title := m[3]
		if len(links) > 0 {
			title = links[0][1]
		}
		title = plainTitle(excerpt.OneLine(title))
		groups := part
		if m[3] != "" {
			for len(above) > 0 && above[len(above)-1].indent >= len(m[2]) {
				above = above[:len(above)-1]
			}
			for i, a := range above {
				groups = inGroup(groups, a.title)
				if last := len(entries) - 1; i == len(above)-1 && last >= 0 && entries[last].Title == a.title && len(entries[last].Groups) < len(groups) {
					entries[last].Groups = groups // the entry is the page of its group
				}
			}
			if len(above) < 20 {
				above = append(above, item{len(m[2]), title})
			}
		}
		for _, link := range links {
			target, _, _ := strings.Cut(link[2], "#")
			if target == "" || strings.Contains(target, "://") || len(entries) >= 20_000 {
				continue
			}
			if decoded, err := url.PathUnescape(target); err == nil {
				target = decoded
			}
			entries = append(entries, Entry{join(dir, strings.TrimPrefix(target, "/")), plainTitle(excerpt.OneLine(link[1])), groups})
		}
	}
	return entries
}

// addTexts adds the pages of texts of a navigation: those that name returns a name for as [filesOf] takes it.
func (n *navigation) addTexts(from, root string, extensions []string, texts []settings.Text, name func(settings.Text) string) {
	for _, t := range texts {
		if name := name(t); name != "" {
			n.addNames(from, root, extensions, t.Groups, name)
		}
	}
}

// addKeys adds the pages that a configuration names under some keys, without its groups.
func (n *navigation) addKeys(s *Site, t *Tree, v any, keys ...string) {
	for _, x := range settings.Texts(v) {
		if slices.Contains(keys, x.Key) {
			n.addNames(s.Config, t.Root, s.Extensions, nil, x.Text)
		}
	}
}

// addNames adds the pages of names without extension below root: the first file of each that exists.
func (n *navigation) addNames(from, root string, extensions, groups []string, names ...string) {
	for _, name := range names {
		if n.full {
			return
		}
		name = cmp.Or(strings.Trim(name, "/"), "index")
		n.add(from, groups, Entry{File: n.fileOf(root, extensions, name)})
	}
}

// fileOf returns the first file that a name without extension below root may mean, or else the name.
func (n *navigation) fileOf(root string, extensions []string, name string) string {
	for _, candidate := range []string{name, name + "/index", name + "/README"} {
		for _, ext := range append([]string{""}, extensions...) {
			if file := join(root, candidate+ext); (ext != "" || path.Ext(candidate) != "") && n.has(file) && !n.isDir(file) {
				return file
			}
		}
	}
	return join(root, name)
}

// addFolder adds the files of a folder with these extensions, the index first.
func (n *navigation) addFolder(from, dir string, extensions, groups []string, depth int) {
	names := n.list(dir)
	if depth > 10 || len(names) > 5000 || !n.first(dir, groups) {
		return
	}
	n.spend(from, dir, len(names))
	for _, index := range []bool{true, false} {
		for _, name := range names {
			if slices.Contains(extensions, path.Ext(name)) && (stem(name) == "index") == index {
				n.add(from, groups, Entry{File: join(dir, name)})
			}
		}
	}
	for _, name := range n.folders(dir) {
		n.addFolder(from, join(dir, name), extensions, groups, depth+1)
	}
}

// gitGlobs returns patterns as in .gitignore as globs below a root. Negated patterns are left out.
func gitGlobs(patterns []string) (globs []string) {
	for _, p := range patterns {
		if p = strings.TrimSpace(p); p == "" || p[0] == '#' || p[0] == '!' {
			continue
		}
		dir := strings.HasSuffix(p, "/")
		p = strings.TrimSuffix(p, "/")
		if !strings.Contains(p, "/") {
			p = "**/" + p
		}
		p = strings.TrimPrefix(p, "/")
		globs = append(globs, p+"/**")
		if !dir {
			globs = append(globs, p)
		}
	}
	return globs
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
