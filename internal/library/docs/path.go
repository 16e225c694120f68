package docs

import (
	"context"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/nearest"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

// A target is the meaning of a requested path.
type target struct {
	invalid bool      // it tries to leave the folder, and nothing has its name
	file    *document // or nil
	folder  bool      // it is a folder
	path    string    // of the file or folder
	section string    // what followed "#"
	several []string  // paths of documents, of which none is taken

	// a file below the project folder that is not a document: it is served if a document links to it
	attached string

	deps *Dependencies // of which it is a file or folder; nil: of the project
}

// Lookup returns the path of the file or folder that a requested path means, and the section that
// the request names after "#". A folder ends in a slash; the folder of the documents itself is "/".
func (l *Library) Lookup(asked string) (path, section string, ok bool) {
	switch p := l.known().find(asked); {
	case p.deps != nil:
		return "", "", false
	case p.file != nil:
		return p.path, p.section, true
	case p.folder:
		return p.path + "/", "", true
	}
	return "", "", false
}

// maxPath is the length in bytes above which a path is not looked up; no system has longer paths.
const maxPath = 4096

// find looks up a path in the client's spelling.
func (l *Library) find(asked string) target {
	if len(asked) > maxPath {
		return target{invalid: traverses(asked)}
	}
	spellings := []string{asked}
	for range 3 { // no client encodes a path more often than that by mistake
		last := spellings[len(spellings)-1]
		decoded, err := url.PathUnescape(last)
		if err != nil || decoded == last {
			break
		}
		spellings = append(spellings, decoded)
	}
	for _, s := range spellings[:min(2, len(spellings))] {
		if p, ok := l.lookUp(s); ok {
			if p.folder && p.path == "" && traverses(s) {
				return target{invalid: true}
			}
			return p
		}
		// a name may have a "#"
		for _, at := range []int{strings.Index(s, "#"), strings.LastIndex(s, "#")} {
			if at >= 0 && at+1 < len(s) {
				if p, ok := l.lookUp(s[:at]); ok && p.file != nil {
					p.section = s[at+1:]
					return p
				}
			}
		}
	}
	p := l.deps.find(asked)
	if p.file == nil && !p.folder {
		p = l.seek(asked)
	}
	p.invalid = p.file == nil && !p.folder && p.several == nil && p.attached == "" && slices.ContainsFunc(spellings, traverses)
	return p
}

// seek finds the document to which a path leads as a link.
func (l *Library) seek(asked string) (t target) {
	if l.sites == nil {
		return target{}
	}
	to := l.sites.Seek(strings.Trim(strings.ReplaceAll(strings.TrimSpace(asked), `\`, "/"), "<>"))
	for _, file := range to.Candidates {
		if d := l.at(file); d != nil && d.isMarkdown() {
			t.several = append(t.several, d.path)
		}
	}
	if d := l.at(to.File); d != nil && to.Certainty == site.Found {
		return target{file: d, path: d.path, section: to.ID}
	}
	if path := l.PathOf(to.File); path != "" && l.isFolder(path) {
		return target{folder: true, path: path}
	}
	if to.Page == nil && to.Certainty == site.Found && l.Closed() {
		t.attached = to.File
	}
	if len(t.several) == 1 {
		return target{file: l.files[t.several[0]], path: t.several[0], section: to.ID}
	}
	return t
}

// at returns the document or other readable file at a path below the project folder, or nil.
func (l *Library) at(file string) *document { return l.files[l.PathOf(file)] }

// PathOf returns the path below the documents' folder of a file or folder, given by its path below the project folder. It is
// "" for one outside.
func (l *Library) PathOf(file string) string {
	if l.dir == "." {
		return file
	}
	below, _ := strings.CutPrefix(file, l.dir+"/")
	if below == file {
		return ""
	}
	return below
}

// readable returns a path as answers write it, which [Library.Lookup] finds: as it is, or with escapes if it is not one line of text.
func readable(path string) string {
	if excerpt.OneLine(path) == path {
		return path
	}
	return (&url.URL{Path: path}).EscapedPath()
}

// traverses reports whether a segment of the path is "..".
func traverses(p string) bool {
	for segment := range strings.FieldsFuncSeq(p, func(r rune) bool { return strings.ContainsRune(`/\#`, r) }) {
		if strings.TrimSpace(segment) == ".." {
			return true
		}
	}
	return false
}

// clean removes the redundant parts of a path.
func clean(p string) string {
	p = strings.TrimSpace(strings.ReplaceAll(p, `\`, "/"))
	return strings.TrimPrefix(path.Clean("/"+p), "/")
}

// lookUp looks up a path below the folder of the library, or else below the folder that holds all main documents.
func (l *Library) lookUp(asked string) (target, bool) {
	t, ok := l.literally(asked)
	if base := l.Base(); !ok && base != "" {
		return l.literally(base + clean(asked))
	}
	return t, ok
}

// literally finds the file or folder of a path without "..", the most literal interpretation first.
func (l *Library) literally(asked string) (target, bool) {
	var readings []string
	for _, p := range []string{clean(asked), asked} { // a name may have a backslash
		readings = append(readings, p)
		for _, prefix := range []string{l.dir, path.Base(l.dir), "docs"} {
			if below, ok := strings.CutPrefix(p+"/", prefix+"/"); ok {
				readings = append(readings, strings.TrimSuffix(below, "/"))
			}
		}
	}
	for _, r := range readings {
		if f := l.files[r]; f != nil {
			return target{file: f, path: f.path}, true
		}
	}
	for _, r := range readings {
		if l.isFolder(r) {
			return target{folder: true, path: r}, true
		}
	}
	for _, ext := range extensions {
		for _, r := range readings {
			if f := l.files[r+ext]; f != nil {
				return target{file: f, path: f.path}, true
			}
		}
	}
	return target{}, false
}

// Scheme is the scheme of the URIs of documents.
const Scheme = "docs"

// Host returns the host of the URIs of a project's documents, not encoded: the name of the project,
// with "-" for characters that a folder name cannot have.
func Host(project string) string {
	host := strings.NewReplacer("/", "-", "\x00", "-").Replace(project)
	if host == "" || host == "." || host == ".." {
		return "docs"
	}
	return host
}

// URI returns the URI of a document: docs://<host>/<path>.
func URI(project, path string) string { return compose(Scheme, Host(project), path) }

// compose returns the URI of a host and a path, which are not encoded.
func compose(scheme, host, path string) string {
	b := uri.AppendHost([]byte(scheme+"://"), host)
	for segment := range strings.SplitSeq(path, "/") {
		b = uri.AppendSegment(append(b, '/'), segment)
	}
	return string(b)
}

// PathOf returns the path of the document that a URI names, and false for other URIs.
func PathOf(project, s string) (string, bool) {
	return strings.CutPrefix(uri.Decode(s), Scheme+"://"+Host(project)+"/")
}

const maxSuggestions = 10

// maxNear is how many documents [Library.Near] compares.
const maxNear = 20_000

// Near returns at most limit documents for a path that does not exist: those whose names are close to its name.
func (l *Library) Near(asked string, limit int) []string {
	l = l.known()
	byName := make(map[string][]string)
	for _, d := range l.docs[:min(len(l.docs), maxNear)] {
		name, _ := cutExtension(d.path)
		name = baseName(name)
		byName[name] = append(byName[name], d.path)
	}
	var paths []string
	asked = strings.TrimSuffix(strings.TrimSuffix(asked, "/"), path.Ext(asked))
	for _, name := range nearest.Of(path.Base(asked), slices.Collect(maps.Keys(byName)), limit) {
		paths = append(paths, byName[name]...)
	}
	return paths[:min(limit, len(paths))]
}

// baseOf returns the last part of a path that a client asked for, without an extension.
func baseOf(asked string) string {
	name, _ := cutExtension(path.Base(clean(excerpt.Cut(asked, maxPath))))
	return name
}

// near names documents and folders for filters that select nothing.
func (l *Library) near(ctx context.Context, asked []string) (sentences string, err error) {
	var words []string
	for _, a := range asked {
		if strings.HasPrefix(a, "language:") || strings.HasPrefix(a, "version:") {
			continue
		}
		words = append(words, baseOf(a))
	}
	paths, err := l.suggest(ctx, strings.Join(words, " "))
	if len(paths) > 0 {
		sentences = " Similar: " + strings.Join(paths[:min(len(paths), maxNamed)], ", ") + "."
	}
	_, folders := l.Top()
	return sentences + folders, err
}

// suggest returns up to ten documents that have some words. They are plain text, without filters and phrases.
func (l *Library) suggest(ctx context.Context, words string) (paths []string, err error) {
	if words = strings.TrimSpace(excerpt.Cut(words, maxQuery)); words == "" || len(l.docs) == 0 {
		return nil, nil
	}
	x, err := l.await(ctx, false, shortWait)
	if x == nil {
		return nil, err
	}
	terms, _ := x.parse(words, maxTerms)
	for _, f := range x.rank(ctx, ranking{terms: terms, share: l.share}, 2*maxSuggestions, 1) {
		if d := x.docs[x.passages[f[0].passage].Document]; d.uri == "" && len(paths) < maxSuggestions {
			paths = append(paths, readable(d.path))
		}
	}
	return paths, nil
}
