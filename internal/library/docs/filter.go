package docs

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/glob"
)

// maxPatterns is the number of patterns without braces in a filter: each is compared with the paths of all documents that have
// a word of the query.
const maxPatterns = 64

// A filter selects documents by their paths, in lower case. A nil filter selects all.
type filter struct {
	parts    []part // alternatives
	patterns int    // in all parts
	left     int    // parts that are left out, because there are too many
	// which documents the patterns select, as far as that was asked
	chosen map[*document]bool

	languages, versions []string

	shares  map[*document]share // of documents of dependencies; nil: of the project
	named   *named              // nil: the query names no package
	symbols map[string]bool     // see [symbolsIn]
}

// A part of a filter is a path or pattern. It selects nothing if neither is set.
type part struct {
	asked string   // as the client wrote it
	found bool     // a document or folder has this path
	paths []string // of folders and documents
	globs []*glob.Glob
}

func newFilter() *filter { return &filter{chosen: make(map[*document]bool)} }

// Filtered reports whether a query may have a filter, which may select documents of any language and version.
func (q Query) Filtered() bool {
	text := strings.Join(append(slices.Clip(q.Alternatives), q.Words), " ")
	return len(q.Paths) > 0 || slices.ContainsFunc(filterKeys, func(key string) bool { return strings.Contains(text, key+":") })
}

// filterKeys are the words before the colon of a filter.
var filterKeys = []string{"path", "language", "version"}

// filtered splits a query into its words and its path filters: path:guides or path:"my
// guides/*.md". A filter that is not a valid pattern selects nothing, and is reported by the error.
func (l *Library) filtered(query string) (words string, f *filter, err error) {
	var rest strings.Builder
	for query != "" {
		query = strings.TrimLeftFunc(query, unicode.IsSpace)
		end := strings.IndexFunc(query, unicode.IsSpace)
		if end < 0 {
			end = len(query)
		}
		key, value, _ := strings.Cut(query[:end], ":")
		tree := key != "path"
		if value == "" || !slices.Contains(filterKeys, key) || tree && l.sites == nil {
			rest.WriteString(query[:end] + " ")
			query = query[end:]
			continue
		}
		f = cmp.Or(f, newFilter())
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
		if problem := f.add(l, value); problem != nil && err == nil {
			err = fmt.Errorf("path:%s: %w", shown(excerpt.OneLine(value)), problem)
		}
	}
	return strings.TrimSpace(rest.String()), f, err
}

// add adds the path of a folder or document, or a pattern. A path that does not exist selects the documents whose paths begin
// with it in other letters or below the project folder, and one with ".." selects nothing.
func (f *filter) add(l *Library, asked string) (err error) {
	if len(f.parts) == maxPaths {
		f.left++
		return nil
	}
	t := l.find(asked)
	p := part{asked: asked, found: t.file != nil && t.file.isMarkdown() || t.folder}
	lower := func(path string) string { return strings.ToLower(norm.NFC.String(path)) }
	readings := []string{lower(clean(asked))}
	switch {
	case t.invalid:
		readings = nil
	case t.deps == nil && (t.file != nil || t.folder):
		p.paths, readings = []string{lower(t.path)}, nil
	default:
		for _, prefix := range []string{l.dir, path.Base(l.dir), "docs"} {
			if below, ok := strings.CutPrefix(readings[0]+"/", strings.ToLower(prefix)+"/"); ok {
				readings = append(readings, strings.TrimSuffix(below, "/"))
			}
		}
	}
	for _, r := range readings {
		if !strings.ContainsAny(r, "*?[{") {
			p.paths = append(p.paths, r)
			continue
		}
		if !strings.Contains(r, "/") {
			r = "**/" + r
		}
		var g *glob.Glob
		if g, err = glob.Parse(r); err != nil {
			break
		}
		p.globs = append(p.globs, g)
		f.patterns += g.Len()
	}
	if f.patterns > maxPatterns && len(p.globs) > 0 {
		f.left++
		return err
	}
	f.parts = append(f.parts, p)
	return err
}

// selects reports whether the filter selects a document. Several paths and patterns are
// alternatives.
func (f *filter) selects(d *document) bool {
	if !f.selectsTree(d) {
		return false
	}
	if f == nil || len(f.parts) == 0 && (f.shares != nil || len(f.languages)+len(f.versions) > 0) {
		return true
	}
	chosen, known := f.chosen[d]
	if !known {
		chosen = slices.ContainsFunc(f.parts, func(p part) bool { return p.selects(d, f.shares != nil) })
		if f.patterns > 0 { // each wording asks again
			f.chosen[d] = chosen
		}
	}
	return chosen
}

// selects reports whether a part selects a document. With versions, the path of a package is also one without its version.
func (p *part) selects(d *document, versions bool) bool {
	for _, path := range p.paths {
		below, ok := strings.CutPrefix(d.lower, path)
		if ok && (path == "" || below == "" || below[0] == '/' || versions && below[0] == '@') {
			return true
		}
		if name, _ := cutExtension(d.lower); name == path {
			return true
		}
	}
	return slices.ContainsFunc(p.globs, func(g *glob.Glob) bool { return g.Match(d.lower) })
}

// unmatched returns which parts of a query's filter select no document of the shelves, and whether these are all parts.
func (l *Library) unmatched(f *filter, shelves []*shelf) (asked []string, all bool) {
	if f == nil {
		return []string{}, false
	}
	asked = []string{}
	for i, p := range f.parts {
		if !p.found && !slices.ContainsFunc(shelves, func(s *shelf) bool {
			return s.only != nil && slices.ContainsFunc(s.docs, func(d *document) bool { return s.only.parts[i].selects(d, s.deps != nil) })
		}) {
			asked = append(asked, p.asked)
		}
	}
	all = len(asked) > 0 && len(asked) == len(f.parts)
	names := l.sites.Names()
	languages, versions := names.Languages, names.Versions
	for _, of := range []struct {
		key         string
		asked, have []string
	}{{"language", f.languages, languages}, {"version", f.versions, versions}} {
		known := len(of.asked) == 0
		for _, v := range of.asked {
			has := slices.ContainsFunc(of.have, func(have string) bool { return strings.EqualFold(have, v) })
			if known = known || has; !has {
				asked = append(asked, of.key+":"+v)
			}
		}
		all = all || !known
	}
	return asked, all
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
	if len(f.parts) > 0 || !d.page().Tree.Other {
		return true
	}
	// The default version of another language, or the default language of another version.
	language, version := d.page().Tree.Site().Main()
	return (len(f.languages) > 0 || d.page().Language() == language) && (len(f.versions) > 0 || d.page().Version() == version || d.page().Version() == "")
}
