package site

import (
	"iter"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

func keysOf(m map[string]any) iter.Seq[string] { return maps.Keys(m) }

// linkedPages returns the files that a Markdown list such as SUMMARY.md leads to, in order. Links begin at dir.
func linkedPages(text, dir string) (entries []Entry) {
	for _, m := range compile(`\[((?:\\.|[^\]\\]|\[[^\]]*\])*)\]\(<?([^)>\s]*)>?[^)]*\)`).FindAllStringSubmatch(text, 20_000) {
		target, _, _ := strings.Cut(m[2], "#")
		if target == "" || strings.Contains(target, "://") {
			continue
		}
		if decoded, err := url.PathUnescape(target); err == nil {
			target = decoded
		}
		entries = append(entries, Entry{File: join(dir, strings.TrimPrefix(target, "/")), Title: plainTitle(excerpt.OneLine(m[1]))})
	}
	return entries
}

// untitled drops the titles of entries: the text of a link need not be the title of the page.
func untitled(entries []Entry) []Entry {
	for i := range entries {
		entries[i].Title = ""
	}
	return entries
}

// walkStrings calls yield with each text of a configuration below keys that pages knows, in the order of lists.
func walkStrings(x any, depth int, pages func(key string) bool, yield func(key, text string)) {
	var walk func(x any, key string, depth int)
	walk = func(x any, key string, depth int) {
		if depth > 40 {
			return
		}
		switch x := x.(type) {
		case string:
			if pages(key) {
				yield(key, x)
			}
		case []any:
			for _, e := range x {
				walk(e, key, depth+1)
			}
		case map[string]any:
			// A group has its own page first, then its pages.
			for _, k := range []string{"root", "index", "link", "slug", "file", "href", "part", "section"} {
				if v, ok := x[k].(string); ok {
					walk(v, k, depth+1)
				}
			}
			for k, v := range x {
				if _, isText := v.(string); !isText {
					walk(v, k, depth+1)
				}
			}
		}
	}
	walk(x, "", depth)
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
