package docs

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docsfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

// Detect returns the library of the documents of the sites in the project folder, or of the sites that r names. Documents of
// languages and versions other than the default ones are found only by their paths and by filters. No other files can be
// read.
func Detect(ctx context.Context, fsys fs.FS, r Reading) (*Library, error) {
	files, old := docsfs.Of(fsys), r.Old
	set, err := site.Find(ctx, files, r.Sites)
	if err != nil {
		return nil, err
	}
	if err := set.Load(ctx, old.Sites(), r.Changed); err != nil {
		return nil, err
	}
	l := &Library{fsys: files, dir: "docs", exclude: r.Sites.Exclude, files: make(map[string]*document), sites: set, links: set}
	l.notices = slices.Clone(set.Notices())
	if main := set.Default(); main != nil {
		l.dir = main.Root
	}
	if old.Closed() && old.builder != nil && old.dir == l.dir {
		l.builder = old.builder
	} else {
		old, l.builder = nil, newBuilder()
	}
	for _, p := range set.Pages(true) {
		if l.files[p.Path] != nil {
			continue
		}
		d := &document{path: p.Path, lower: strings.ToLower(norm.NFC.String(p.Path)), size: p.Size, modTime: p.ModTime, markdown: true}
		d.ofSite.Store(p)
		if old != nil {
			if was := old.files[p.Path]; was != nil && was.size == d.size && was.modTime == d.modTime && was.page().Same(p) {
				was.ofSite.Store(p)
				d = was
			}
		}
		l.files[p.Path] = d
		if p.Tree.Other {
			l.alternates = append(l.alternates, d)
			continue
		}
		l.docs = append(l.docs, d)
	}
	l.order = slices.Clone(l.docs)
	l.noticeHidden()
	l.sort()
	return l, nil
}

// noticeHidden reports pages of sites that cannot be opened.
func (l *Library) noticeHidden() {
	for _, p := range l.sites.Hidden() {
		if p.Err != nil {
			l.notice(p.File, fmt.Errorf("is not served: %s", p.Hidden))
		}
	}
}

// Follow returns a library of [Scan] whose documents have the titles, order, links, URLs and includes of the sites that
// publish its folder, if there are any. r is the reading of the scan.
func (l *Library) Follow(ctx context.Context, r Reading) (*Library, error) {
	o := r.Sites
	if l.Len() == 0 && l.dir != "." { // what its author may have meant
		o.Named = nil
		all, err := Detect(ctx, l.fsys, Reading{Sites: o})
		if err != nil {
			return nil, err
		}
		for _, d := range all.All() {
			l.elsewhere = append(l.elsewhere, &site.Page{File: d.File(), Hidden: "is outside of " + l.dir + "/", Tree: d.Page().Tree})
		}
		o = r.Sites
	}
	o.Chosen = l.dir
	var set *site.Set
	if o.Named == nil || len(o.Named) > 0 {
		var err error
		if set, err = site.Find(ctx, l.fsys, o); err != nil {
			return nil, err
		}
		if err := set.Load(ctx, r.Old.Sites(), r.Changed); err != nil {
			return nil, err
		}
		l.notices, l.links = append(l.notices, set.Notices()...), set
		if len(set.Sites) == 0 {
			if l.Len() > 0 {
				l.elsewhere = set.Hidden()
			}
			set = nil
		}
	}
	for i, d := range l.docs {
		p := set.Page(path.Join(l.dir, d.path))
		if p != nil && p.Hidden != "" {
			p = nil // the generator does not publish it; it is a document all the same
		}
		if was := d.page(); was != nil && !was.Same(p) || was == nil && p != nil {
			d = &document{path: d.path, lower: d.lower, size: d.size, modTime: d.modTime}
			l.docs[i], l.files[d.path] = d, d
		}
		if p != nil {
			d.ofSite.Store(p)
		}
	}
	if set == nil {
		return l, nil
	}
	l.sites, l.order = set, make([]*document, 0, len(l.docs))
	l.noticeHidden()
	for _, p := range set.Pages(true) {
		if d := l.files[p.Path]; d != nil && d.page() == p {
			l.order = append(l.order, d)
		}
	}
	for _, d := range l.docs {
		if d.page() == nil {
			l.order = append(l.order, d)
		}
	}
	return l, nil
}

// Sites returns the sites of the documents, or nil if no generator publishes them.
func (l *Library) Sites() *site.Set { return l.known().sites }

// Closed reports whether only documents can be read: the sites chose the documents, and nobody named a folder.
func (l *Library) Closed() bool { return l.Sites() != nil && l.sites.Chosen() == "" }

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

// about adds facts about a page to the YAML of an answer.
func (t *item) about(l *Library, p *site.Page, c site.Content) {
	set := func(key, value string) {
		if value != "" {
			t.set(key, shown(excerpt.OneLine(value)))
		}
	}
	set("title", p.Title)
	if p.Tree.Other {
		set("language", p.Language())
		set("version", p.Version())
	}
	var names []string
	for _, part := range c.Parts {
		if !part.Missing && !slices.Contains(names, part.File) {
			names = append(names, part.File)
		}
	}
	t.list("includes", names, maxOfSite)
	if c.Left != "" {
		set("left out", c.Left+" and perhaps later includes: the page would be too large, or take too long")
	}
	names = nil
	for _, o := range l.sites.Others(p) {
		names = append(names, cmp.Or(o.Version(), o.Language())+": "+o.Path)
	}
	t.list("others", names, maxOfSite)
}

// list adds a list to the YAML, of at most most values.
func (t *item) list(key string, values []string, most int) {
	if len(values) == 0 {
		return
	}
	t.header.WriteString(scalar(key) + ":\n")
	for i, v := range values {
		if i == most {
			t.header.WriteString("  - " + scalar("and others") + "\n")
			break
		}
		t.header.WriteString("  - " + scalar(shown(excerpt.OneLine(v))) + "\n")
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
