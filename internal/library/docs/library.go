package docs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/fserr"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docsfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/glob"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/secret"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// A Library is the documents of a project at one moment. It is safe for concurrent use. The zero
// Library, and a nil one, have no documents.
type Library struct {
	inventory

	// the texts of sources, by URI; nil until a build lists them
	others map[string]*document

	// of the default languages and versions; nil until it is built
	index atomic.Pointer[index]
	// of all documents, for searches with a filter; nil until it is built
	whole atomic.Pointer[index]
}

// An inventory is the part of a library that is known without a build.
type inventory struct {
	fsys *docsfs.FS
	dir  string
	// covers files that are left out, below the project folder
	exclude glob.Set
	docs    []*document // by path
	// docs and the other readable files that are not of other languages and versions, by path
	listed   []*document
	files    map[string]*document // all readable files, by path
	warnings []loader.Warning

	sites      *site.Set   // nil: without documents
	order      []*document // docs as the sites order them
	alternates []*document // of other languages and versions

	sources []Source
	pdfs    PDFs // nil: PDF files have no text

	deps *Dependencies // nil: none are served

	builder *builder // shared with the libraries before and after it
}

// A document is a file below the folder. Libraries share unchanged documents.
type document struct {
	path    string // below the folder
	lower   string // path, in lower case and composed (NFC)
	size    int64  // bytes
	modTime int64  // nanoseconds since 1970

	extract atomic.Pointer[extract] // nil until the first [Document.Metadata]
	// of a text of a source; then path is the URI decoded, and lower the path of its file
	uri    string
	source int // in Library.sources

	markdown, foreign bool // see [Text]
	texted            bool // it is a PDF file that had a text when it was found

	// of the text in an index; 0: the text is too short to be a copy of another one
	digest atomic.Uint64

	// ofSite is what the newest library knows of a page of a site. Libraries share documents, so it may change. nil: the
	// document is of no site.
	ofSite atomic.Pointer[site.Page]
}

// page returns what a site knows of the document, or nil.
func (d *document) page() *site.Page { return d.ofSite.Load() }

// unchanged reports whether a file is as it was when the document was found.
func (d *document) unchanged(info fs.FileInfo) bool {
	info = docsfs.OnDisk(info)
	return info.Size() == d.size && info.ModTime().UnixNano() == d.modTime
}

func (d *document) isMarkdown() bool { return d.markdown || IsMarkdown(d.path) }

// A Reading says how documents are read.
type Reading struct {
	Sites site.Options
	Old   *Library // the documents of the same folder before a change, whose index is reused; may be nil
	// reports whether the bytes of a file, links resolved, may have changed since Old although its size and time have not; may be nil
	Changed func(file string) bool
	PDFs    PDFs // nil: PDF files have no text
}

// Detect returns the library of the documents of a project: the folder that r names as chosen, of which all other files can
// be read too, or else all documents, of which no other files can be read. Documents of languages and versions other than the
// default ones are found only by their paths and by filters. The error is the error of ctx or of reading the project folder.
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

// notice adds a notice about a file below the project folder.
func (l *Library) notice(file string, err error) {
	const most = 100 // more warnings do not help the user
	if len(l.warnings) < most {
		l.warnings = append(l.warnings, loader.Warning{Path: file, Reason: fserr.Reason(err)})
	}
}

// Note adds a notice about a file below the project folder. The library must not be in use yet.
func (l *Library) Note(file, reason string) { l.notice(file, errors.New(reason)) }

var none = new(Library)

// known returns the library, or one without documents for nil.
func (l *Library) known() *Library { return cmp.Or(l, none) }

// Dir returns the folder of the documents, below the project folder.
func (l *Library) Dir() string {
	if l = l.known(); l.dir == "." && len(l.docs) == 0 {
		return "docs"
	}
	return cmp.Or(l.dir, "docs")
}

// Len returns the number of documents.
func (l *Library) Len() int { return len(l.known().docs) }

// Warnings returns the problems that the scan found, by path.
func (l *Library) Warnings() []loader.Warning { return l.known().warnings }

// Files yields all readable files, documents or not, with their sizes in bytes. The paths are below
// the folder, in byte order, with links not resolved.
func (l *Library) Files() iter.Seq2[string, int64] {
	return func(yield func(string, int64) bool) {
		files := l.known().files
		for _, path := range slices.Sorted(maps.Keys(files)) {
			if !yield(path, files[path].size) {
				return
			}
		}
	}
}

// ModTime returns the time of the last change of one of the [Library.Files] when it was scanned.
func (l *Library) ModTime(path string) time.Time { return time.Unix(0, l.files[path].modTime).UTC() }

// Open opens one of the [Library.Files]. It follows links again. A notebook of a site is without its outputs, so it may
// have another size.
func (l *Library) Open(path string) (fs.File, error) {
	d := l.known().files[path]
	if d == nil {
		return nil, fs.ErrNotExist
	}
	f, err := l.open(d)
	if d.page() != nil {
		return withoutOutputs(path, f, err)
	}
	return f, err
}

// IsMarkdown reports whether a file of this name is Markdown.
func IsMarkdown(name string) bool {
	_, ok := cutExtension(name)
	return ok
}

// extensions of documents, in the order in which they are tried.
var extensions = []string{".md", ".mdx"}

func cutExtension(name string) (string, bool) {
	for _, ext := range extensions {
		if n := len(name) - len(ext); n > 0 && strings.EqualFold(name[n:], ext) {
			return name[:n], true
		}
	}
	return name, false
}

