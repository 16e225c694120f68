package docs

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/glob"
)

// maxFilters is the number of path filters of a query that are used.
const maxFilters = 8

// A filter selects documents by their paths, in lower case. A nil filter selects all.
type filter struct {
	paths []string // of folders and documents
	globs []*glob.Glob

	languages, versions []string

	shares  map[*document]share // of documents of dependencies; nil: of the project
	named   *named              // nil: the query names no package
	symbols map[string]bool     // see [symbolsIn]
}

// filtered splits a query into its words and its path filters: path:guides or path:"my
// guides/*.md". A filter that is not a valid pattern selects nothing, and is reported by the error.
func (l *Library) filtered(query string) (words string, f *filter, err error) {
	var rest strings.Builder
	number := 0
	for query != "" {
		query = strings.TrimLeftFunc(query, unicode.IsSpace)
		end := strings.IndexFunc(query, unicode.IsSpace)
		if end < 0 {
			end = len(query)
		}
		key, value, _ := strings.Cut(query[:end], ":")
		tree := l.sites != nil && (key == "language" || key == "version")
		if value == "" || key != "path" && !tree {
			rest.WriteString(query[:end] + " ")
			query = query[end:]
			continue
		}
		if f == nil {
			f = new(filter)
		}
		if tree {
			value, query = strings.ToLower(strings.Trim(value, `"`)), query[end:]
			if key == "language" {
				f.languages = append(f.languages, value)
			} else {
				f.versions = append(f.versions, value)
			}
			continue
		}
		if quoted, after, closed := strings.Cut(query[len("path:")+1:], `"`); value[0] == '"' && closed {
			value, query = quoted, after
		} else {
			query = query[end:]
		}
		if number++; number > maxFilters {
			continue
		}
		if problem := f.add(value, []string{l.dir, path.Base(l.dir), "docs"}); problem != nil && err == nil {
			err = fmt.Errorf("path:%s: %w", shown(excerpt.OneLine(value)), problem)
		}
	}
	return strings.TrimSpace(rest.String()), f, err
}

// with returns the filter, or a new one for nil, that also selects the paths of a request. A path that does not exist selects nothing, and
// a pattern what it matches.
func (f *filter) with(l *Library, paths []string) *filter {
	if f == nil {
		f = new(filter)
	}
	for _, p := range paths {
		t := l.find(p)
		switch {
		case t.deps == nil && t.file != nil:
			f.paths = append(f.paths, t.file.lower)
		case t.deps == nil && t.folder != nil:
			f.paths = append(f.paths, strings.ToLower(t.path))
		default:
			_ = f.add(p, []string{l.dir, path.Base(l.dir), "docs"})
		}
	}
	return f
}

// add adds the path of a folder or document, or a pattern. The path may start with one of the
// prefixes.
func (f *filter) add(value string, prefixes []string) error {
	value = strings.ToLower(norm.NFC.String(clean(value)))
	readings := []string{value}
	for _, prefix := range prefixes {
		if below, ok := strings.CutPrefix(value+"/", strings.ToLower(prefix)+"/"); ok {
			readings = append(readings, strings.TrimSuffix(below, "/"))
		}
	}
	for _, r := range readings {
		if !strings.ContainsAny(r, "*?[{") {
			f.paths = append(f.paths, r)
			continue
		}
		if !strings.Contains(r, "/") {
			r = "**/" + r
		}
		g, err := glob.Parse(r)
		if err != nil {
			return err
		}
		f.globs = append(f.globs, g)
	}
	return nil
}

// selects reports whether the filter selects a document. Several paths and patterns are
// alternatives.
func (f *filter) selects(d *document) bool {
	if !f.selectsTree(d) {
		return false
	}
	if f == nil || len(f.paths)+len(f.globs) == 0 && (f.shares != nil || len(f.languages)+len(f.versions) > 0) {
		return true
	}
	for _, p := range f.paths {
		below, ok := strings.CutPrefix(d.lower, p)
		if ok && (p == "" || below == "" || below[0] == '/' || f.shares != nil && below[0] == '@') {
			return true
		}
		if name, _ := cutExtension(d.lower); name == p {
			return true
		}
	}
	for _, g := range f.globs {
		if g.Match(d.lower) {
			return true
		}
	}
	return false
}

// selectsTree reports whether a filter, or a query without one, selects the language and version of a document.
func (f *filter) selectsTree(d *document) bool {
	if d.page() == nil {
		return f == nil || len(f.languages) == 0 && len(f.versions) == 0
	}
	if f == nil {
		return !d.page().Apart
	}
	if len(f.languages) > 0 && !slices.Contains(f.languages, d.page().Language()) {
		return false
	}
	if len(f.versions) > 0 && !slices.Contains(f.versions, strings.ToLower(d.page().Version())) {
		return false
	}
	if len(f.paths)+len(f.globs) > 0 || !d.page().Tree.Other {
		return true
	}
	// The default version of another language, or the default language of another version.
	language, version := d.page().Tree.Site().Main()
	return (len(f.languages) > 0 || d.page().Language() == language) && (len(f.versions) > 0 || d.page().Version() == version || d.page().Version() == "")
}
