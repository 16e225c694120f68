package docs

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/frontmatter"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/settings"
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

// Documents returns all documents, by path, or in the order of their sites.
func (l *Library) Documents() []Document {
	if l == nil {
		return nil
	}
	docs := l.docs
	if l.order != nil {
		docs = l.order
	}
	out := make([]Document, len(docs))
	for i, d := range docs {
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

// Facts are the title and description of a document, and its links.
type Facts struct {
	Title       string // of the front matter, or the first heading; one line; "": none
	Description string
	Links       []string // paths of other documents of the library and URIs, sorted, each once
}

// said is what was read from a document. It is kept with the document, which the next library
// shares if the file does not change. The targets of links are as written, because the files that
// they lead to may come and go.
type said struct {
	title, description string
	order              string // place in the folder, as texts compare; "": after all that have one
	targets            []string
}

const (
	maxLinked = 4 << 20 // bytes of a document whose links are read
	maxLinks  = 1000    // targets of a document
)

// Facts reads the document, unless that was done before. It returns the zero Facts for a document
// that has changed since the scan; the next library will have the new facts.
func (d Document) Facts() Facts {
	s := d.file.said.Load()
	if s == nil {
		var err error
		if s, err = d.library.readSaid(d.file); err != nil {
			return Facts{}
		}
		d.file.said.Store(s)
	}
	f := Facts{Title: s.title, Description: s.description}
	if p := d.file.page(); p != nil {
		f.Title = p.Title
		f.Description = cmp.Or(p.Summary, f.Description)
	}
	for _, target := range s.targets {
		if p := d.file.page(); p != nil && !site.External(target) {
			if to := d.library.sites.Resolve(p, target); to.Page != nil && to.Page != p && d.library.Has(to.Page.Path) {
				f.Links = append(f.Links, to.Page.Path)
			}
			continue
		}
		if to := d.library.leads(d.Path, target); to != "" && to != d.Path {
			f.Links = append(f.Links, to)
		}
	}
	slices.Sort(f.Links)
	f.Links = slices.Compact(f.Links)
	return f
}

func (l *Library) readSaid(d *document) (*said, error) {
	f, err := l.open(d)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !d.unchanged(info) {
		return nil, fs.ErrNotExist
	}
	text, _, err := decode(f, d, maxLinked)
	if err != nil {
		return nil, err
	}
	about := loader.ReadAbout("text/markdown", text)
	front, _ := frontmatter.Find(text)
	s := &said{title: about.Title, description: about.Description}
	if strings.Contains(front.YAML, "order") {
		fields, _ := settings.Parse(".yml", front.YAML)
		if n, ok := fields.Number("order"); ok {
			s.order = fmt.Sprintf("%06d", min(max(n, 0), 999_999))
		}
	}
	seen := make(map[string]bool)
	add := func(target string) {
		if target != "" && !seen[target] && len(seen) < maxLinks {
			seen[target] = true
			s.targets = append(s.targets, target)
		}
	}
	if p := d.page(); p != nil {
		for _, link := range l.sites.Links(p, text) {
			target := link.Link
			if !strings.HasPrefix(target, ":") { // otherwise it is a role
				target, _, _ = strings.Cut(target, "#")
			}
			add(target)
		}
		return s, nil
	}
	excerpt.Links(text[front.End:], front.Line, func(link excerpt.Link) {
		target, _, _ := strings.Cut(link.Target, "#")
		add(target)
	})
	return s, nil
}

// leads returns the path of the document that a link leads to, or the target if it is a URI, or ""
// for anything else. A link may leave out the extension, and name a folder for its index.
func (l *Library) leads(from, target string) string {
	if strings.Contains(target, "://") {
		return target
	}
	target, _, _ = strings.Cut(target, "?")
	if decoded, err := url.PathUnescape(target); err == nil {
		target = decoded
	}
	file := path.Join(path.Dir(from), target)
	if strings.HasPrefix(target, "/") {
		file = path.Clean(target)[1:]
	}
	for _, suffix := range [...]string{"", ".md", ".mdx", "/index.md", "/index.mdx", "/README.md"} {
		if name := strings.TrimPrefix(file+suffix, "./"); l.Has(name) {
			return name
		}
	}
	return ""
}