// An Entry is a name in a folder of documents.
type Entry struct {
	Name   string
	Folder bool
	Count  int   // documents: in a folder and below it, or one
	Size   int64 // bytes, of a document
}

// Entries returns the folders with documents in a folder, and then its documents, each in byte order.
// The folder is "" for the root of all documents, or a path below it with a slash at the end. Its time
// grows with the size of the result, not with the number of all documents.
func (l *Library) Entries(folder string) []Entry { return entries(l.known().docs, folder) }

// entries returns the folders with some files in a folder, and then the files in it. The files are in the order of their paths.
func entries(files []*document, folder string) []Entry {
	var folders, documents []Entry
	for i := from(files, folder); i < len(files); {
		d := files[i]
		rest, ok := strings.CutPrefix(d.path, folder)
		if !ok {
			break
		}
		name, _, below := strings.Cut(rest, "/")
		if !below {
			documents = append(documents, Entry{Name: name, Count: 1, Size: d.size})
			i++
			continue
		}
		end := from(files, folder+name+"0") // the byte behind "/"
		folders = append(folders, Entry{Name: name, Folder: true, Count: end - i})
		i = end
	}
	return append(folders, documents...)
}

func byPath(a, b *document) int { return strings.Compare(a.path, b.path) }

// from returns the index of the first file whose path is not before another path.
func from(files []*document, path string) int {
	i, _ := slices.BinarySearchFunc(files, path, func(d *document, path string) int { return strings.Compare(d.path, path) })
	return i
}

// HasFile reports whether there is a readable file with exactly this path, a document or not.
func (l *Library) HasFile(path string) bool { return l.known().files[path] != nil }

// HasFolder reports whether there are documents below a path, which ends in a slash.
func (l *Library) HasFolder(path string) bool { return holds(l.known().docs, path) }

// holds reports whether some of the files are below a folder, which ends in a slash.
func holds(files []*document, folder string) bool {
	i := from(files, folder)
	return i < len(files) && strings.HasPrefix(files[i].path, folder)
}

// isFolder reports whether a folder, which does not end in a slash, has readable files at any depth. The root of all documents is
// a folder in any case.
func (l *Library) isFolder(path string) bool {
	if path == "" {
		return l.sites != nil
	}
	return holds(l.listed, path+"/")
}

// Excluded reports whether a file or folder, given by its path below the project folder, is left out
// because of a pattern, and returns the pattern.
func (l *Library) Excluded(name string) (pattern string, ok bool) {
	return l.known().exclude.Covers(name)
}

// Ignored reports whether git ignores a file or folder, given by its path below the project folder.
func (l *Library) Ignored(name string, folder bool) bool {
	return l.known().fsys != nil && l.fsys.Ignored(name, folder)
}

// Check opens a file below the project folder as documents are opened. It returns the secrets in it that notes replace,
// or why it cannot be opened.
func (l *Library) Check(file string) (removed []secret.Finding, err error) {
	f, err := l.openFile(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if opened, ok := f.(*docsfs.File); ok {
		removed = opened.Removed
	}
	return removed, nil
}

// Start returns the path of the document to begin with, or "".
func (l *Library) Start() string {
	if start := l.Sites().Names().Start; l.HasFile(start) {
		return start
	}
	return ""
}

// Served returns one line that says how many Markdown files are documents, in all languages and versions, and how many are
// not, by reason, and, if they are not all main documents, how many have which class: "451 Markdown files are served; 9 are not: 2 tests, 6 vendored, 1 redirecting". Files that git ignores do not
// count. It is "" without Markdown.
func (l *Library) Served() string {
	pdfs, left, unread := len(l.PDFs()), l.Left(), l.Sites().Unread()
	served := len(l.All()) - pdfs
	kinds := make(map[string]int)
	for _, p := range left {
		kinds[p.Kind()]++
	}
	if served+pdfs+len(left)+len(unread) == 0 {
		return ""
	}
	var b strings.Builder
	switch {
	case pdfs > 0:
		fmt.Fprintf(&b, "%d Markdown and %d PDF files are served", served, pdfs)
	case served == 1:
		b.WriteString("1 Markdown file is served")
	default:
		fmt.Fprintf(&b, "%d Markdown files are served", served)
	}
	if c := l.Sites().Counts(); c[site.Other]+c[site.Last] > 0 {
		fmt.Fprintf(&b, " (%d main, %d other, %d last)", c[site.Main], c[site.Other], c[site.Last])
	}
	var parts []string
	for _, kind := range slices.SortedFunc(maps.Keys(kinds), func(a, b string) int { return cmp.Or(kinds[b]-kinds[a], strings.Compare(a, b)) }) {
		parts = append(parts, fmt.Sprintf("%d %s", kinds[kind], kind))
	}
	if verb := [2]string{"is", "are"}; len(left) > 0 {
		fmt.Fprintf(&b, "; %d %s not: %s (list --hidden shows them)", len(left), verb[min(len(left)-1, 1)], strings.Join(parts, ", "))
	}
	if n := l.Sites().Beside(); n > 0 {
		fmt.Fprintf(&b, "; other files next to them: %d, which can be read", n)
		if l.Closed() {
			b.WriteString(" where a document links to them")
		}
	}
	if len(unread) > 0 {
		b.WriteString("; files whose text is not read: " + strings.Join(unread, ", "))
	}
	return b.String()
}

// Left returns the Markdown files that are not documents. Files that git ignores are not among them.
func (l *Library) Left() (left []*site.Page) {
	for _, p := range l.Sites().Hidden() {
		if p.Hidden != site.Gitignored {
			left = append(left, p)
		}
	}
	return left
}
