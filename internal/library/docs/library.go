package docs

import (
	"cmp"
	"io/fs"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docsfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/glob"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// A Library is the documents of a project at one moment. It is safe for concurrent use. The zero
// Library, and a nil one, have no documents.
type Library struct {
	inventory

	others map[string]*document // the texts of sources, by URI; nil until a build lists them

	index atomic.Pointer[index] // of the default languages and versions; nil until it is built
	whole atomic.Pointer[index] // of all documents, for searches with a filter; nil until it is built
}

// An inventory is the part of a library that is known without a build.
type inventory struct {
	fsys     *docsfs.FS
	dir      string
	exclude  glob.Set             // covers files that are left out, below the project folder
	docs     []*document          // by path
	listed   []*document          // docs and the other readable files that are not of other languages and versions, by path
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
	uri     string                  // of a text of a source; then path is the URI decoded, and lower the path of its file
	source  int                     // in Library.sources

	markdown, foreign bool // see [Text]
	texted            bool // it is a PDF file that had a text when it was found

	digest atomic.Uint64 // of the text in an index; 0: the text is too short to be a copy of another one

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

// Notices returns the problems that the scan found, by path.
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
