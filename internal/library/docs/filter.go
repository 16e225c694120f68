package docs

import (
	"fmt"
	"path"
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

	shares map[*document]share // of documents of dependencies; nil: of the project
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
		if l.sites != nil && f.addTree(&f, query[:end]) {
			query = query[end:]
			continue
		}
		value, ok := strings.CutPrefix(query[:end], "path:")
		if !ok || value == "" {
			rest.WriteString(query[:end] + " ")
			query = query[end:]
			continue
		}
		if quoted, after, closed := strings.Cut(query[len("path:")+1:], `"`); value[0] == '"' && closed {
			value, query = quoted, after
		} else {
			query = query[end:]
		}
		if f == nil {
			f = new(filter)
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

// addTree adds a filter such as language:fr or version:2.0 to into, and reports whether a word is one.
func (*filter) addTree(into **filter, word string) bool {
	key, value, ok := strings.Cut(word, ":")
	if !ok || value == "" || key != "language" && key != "version" {
		return false
	}
	if *into == nil {
		*into = new(filter)
	}
	value = strings.ToLower(strings.Trim(value, `"`))
	if key == "language" {
		(*into).languages = append((*into).languages, value)
	} else {
		(*into).versions = append((*into).versions, value)
	}
	return true
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
