package docs

import (
	"cmp"
	"context"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/media"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/markup"
)

const (
	maxImage  = 5 << 20 // bytes of an image in an answer
	maxImages = 10      // of an answer
	maxAsked  = 2000    // documents that are read to find a link to a file
)

// An Image is an image that a requested path names.
type Image struct {
	Path, MIME string
	Data       []byte
}

// ImagesOf returns the images that the paths of a request name, by the index of the path: files of a configured folder, and
// files that documents link to. The error is ctx.Err().
func (l *Library) ImagesOf(ctx context.Context, r Request) (map[int]Image, error) {
	images := make(map[int]Image)
	l = l.known()
	for i, asked := range r.Paths[:min(len(r.Paths), maxPaths)] {
		kind, _ := media.ByName(beforeMark(asked))
		if len(images) == maxImages || strings.TrimSpace(r.Query) != "" || !strings.HasPrefix(kind, "image/") {
			continue
		}
		t := l.find(asked)
		file := t.attached
		if t.file != nil && t.deps == nil {
			file = l.fileOf(t.file)
		} else if file == "" || !l.linked(ctx, file) {
			continue
		}
		if data, err := rootfs.ReadFile(l.fsys, file, maxImage); err == nil && media.Showable(kind, data) {
			images[i] = Image{file, kind, data}
		}
	}
	return images, ctx.Err()
}

// beforeMark returns a path without a query and a fragment.
func beforeMark(asked string) string {
	asked, _, _ = strings.Cut(asked, "#")
	asked, _, _ = strings.Cut(asked, "?")
	return asked
}

// attachment answers the path of a file that is not a document, if a document links to it.
func (a *reply) attachment(ctx context.Context, t *item, asked string, p target, room int) error {
	if !a.library.linked(ctx, p.attached) {
		return a.unknown(ctx, t, asked, room)
	}
	a.file(ctx, t, &document{path: p.attached}, cmp.Or(a.request.Section, p.section), room)
	return nil
}

// linked reports whether a document links to a file or shows it. The documents in the nearest folders are read first.
func (l *Library) linked(ctx context.Context, file string) bool {
	near := func(d *document) (n int) {
		parts, other := strings.Split(l.fileOf(d), "/"), strings.Split(file, "/")
		for n < min(len(parts), len(other)) && parts[n] == other[n] {
			n++
		}
		return n
	}
	all := slices.Concat(l.docs, l.alternates)
	slices.SortStableFunc(all, func(a, b *document) int { return cmp.Compare(near(b), near(a)) })
	name := strings.ToLower(path.Base(file))
	for _, d := range all[:min(len(all), maxAsked)] {
		if ctx.Err() != nil || d.page() == nil {
			continue
		}
		s := l.extract(d)
		if s == nil {
			continue
		}
		for _, target := range s.targets {
			if strings.Contains(strings.ToLower(target), strings.TrimSuffix(name, path.Ext(name))) || strings.Contains(target, "%") {
				if to := l.sites.Resolve(d.page(), target); to.Certainty == site.Found && to.File == file && s.capture.MayShow(file) {
					return true
				}
			}
		}
	}
	return false
}

// A File is a file of the project that is a document, or that a document shows or includes.
type File struct {
	Name string // below the project folder
	// of the document. A file that documents only show or include has the path that it would have as a document
	Path    string
	Size    int64 // bytes
	ModTime time.Time
	Page    *site.Page // of the document; nil: documents show or include the file

	library *Library
}

// Published returns the files of all documents of sites, in all languages and versions, and the files that they show
// as images or include, by name. It reads all documents. The error is ctx.Err().
func (l *Library) Published(ctx context.Context) ([]File, error) {
	files := make(map[string]File)
	all := slices.Concat(l.docs, l.alternates)
	for _, d := range all {
		name := l.fileOf(d)
		files[name] = File{name, d.path, d.size, time.Unix(0, d.modTime).UTC(), d.page(), l}
	}
	for _, d := range all {
		names, err := l.uses(ctx, d)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if _, known := files[name]; known {
				continue
			}
			if info, err := fs.Stat(l.fsys.Project(), name); err == nil {
				files[name] = File{name, cmp.Or(l.PathOf(name), name), info.Size(), info.ModTime(), nil, l}
			}
		}
	}
	return slices.SortedFunc(maps.Values(files), func(a, b File) int { return strings.Compare(a.Name, b.Name) }), nil
}

// uses returns the files that a document shows or includes. It reads the document. The error is ctx.Err().
func (l *Library) uses(ctx context.Context, d *document) (names []string, err error) {
	if d == nil || d.page() == nil || d.isPDF() || ctx.Err() != nil {
		return nil, ctx.Err()
	}
	text, _, err := l.source(d, maxIndexed, false)
	if err != nil {
		return nil, nil // it has changed, or it is too large
	}
	return l.sites.Uses(ctx, d.page(), text)
}

// Images returns the images that a document of a site shows, as paths below the project folder: those that [Library.Published]
// has for it. It reads the document.
func (l *Library) Images(ctx context.Context, path string) (images []string) {
	names, _ := l.uses(ctx, l.known().files[path]) // none if ctx has ended
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

// Open opens the file as it is now. A notebook is without its outputs, so it may have another size.
func (f File) Open() (fs.File, error) {
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
