package page

import (
	"context"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/mcp/server"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

func encodeQuery(key, value string) string { return url.Values{key: {value}}.Encode() }

func unescape(path string) string {
	if s, err := url.PathUnescape(path); err == nil {
		return s
	}
	return path
}

func countsOf(c *loader.Catalog, l *docs.Library, p *prompts.Set) (resources, documents, promptCount int) {
	if c != nil {
		resources = c.Len()
	}
	return resources, l.Len(), len(p.Prompts())
}

// resourcePath returns the path within the site for the canonical URI of a resource or folder.
func resourcePath(kind, canonical string) string {
	scheme, rest, _ := strings.Cut(canonical, "://")
	return kind + scheme + "/" + rest
}

// uriOf is the reverse of resourcePath: it returns the URI for an escaped path after /r/ or /raw/.
func uriOf(path string) string {
	scheme, rest, _ := strings.Cut(path, "/")
	return scheme + "://" + rest
}

// maxNav is the approximate size of a table of contents in bytes. Open folders and the current page
// are always in it.
const maxNav = 16 << 10

// full reports whether a level, or the table, has no room for another node.
func (q *request) full(l *level) bool { return len(l.Nodes) >= maxLevel || q.navBytes > maxNav }

// put adds a node to a level.
func (q *request) put(l *level, n node) {
	q.navBytes += len(n.Text) + len(n.Href) + 130
	l.Nodes = append(l.Nodes, n)
}

// resourceLevel returns the table of contents of a folder of resources. pagePath is the path of the
// page within the site.
func (q *request) resourceLevel(f loader.Folder, pagePath string) level {
	l := level{All: q.base + "/r/"}
	if f.Name() != "" {
		l.All = q.base + resourcePath("/r/", f.URI())
	}
	folders := f.Folders()
	l.Total = len(folders) + f.Len()
	for _, sub := range folders {
		path := resourcePath("/r/", sub.URI())
		open := strings.HasPrefix(pagePath, path)
		if q.full(&l) && !open {
			continue
		}
		n := node{Text: uri.Display(sub.Name()), Href: q.base + path, Folder: true, Count: sub.Total(), Here: pagePath == path}
		if f.Name() == "" {
			n.Text += "://"
		}
		if open {
			inside := q.resourceLevel(sub, pagePath)
			n.Inside = &inside
		}
		q.put(&l, n)
	}
	for _, r := range f.Files() {
		path := ""
		if q.full(&l) {
			if f.URI() == "" || !strings.HasPrefix(pagePath, resourcePath("/r/", f.URI())) {
				break
			}
			if path = resourcePath("/r/", r.URI()); path != pagePath {
				continue
			}
		}
		path = resourcePath("/r/", r.URI())
		q.put(&l, node{Text: r.DisplayName(), Href: q.base + path, Here: pagePath == path})
	}
	prefix := ""
	if f.Name() != "" {
		prefix = f.URI()
	}
	q.addOthers(&l, prefix, pagePath)
	return l
}

// documentHref returns the page of a document, or of a folder if path ends in a slash.
func (q *request) documentHref(path string) string {
	return q.base + "/docs/" + escapePath(strings.TrimSuffix(path, ".md"))
}

func escapePath(path string) string {
	names := strings.Split(path, "/")
	for i, name := range names {
		names[i] = url.PathEscape(name)
	}
	return strings.Join(names, "/")
}

// An entry is a name in a folder of documents.
type entry struct {
	name   string // a folder has a slash at the end
	path   string // relative to the folder of the documents
	folder bool
	count  int   // documents in a folder and its folders
	size   int64 // bytes, of a document
}

// entriesOf returns the contents of a folder of documents, folders first. folder is empty or ends
// in a slash.
func entriesOf(library *docs.Library, folder string) []entry {
	var entries []entry
	for _, e := range library.Entries(folder) {
		if e.Folder {
			e.Name += "/"
		}
		entries = append(entries, entry{name: e.Name, path: folder + e.Name, folder: e.Folder, count: e.Count, size: e.Size})
	}
	return entries
}

// describeTime is how long a page waits for titles. Names of files are shown instead.
const describeTime = 2 * time.Second

// outlineOf returns the table of contents of the documents as the page needs it.
func (q *request) outlineOf(library *docs.Library) docs.Outline {
	outline := library.Outline(q.doc)
	if !outline.Unread {
		return outline
	}
	err := q.visit("page/contents", "", func(ctx context.Context, v server.View) error {
		ctx, cancel := context.WithTimeout(ctx, describeTime)
		defer cancel()
		_, err := server.OnDisk(ctx, v, "titles", func(ctx context.Context) (struct{}, error) { return struct{}{}, library.Describe(ctx, q.doc) }, func(struct{}) {})
		return err
	})
	if err != nil {
		return outline
	}
	return library.Outline(q.doc)
}

// documentLevel returns entries of the table of contents of documents. folder is where all of them are listed.
func (q *request) documentLevel(nodes []*docs.Node, folder string) level {
	l := level{All: q.documentHref(folder), Total: len(nodes)}
	for _, d := range nodes {
		here := d.Path == q.doc && (!d.Section || d.Own)
		if q.full(&l) && !d.Open && !here {
			continue
		}
		n := node{Text: uri.Display(d.Title), Href: q.documentHref(d.Path), Folder: d.Section, Here: here}
		if d.Open {
			inside := q.documentLevel(d.Inside, strings.TrimPrefix(path.Dir(d.Path)+"/", "./"))
			n.Inside = &inside
		}
		q.put(&l, n)
	}
	return l
}

// documentTree sends the level of the table of contents that the script opens: the one below as many open sections as
// the query says.
func (q *request) documentTree(library *docs.Library) {
	nodes := q.outlineOf(library).Nodes
	depth, _ := strconv.Atoi(q.r.URL.Query().Get("depth"))
	folder := strings.TrimPrefix(path.Dir(q.doc)+"/", "./")
	for range min(depth, 100) {
		i := slices.IndexFunc(nodes, func(n *docs.Node) bool { return n.Open })
		if i < 0 {
			break
		}
		nodes = nodes[i].Inside
	}
	q.doc = ""
	q.show("level", q.documentLevel(nodes, folder))
}

// wantsPart reports whether the script wants only this part of a page.
func (q *request) wantsPart(name string) bool { return q.r.URL.Query().Get("part") == name }
