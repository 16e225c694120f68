package site

import (
	"cmp"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/settings"
)

// A navigation is the order of the pages of a tree, while [Generator.Order] reads it. A page, a list, a folder or a pattern
// that it names again counts once.
type navigation struct {
	*reader
	site     *Site
	tree     *Tree
	listed   map[string]bool   // files of pages, and their folders
	named    map[string]string // files of pages, by their names in configuration: without numbers, as front matter says
	entries  []Entry           // of pages
	weights  map[string]int    // of folders
	known    map[string]bool   // pages in it, files that are missing, and what [navigation.first] was called with
	compared int               // names that were compared with patterns
}

// first reports whether the navigation of the tree names a list, a folder or a pattern for the first time.
func (n *navigation) first(name string) bool {
	again := n.known["\x00"+name]
	n.known["\x00"+name] = true
	return !again
}

// has reports whether a file is a page. It reads no folder, so a navigation may name many.
func (n *navigation) has(file string) bool { return n.listed[file] && n.site.documents(file) }

// isDir reports whether a folder has pages.
func (n *navigation) isDir(dir string) bool { return n.listed[dir] && !n.has(dir) }

// add adds entries that a file names. It reports those whose file should be a document and is not there.
func (n *navigation) add(from string, entries ...Entry) {
	for _, e := range entries {
		switch {
		case n.known[e.File]:
		case n.listed[e.File]:
			n.known[e.File] = true
			n.entries = append(n.entries, e)
		case n.site.documents(e.File):
			n.missing(from, e.File, "")
		}
	}
}

// missing reports a file or folder that the navigation in another one names, as [reader.absent] does, if it is not there.
func (n *navigation) missing(from, file, unbuilt string) {
	if n.known[file] || n.tree.Other || len(n.notices) >= maxNotices || n.site.Redirects[routeKey("/"+relative(n.tree.Root, file))] != "" {
		return // another language or version may have fewer documents
	}
	n.known[file] = true
	if _, err := fs.Stat(n.fsys, file); errors.Is(err, fs.ErrNotExist) && !slices.ContainsFunc(append(n.site.Extensions, ""), func(ext string) bool { return n.docs.Ignored(file+ext, false) }) && !matchesAny(n.site.Built, relative(n.tree.Root, file)) {
		n.absent(from, file, unbuilt)
	}
}

// addList adds the pages of a Markdown list such as SUMMARY.md, in groups. titled says that texts of links are titles of pages.
func (n *navigation) addList(file string, groups []string, titled bool) {
	if !n.first(file) {
		return
	}
	for _, e := range linkedPages(n.text(file), path.Dir(file)) {
		e.Groups = append(slices.Clip(groups), e.Groups...)
		if !titled {
			e.Title = ""
		}
		n.add(file, e)
	}
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
			target, _, _ := strings.Cut(compile(`\\([[:punct:]])`).ReplaceAllString(link[2], "$1"), "#")
			if target == "" || strings.Contains(target, "://") {
				continue
			}
			entries = append(entries, Entry{join(dir, strings.TrimPrefix(unescaped(target), "/")), plainTitle(excerpt.OneLine(link[1])), groups})
		}
	}
	return entries
}

// addTexts adds the pages of the texts that a configuration has under some keys, with spaces between them; "": under any. Texts
// that do not begin with the prefix belong to other languages. known says that each is the name of a page, if any key counts
// those in lists and ids.
func (n *navigation) addTexts(texts any, keys, prefix string, known bool) {
	for _, t := range settings.Texts(texts, false) {
		name, of := strings.CutPrefix(t.Text, prefix)
		if !of {
			name, of = strings.CutPrefix(t.Text, "/"+prefix)
		}
		if name, _, _ = strings.Cut(name, "#"); of && t.Text != "" && (keys == "" || slices.Contains(strings.Fields(keys), t.Key)) {
			if t.Key == "dirName" {
				n.missing(n.site.from, join(n.tree.Root, name), Unbuilt)
			}
			title := path.Ext(name) == "" && slices.Contains([]string{"section", "part", "contents", "children"}, t.Key) // or a page
			n.addName(cmp.Or(n.site.from, n.site.Config), strings.TrimSuffix(name, ".html"), t.Groups, known && !title && (keys != "" || t.Listed || t.Key == "id"))
		}
	}
}

// addName adds the page of a name below the root of the tree, which may lack the extension: the first file that it may mean.
// known says that it is the name of a page. It reports whether there is one.
func (n *navigation) addName(from, name string, groups []string, known bool) bool {
	named := join(n.tree.Root, cmp.Or(strings.Trim(name, "/"), "index"))
	for _, file := range append(n.site.spellings(named), n.named[named], n.named[join(n.tree.Root, strings.TrimPrefix(name, path.Base(n.tree.Root)+"/"))]) {
		if n.has(file) {
			n.add(from, Entry{File: file, Groups: groups})
			return true
		}
	}
	if known && !strings.ContainsAny(name, "#?: ") {
		n.missing(from, named, "")
	}
	return false
}

// addFolder adds the documents of a folder, the index first.
func (n *navigation) addFolder(dir string, groups []string) {
	if !n.first(dir) {
		return
	}
	names := slices.Clone(n.list(dir))
	slices.SortStableFunc(names, func(a, b string) int { return compareBool(stem(b) == "index", stem(a) == "index") })
	for _, name := range names {
		if n.site.documents(name) {
			n.add(dir, Entry{File: join(dir, name), Groups: groups})
		}
	}
	for _, name := range n.folders(dir) {
		n.addFolder(join(dir, name), groups)
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

// titleOf stands before a file in a group that has the title of this page.
const titleOf = "\x00"

// maxGroups is how many groups hold a page at most.
const maxGroups = 20

// inGroup returns groups with one more, unless that has no title, or there are many.
func inGroup(groups []string, title string) []string {
	if title == "" || len(groups) >= maxGroups {
		return groups
	}
	if !strings.HasPrefix(title, titleOf) {
		title = excerpt.Cut(title, 200) // every page in it has it
	}
	return append(slices.Clip(groups), title)
}
