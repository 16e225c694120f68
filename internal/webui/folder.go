package webui

import (
	"context"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

// A folderPage lists a folder, of resources or documents.
type folderPage struct {
	frame
	URI     string // "" for documents
	Folders []node
	Files   []item
	Total   int // files, nested ones included; 0: unknown
	Next    string
}

// An item is a file in a list.
type item struct {
	Name, Href, Title, Description, MIME string
	Size                                 int64 // negative: unknown
}

// pageItems is how many folders and files one page of a folder lists.
const pageItems = 100

// showFolder shows a page with some entries of a folder, the folders first. more: other entries follow. itemAt returns a
// file among the entries, which it may read.
func (q *request) showFolder(page folderPage, entries []node, more bool, itemAt func(i int) item) {
	if more {
		page.Next = "?from=" + strconv.Itoa(q.from()+pageItems)
	}
	page.Folders = slices.DeleteFunc(slices.Clone(entries), func(n node) bool { return !n.Folder })
	var err error
	page.Files, err = onDisk(q, "page/folder", page.URI, func(ctx context.Context, _ *docs.Library) (items []item, err error) {
		for i := len(page.Folders); i < len(entries) && ctx.Err() == nil; i++ {
			items = append(items, itemAt(i))
		}
		return items, ctx.Err()
	})
	if err != nil {
		q.failed(err)
		return
	}
	q.show("folder", page)
}

// folder lists a folder of resources.
func (q *request) folder(all view.View, folder string) {
	if q.wantsPart("tree") {
		q.show("level", q.resourceLevel(all, folder, ""))
		return
	}
	title := "Resources"
	if folder != "" {
		title = nameOf(folder)
	}
	page := folderPage{frame: q.frame(title, "resources"), URI: folder}
	if folder != "" {
		page.Crumbs = q.resourceCrumbs(folder)
	}
	if f, ok := all.Files.LookupFolder(folder); ok {
		page.Total = f.Total()
	}
	children, more := childrenOf(all, folder, q.from(), pageItems)
	entries := q.childNodes(children)
	q.showFolder(page, entries, more, func(i int) item {
		about := describe(all, children[i].Item)
		return item{entries[i].Text, entries[i].Href, about.Title, about.Description, about.mime, about.size}
	})
}

// from returns how many entries of a folder come before the requested page.
func (q *request) from() int {
	from, _ := strconv.Atoi(q.r.URL.Query().Get("from"))
	return max(from, 0)
}

// crumbs returns links to the folders above an entry: root, and of each other one, whose path ends with a slash, what of returns.
func crumbs(root link, path string, of func(folder string) (link, bool)) []link {
	links := []link{root}
	for i := range len(path) - 1 {
		if path[i] == '/' {
			if l, ok := of(path[:i+1]); ok {
				links = append(links, l)
			}
		}
	}
	return links
}

// documentCrumbs returns links to the folders above a document or folder.
func (q *request) documentCrumbs(library *docs.Library, name string) []link {
	return crumbs(link{"Documents", q.documentHref("")}, name, func(folder string) (link, bool) {
		return link{uri.Display(path.Base(folder)), q.documentHref(folder)}, library.HasFolder(folder)
	})
}

// resourceCrumbs returns links to the folders above a resource or folder.
func (q *request) resourceCrumbs(canonical string) []link {
	return crumbs(link{"Resources", q.folderHref("")}, canonical, func(folder string) (link, bool) {
		if strings.HasSuffix(folder, "://") {
			return link{folder, q.folderHref(folder)}, true
		}
		folder = strings.TrimSuffix(folder, "/")
		return link{nameOf(folder), q.folderHref(folder)}, strings.Contains(folder, "://")
	})
}

// documentFolder lists a folder of documents.
func (q *request) documentFolder(library *docs.Library, name string) {
	if q.doc = name; q.wantsPart("tree") {
		q.documentTree(library)
		return
	}
	entries := library.Entries(name)
	if len(entries) == 0 && name != "" {
		q.noDocument("folder", name)
		return
	}
	page := folderPage{frame: q.frame("Documents", "documents")}
	if name != "" {
		page.Title, page.Crumbs = uri.Display(path.Base(name)), q.documentCrumbs(library, name)
	}
	for _, e := range entries {
		page.Total += max(1, e.Count)
	}
	entries = entries[min(q.from(), len(entries)):]
	var nodes []node
	for _, e := range entries[:min(pageItems, len(entries))] {
		nodes = append(nodes, node{Text: uri.Display(e.Name), Href: q.documentHref(name + e.Name + "/"), Folder: e.Folder, Count: e.Count})
	}
	q.showFolder(page, nodes, len(entries) > pageItems, func(i int) item {
		e := entries[i]
		title, description := documentAbout(library, name+e.Name)
		return item{title, q.documentHref(name + e.Name), "", description, nodes[i].Text, e.Size}
	})
}

// resourcePath returns the path within the site for the canonical URI of a resource.
func resourcePath(kind, canonical string) string {
	scheme, rest, _ := strings.Cut(canonical, "://")
	return kind + scheme + "/" + rest
}

// uriOf is the reverse of resourcePath: it returns the URI for an escaped path after /r/ or /raw/.
func uriOf(path string) string {
	scheme, rest, _ := strings.Cut(path, "/")
	return scheme + "://" + rest
}

// folderHref returns the page of a folder of resources, whose URI is "" for all resources.
func (q *request) folderHref(folder string) string {
	switch {
	case folder == "":
		return q.base + "/r/"
	case !strings.HasSuffix(folder, "://"):
		folder += "/"
	}
	return q.base + resourcePath("/r/", folder)
}

// folderOf returns the URI of a folder without a slash at its end, except for a scheme: x://.
func folderOf(uri string) string {
	if strings.HasSuffix(uri, "://") {
		return uri
	}
	return strings.TrimSuffix(uri, "/")
}

// A nav is the table of contents of a site. Only the folders on the way to the page are open.
type nav struct {
	HasDocuments, HasResources bool
	Documents, Resources       level
	Prompts, Tools             []node
}

// maxLevel is how many entries a level of the table has. The page of the folder has all.
const maxLevel = 100

// A level is a folder of the table.
type level struct {
	Nodes []node
	More  bool
	All   string // URL of the folder
}

// A node is a folder or a file of the table.
type node struct {
	Text, Href string
	Folder     bool
	Count      int // of documents, nested ones included; 0: unknown
	Here       bool
	Inside     *level
}

// childrenOf returns some of the folders and resources that are directly in a folder, the folders first, and whether there are more.
// from is how many are left out. The folders of "" are the schemes.
func childrenOf(all view.View, folder string, from, limit int) (children []view.Child, more bool) {
	if folder == "" {
		return schemesOf(all), false
	}
	f, _ := all.Folder(folder)
	for _, start := range []view.Child{{Folder: true, Name: "\x00"}, {}} {
		for c := range all.Children(f, start) {
			if c.Folder != start.Folder {
				break
			}
			if from--; from >= 0 {
				continue
			}
			if len(children) == limit {
				return children, true
			}
			children = append(children, c)
		}
	}
	return children, false
}

func schemesOf(all view.View) []view.Child {
	var schemes []string
	for _, f := range all.Files.Root().Folders() {
		schemes = append(schemes, f.URI())
	}
	for r := range all.Others("") {
		scheme, _, _ := strings.Cut(r.URI, "://")
		if scheme += "://"; !slices.Contains(schemes, scheme) {
			schemes = append(schemes, scheme)
		}
	}
	slices.Sort(schemes)
	var folders []view.Child
	for _, scheme := range schemes {
		folders = append(folders, view.Child{Folder: true, Name: scheme, URI: scheme})
	}
	return folders
}

// childNodes returns the nodes of folders and resources.
func (q *request) childNodes(children []view.Child) (nodes []node) {
	for _, c := range children {
		href := q.base + resourcePath("/r/", c.URI)
		if c.Folder {
			href = q.folderHref(c.URI)
		}
		nodes = append(nodes, node{Text: uri.Display(c.Name), Href: href, Folder: c.Folder})
	}
	return nodes
}

// resourceLevel returns the table of contents of a folder of resources. here is the current page.
func (q *request) resourceLevel(all view.View, folder, here string) level {
	children, more := childrenOf(all, folder, 0, maxLevel)
	l := level{q.childNodes(children), more, q.folderHref(folder)}
	if rest, ok := strings.CutPrefix(here, l.All); ok && rest != "" {
		name, _, below := strings.Cut(rest, "/")
		way := node{Text: uri.Display(uri.Decode(name)), Href: l.All + name, Folder: below, Here: l.All+name == here}
		if below {
			way.Href += "/"
			way.Here = way.Href == here
			inside := q.resourceLevel(all, folderOf(uriOf(strings.TrimPrefix(way.Href, q.base+"/r/"))), here)
			way.Inside = &inside
		}
		if i := slices.IndexFunc(l.Nodes, func(n node) bool { return n.Href == way.Href }); i >= 0 {
			way.Text = l.Nodes[i].Text
			l.Nodes[i] = way
		} else {
			l.Nodes = append(l.Nodes, way)
		}
	}
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

// documentLevel returns entries of the table of contents of documents. folder is where all of them are listed.
func (q *request) documentLevel(nodes []*docs.Node, folder string) level {
	l := level{All: q.documentHref(folder)}
	for _, d := range nodes {
		n := node{Text: uri.Display(d.Title), Href: q.documentHref(d.Path), Folder: d.Section, Here: d.Path == q.doc && (!d.Section || d.Own)}
		if d.Open {
			inside := q.documentLevel(d.Inside, strings.TrimPrefix(path.Dir(d.Path)+"/", "./"))
			n.Inside = &inside
		}
		if len(l.Nodes) >= maxLevel && !n.Here && n.Inside == nil {
			l.More = true
			continue
		}
		l.Nodes = append(l.Nodes, n)
	}
	return l
}

// documentTree sends the level of the table of contents that the script opens: the one below as many open sections as
// the query says.
func (q *request) documentTree(library *docs.Library) {
	nodes := library.Outline(q.doc).Nodes
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
