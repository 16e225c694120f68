package docs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docsfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// Detect returns the library of the documents of a project: the folder that r names as chosen, of which all other files can
// be read too, or else all documents, of which no other files can be read. Documents of languages and versions other than the
// default ones are found only by their paths and by filters.
func Detect(ctx context.Context, fsys fs.FS, r Reading) (*Library, error) {
	files, old := docsfs.Of(fsys), r.Old
	if dir := r.Sites.Chosen; dir != "" {
		if _, err := walk.Resolve(files.Project(), dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	set, err := site.Find(ctx, files, r.Sites, old.Sites(), r.Changed)
	if err != nil {
		return nil, err
	}
	l := &Library{inventory: inventory{fsys: files, dir: cmp.Or(r.Sites.Chosen, "."), exclude: r.Sites.Exclude, files: make(map[string]*document), sites: set, pdfs: r.PDFs}}
	l.warnings = slices.Clone(set.Warnings())
	if old != nil && old.builder != nil && old.dir == l.dir {
		l.builder = old.builder
	} else {
		old, l.builder = nil, newBuilder()
	}
	for _, p := range set.Pages(true) {
		if l.files[p.Path] != nil {
			continue
		}
		d := old.kept(p.Path, p.Size, p.ModTime, p.Changed)
		texted := r.PDFs != nil && site.IsPDF(p.File) && r.PDFs.Has(PDF{Name: p.File, Size: p.Size, ModTime: p.ModTime})
		if d == nil || !d.page().Same(p) || d.texted != texted {
			d = &document{path: p.Path, lower: strings.ToLower(norm.NFC.String(p.Path)), size: p.Size, modTime: p.ModTime, markdown: true, texted: texted}
		}
		d.ofSite.Store(p)
		l.files[p.Path] = d
		if p.Tree.Other {
			l.alternates = append(l.alternates, d)
			continue
		}
		l.docs = append(l.docs, d)
	}
	l.order, l.listed = slices.Clone(l.docs), slices.Clone(l.docs)
	for _, f := range set.Attached() {
		if l.files[f.Path] == nil {
			d := old.kept(f.Path, f.Size, f.ModTime, r.Changed != nil && r.Changed(f.File))
			if d == nil || d.page() != nil {
				d = &document{path: f.Path, lower: strings.ToLower(norm.NFC.String(f.Path)), size: f.Size, modTime: f.ModTime}
			}
			l.files[f.Path] = d
			l.listed = append(l.listed, d)
		}
	}
	slices.SortFunc(l.docs, byPath)
	slices.SortFunc(l.listed, byPath)
	for _, p := range set.Hidden() {
		if p.Err != nil { // it cannot be opened
			l.notice(p.File, fmt.Errorf("is not served: %s", p.Hidden))
		}
	}
	slices.SortFunc(l.warnings, func(a, b loader.Warning) int { return strings.Compare(a.Path, b.Path) })
	return l, nil
}

// kept returns a file of a library, if it has the size and time that it had, and has not changed; or nil.
func (l *Library) kept(path string, size, modTime int64, changed bool) *document {
	if l == nil || changed || l.files[path] == nil || l.files[path].size != size || l.files[path].modTime != modTime {
		return nil
	}
	return l.files[path]
}

// Sites returns what is known of the documents' files, or nil for a library of something else.
func (l *Library) Sites() *site.Set { return l.known().sites }

// Closed reports whether only documents can be read, because no folder in the project is chosen.
func (l *Library) Closed() bool {
	return l.Sites() != nil && (l.sites.Chosen() == "" || l.sites.Chosen() == ".")
}

// File returns the path of the document's file below the project folder.
func (d Document) File() string { return d.library.fileOf(d.file) }

// FileOf returns the path below the project folder of one of the [Library.Files].
func (l *Library) FileOf(path string) string { return l.fileOf(l.files[path]) }

// Page returns the page that the site has for the document with exactly this path, or nil.
func (l *Library) Page(path string) *site.Page {
	if !l.Has(path) {
		return nil
	}
	return l.files[path].page()
}

// Page returns the page that the site has for a document, or nil.
func (d Document) Page() *site.Page { return d.file.page() }

// All returns all documents. Other languages and versions come last.
func (l *Library) All() []Document {
	all := l.Documents()
	for _, d := range l.known().alternates {
		all = append(all, l.documentOf(d))
	}
	return all
}

// maxOfSite is how many values a list about a page has.
const maxOfSite = 20

// setPage adds what is known of a page to the YAML of an answer.
func (t *item) setPage(l *Library, p *site.Page, c site.Content) {
	set := func(key, value string) {
		if value != "" {
			t.set(key, shown(excerpt.OneLine(value)))
		}
	}
	if head := c.Text[:min(len(c.Text), 4<<10)]; !strings.Contains(head, "# "+p.Title+"\n") { // else the text has it
		set("title", p.Title)
	}
	if p.Tree.Other {
		set("language", p.Language())
		set("version", p.Version())
	}
	var names []string
	for _, part := range c.Parts {
		if !part.Missing {
			names = union(names, part.File)
		}
	}
	t.list("includes", names, maxOfSite)
	if c.Left != "" {
		set("left out", c.Left+" and perhaps later includes: the page would be too large, or take too long")
	}
	names = nil
	if p.Tree.Other { // who reads the default page did not ask for others
		for _, o := range l.sites.Others(p) {
			names = append(names, cmp.Or(o.Version(), o.Language())+": "+o.Path)
		}
	}
	t.list("others", names, maxOfSite)
}

// list adds a list to the YAML, of at most most values.
func (t *item) list(key string, values []string, most int) {
	if len(values) == 0 {
		return
	}
	t.header.WriteString(scalar(key) + ":\n")
	for _, v := range values[:min(len(values), most)] {
		t.header.WriteString("  - " + scalar(shown(excerpt.OneLine(v))) + "\n")
	}
	if len(values) > most {
		t.header.WriteString("  - and others\n")
	}
}

// searchable returns a text of a document as Markdown for a search, with as many lines.
func (d *document) searchable(text string) string {
	if p := d.page(); p != nil {
		return site.Searchable(p, text)
	}
	return text
}

// headings returns the headings of a document in any format.
func headings(d *document, text string) []excerpt.Heading {
	plain := d.searchable(text)
	all := excerpt.Headings(plain)
	if plain == text {
		return all
	}
	from, to := starts(plain), starts(text)
	moved := func(offset int) int {
		line, _ := slices.BinarySearch(from, offset+1)
		if offset >= len(plain) || line > len(to) {
			return len(text)
		}
		return to[line-1]
	}
	for i := range all {
		all[i].Start, all[i].End = moved(all[i].Start), moved(all[i].End)
	}
	return all
}

// starts returns the offsets at which the lines of a text begin.
func starts(text string) []int {
	offsets := []int{0}
	for i := range len(text) {
		if text[i] == '\n' {
			offsets = append(offsets, i+1)
		}
	}
	return offsets
}
