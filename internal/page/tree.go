package page

import (
	"net/url"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/gate"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
	"net/http"
)

func refuse(w http.ResponseWriter, status int, text string) { gate.Refuse(w, status, text) }

func encodeQuery(key, value string) string { return url.Values{key: {value}}.Encode() }

// escape encodes a name as a segment of a path.
func escape(name string) string { return url.PathEscape(name) }

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
	if p != nil {
		promptCount = len(p.Prompts())
	}
	return resources, documentCount(l), promptCount
}

// resourcePath returns the path of a resource or folder below the site, for a canonical URI.
func resourcePath(kind, canonical string) string {
	scheme, rest, _ := strings.Cut(canonical, "://")
	return kind + scheme + "/" + rest
}

// uriOf is the reverse: the URI of an escaped path behind /r/ or /raw/.
func uriOf(path string) string {
	scheme, rest, _ := strings.Cut(path, "/")
	return scheme + "://" + rest
}

// maxNav is how many bytes a table of contents has, about: what is open is there in any case.
const maxNav = 24 << 10

// full reports whether a level, or the table, has no room for one more node.
func (q *request) full(l *level) bool { return len(l.Nodes) >= maxLevel || q.navBytes > maxNav }

// put adds a node to a level.
func (q *request) put(l *level, n node) {
	q.navBytes += len(n.Text) + len(n.Href) + 130
	l.Nodes = append(l.Nodes, n)
}

// resourceLevel is the table of a folder of resources. at is the path of the page, below the site.
func (q *request) resourceLevel(f loader.Folder, at string) level {
	l := level{All: q.base + "/r/"}
	if f.Name() != "" {
		l.All = q.base + resourcePath("/r/", f.URI())
	}
	folders := f.Folders()
	l.Total = len(folders) + f.Len()
	for _, sub := range folders {
		path := resourcePath("/r/", sub.URI())
		open := strings.HasPrefix(at, path)
		if q.full(&l) && !open {
			continue
		}
		n := node{Text: uri.Display(sub.Name()), Href: q.base + path, Folder: true, Count: sub.Total(), Here: at == path}
		if f.Name() == "" {
			n.Text += "://"
		}
		if open {
			inside := q.resourceLevel(sub, at)
			n.Inside = &inside
		}
		q.put(&l, n)
	}
	for _, r := range f.Files() {
		path := ""
		if q.full(&l) {
			if f.URI() == "" || !strings.HasPrefix(at, resourcePath("/r/", f.URI())) {
				break
			}
			if path = resourcePath("/r/", r.URI()); path != at {
				continue
			}
		}
		path = resourcePath("/r/", r.URI())
		q.put(&l, node{Text: r.DisplayName(), Href: q.base + path, Here: at == path})
	}
	prefix := ""
	if f.Name() != "" {
		prefix = f.URI()
	}
	q.addOthers(&l, prefix, at)
	return l
}

// documentHref is the page of a document, or of a folder where path ends in a slash.
func (q *request) documentHref(path string) string {
	return q.base + "/docs/" + escapePath(strings.TrimSuffix(path, ".md"))
}

func escapePath(path string) string {
	names := strings.Split(path, "/")
	for i, name := range names {
		names[i] = escape(name)
	}
	return strings.Join(names, "/")
}

// An entry is a name in a folder of documents.
type entry struct {
	name   string // with a slash at the end for a folder
	path   string // below the folder of all documents
	folder bool
	count  int   // documents in a folder and below it
	size   int64 // bytes, of a document
}

// entriesOf returns what a folder of documents holds: folders first. The path of a folder is empty
// or ends in a slash.
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

// documentLevel is the table of a folder of documents. at is the path of the page below /docs/,
// decoded.
func (q *request) documentLevel(library *docs.Library, folder, at string) level {
	entries := entriesOf(library, folder)
	l := level{All: q.documentHref(folder), Total: len(entries)}
	for _, e := range entries {
		open := e.folder && strings.HasPrefix(at, e.path)
		here := e.path == at || !e.folder && strings.TrimSuffix(e.path, ".md") == at
		if q.full(&l) && !open && !here {
			continue
		}
		n := node{Text: uri.Display(strings.TrimSuffix(e.name, "/")), Href: q.documentHref(e.path), Folder: e.folder, Count: e.count, Here: here}
		if !e.folder {
			n.Text = strings.TrimSuffix(n.Text, ".md")
		}
		if open {
			inside := q.documentLevel(library, e.path, at)
			n.Inside = &inside
		}
		q.put(&l, n)
	}
	return l
}

// wantsPart reports whether the script wants only a part of a page.
func (q *request) wantsPart(name string) bool { return q.r.URL.Query().Get("part") == name }
