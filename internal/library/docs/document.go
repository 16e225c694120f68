package docs

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// A Document is one of the Markdown files of a library.
type Document struct {
	Path    string // below the documents' folder
	Size    int64  // bytes
	ModTime time.Time

	library *Library
	file    *document
}

// Documents returns all documents, in the order of their sites.
func (l *Library) Documents() []Document {
	if l == nil {
		return nil
	}
	out := make([]Document, len(l.order))
	for i, d := range l.order {
		out[i] = l.documentOf(d)
	}
	return out
}

// Text is [Library.Text] for the document.
func (d Document) Text(ctx context.Context) (string, error) {
	text, _, err := d.library.read(ctx, d.file, maxRead)
	return text, err
}

func (l *Library) documentOf(d *document) Document {
	return Document{Path: d.path, Size: d.size, ModTime: time.Unix(0, d.modTime).UTC(), library: l, file: d}
}

// Metadata are the title and description of a document, and its links.
type Metadata struct {
	Title       string // of the front matter, or the first heading; one line; "": none
	Description string
	Links       []string // paths of other documents of the library and URIs, sorted, each once
}

// An extract of a document is what [Document.Metadata] needs of its text. It is kept with the document, which the next library
// shares if the file does not change. The targets of links are as written, because the files that
// they lead to may come and go.
type extract struct {
	description string
	targets     []string
	capture     *site.Capture
}

const (
	maxLinked = 4 << 20 // bytes of a document whose links are read
	maxLinks  = 1000    // targets of a document
)

// Metadata reads the document, unless that was done before. It returns the zero Metadata for a document
// that has changed since the scan; the next library will have the new ones.
func (d Document) Metadata() Metadata {
	s := d.library.extract(d.file)
	if s == nil {
		return Metadata{}
	}
	p := d.file.page()
	f := Metadata{Title: p.Title, Description: cmp.Or(p.Summary, s.description)}
	for _, target := range s.targets {
		if site.External(target) {
			f.Links = append(f.Links, target)
		} else if to := d.library.sites.Resolve(p, target); to.Page != nil && to.Page != p && d.library.Has(to.Page.Path) {
			f.Links = append(f.Links, to.Page.Path)
		}
	}
	slices.Sort(f.Links)
	f.Links = slices.Compact(f.Links)
	return f
}

// extract returns the extract of a document, or nil if it has changed.
func (l *Library) extract(d *document) *extract {
	if s := d.extract.Load(); s != nil || d.isPDF() {
		return cmp.Or(s, new(extract))
	}
	text, _, err := l.source(d, maxLinked, true)
	if err != nil {
		return nil
	}
	s := &extract{description: loader.ReadMetadata("text/markdown", text).Description, capture: site.CaptureOf(text)}
	seen := make(map[string]bool)
	for _, link := range l.sites.Links(d.page(), text) {
		target := link.Link
		if !strings.HasPrefix(target, ":") { // otherwise it is a role
			target, _, _ = strings.Cut(target, "#")
		}
		if target != "" && !seen[target] && len(seen) < maxLinks {
			seen[target] = true
			s.targets = append(s.targets, target)
		}
	}
	d.extract.Store(s)
	return s
}
