package docs

import (
	"context"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/media"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/markup"
)

// A File is a file of the project that is a document, or that a document shows or includes.
type File struct {
	Name    string // below the project folder
	Size    int64  // bytes
	ModTime time.Time

	library  *Library
	document *document // nil: documents show or include the file
}

// Published returns the files of all documents of sites, in all languages and versions, and the files that they show
// as images or include, by name. It reads all documents. The error is ctx.Err().
func (l *Library) Published(ctx context.Context) ([]File, error) {
	files := make(map[string]File)
	all := slices.Concat(l.docs, l.alternates)
	for _, d := range all {
		name := l.fileOf(d)
		files[name] = File{name, d.size, time.Unix(0, d.modTime).UTC(), l, d}
	}
	for _, d := range all {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if d.page() == nil {
			continue
		}
		text, _, err := l.source(d, maxIndexed)
		if err != nil {
			continue // it has changed, or it is too large
		}
		names, err := l.sites.Uses(ctx, d.page(), text)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if _, known := files[name]; known {
				continue
			}
			if info, err := fs.Stat(l.fsys.Project(), name); err == nil {
				files[name] = File{name, info.Size(), info.ModTime(), l, nil}
			}
		}
	}
	return slices.SortedFunc(maps.Values(files), func(a, b File) int { return strings.Compare(a.Name, b.Name) }), nil
}

// Images returns the images that a document of a site shows, as paths below the project folder: those that [Library.Published]
// has for it. It reads the document.
func (l *Library) Images(ctx context.Context, path string) (images []string) {
	if l.Page(path) == nil {
		return nil
	}
	text, _, err := l.source(l.files[path], maxIndexed)
	if err != nil {
		return nil
	}
	names, err := l.sites.Uses(ctx, l.Page(path), text)
	if err != nil {
		return nil
	}
	for _, name := range names {
		if kind, _ := media.ByName(name); strings.HasPrefix(kind, "image/") {
			images = append(images, name)
		}
	}
	return images
}

// OpenImage opens one of the [Library.Images].
func (l *Library) OpenImage(name string) (fs.File, error) {
	return File{Name: name, library: l}.Open()
}

// Path returns the path of the document. For a file that documents only show or include, it returns the path that the
// file would have as a document.
func (f File) Path() string {
	if f.document != nil {
		return f.document.path
	}
	if dir := f.library.Dir(); dir != "." && walk.Holds(dir, f.Name) {
		return f.Name[len(dir)+1:]
	}
	return f.Name
}

// Document returns the document of the file, or false for a file that documents only show or include.
func (f File) Document() (Document, bool) {
	if f.document == nil {
		return Document{}, false
	}
	return f.library.documentOf(f.document), true
}

// Open opens the file as it is now. A notebook is without its outputs, so it may have another size.
func (f File) Open() (fs.File, error) {
	if f.document != nil {
		return f.library.Open(f.document.path)
	}
	opened, err := f.library.openFile(f.Name)
	return withoutOutputs(f.Name, opened, err)
}

// withoutOutputs returns an opened file, without its outputs if it is a notebook.
func withoutOutputs(name string, f fs.File, err error) (fs.File, error) {
	if err != nil || !strings.EqualFold(path.Ext(name), ".ipynb") {
		return f, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, maxRead))
	if err != nil {
		return nil, err
	}
	text := markup.WithoutOutputs(name, string(data))
	return &textFile{strings.NewReader(text), info}, nil
}

// A textFile is a file whose text differs from the text on the disk.
type textFile struct {
	*strings.Reader
	fs.FileInfo
}

func (f *textFile) Stat() (fs.FileInfo, error) { return f, nil }
func (f *textFile) Size() int64                { return f.Reader.Size() }
func (f *textFile) Close() error               { return nil }
