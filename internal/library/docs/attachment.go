package docs

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/media"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
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

// Images returns the images that the paths of a request name, by the index of the path: files of a configured folder, and
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
