package site

import (
	"cmp"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/settings"
)

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

// textFiles returns the entries of texts of a navigation: those that name returns a name for as [filesOf] takes it.
func textFiles(r *reader, root string, extensions []string, texts []settings.Text, name func(settings.Text) string) (entries []Entry) {
	for _, t := range texts {
		if name := name(t); name != "" {
			entries = append(entries, grouped(filesOf(r, root, extensions, []string{name}), t.Groups)...)
		}
	}
	return entries
}

// grouped puts entries into groups.
func grouped(entries []Entry, groups []string) []Entry {
	for i := range entries {
		entries[i].Groups = append(slices.Clip(groups), entries[i].Groups...)
	}
	return entries
}

// walkStrings calls yield with each text of a configuration below keys that pages knows, in the order of lists, and with
// the groups that hold it.
func walkStrings(x any, pages func(key string) bool, yield func(groups []string, text string)) {
	var walk func(x any, key string, groups []string, depth int)
	walk = func(x any, key string, groups []string, depth int) {
		if depth > 40 {
			return
		}
		switch x := x.(type) {
		case string:
			if pages(key) {
				yield(groups, x)
			}
		case []any:
			for _, e := range x {
				walk(e, key, groups, depth+1)
			}
		case map[string]any:
			groups = inGroup(groups, cmp.Or(values(x).Str("group"), values(x).Str("tab"), values(x).Str("caption")))
			// A group has its own page first, then its pages.
			for _, k := range []string{"root", "index", "link", "slug", "file", "href", "part", "section"} {
				if v, ok := x[k].(string); ok {
					walk(v, k, groups, depth+1)
				}
			}
			for k, v := range x {
				if _, isText := v.(string); !isText {
					walk(v, k, groups, depth+1)
				}
			}
		}
	}
	walk(x, "", nil, 0)
}

// filesOf returns the entries of names without extension below root: the first file of each that exists.
func filesOf(r *reader, root string, extensions []string, names []string) (entries []Entry) {
	for _, name := range names {
		name = strings.Trim(name, "/")
		if name == "" {
			name = "index"
		}
		for _, candidate := range []string{name, name + "/index", name + "/README"} {
			done := false
			for _, ext := range append([]string{""}, extensions...) {
				if file := join(root, candidate+ext); (ext != "" || path.Ext(candidate) != "") && r.has(file) && !r.isDir(file) {
					entries, done = append(entries, Entry{File: file}), true
					break
				}
			}
			if done {
				break
			}
		}
	}
	return entries
}

// folderEntries returns the files of a folder with these extensions, the index first.
func folderEntries(r *reader, dir string, extensions []string, depth int) (entries []Entry) {
	if depth > 10 || len(r.list(dir)) > 5000 {
		return nil
	}
	for _, name := range r.list(dir) {
		if slices.Contains(extensions, path.Ext(name)) {
			if e := (Entry{File: join(dir, name)}); stem(name) == "index" {
				entries = slices.Insert(entries, 0, e)
			} else {
				entries = append(entries, e)
			}
		}
	}
	for _, name := range r.folders(dir) {
		entries = append(entries, folderEntries(r, join(dir, name), extensions, depth+1)...)
	}
	return entries
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
