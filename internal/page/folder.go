package page

import (
	"context"
	"path"
	"strconv"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

// A folderPage lists a folder, of resources or documents.
type folderPage struct {
	frame
	URI     string // of a folder of resources; "" for documents
	Folders []node
	Files   []item
	Total   int    // files in the folder and its folders; 0: unknown
	Next    string // the next page, or ""
}

// An item is a file in a list.
type item struct {
	Name, Href, Title, Description, MIME string
	Size                                 int64 // negative: unknown
}

// pageItems is how many folders and files one page of a folder lists.
const pageItems = 100

// showFolder shows a page of a list with n files. itemAt may read files.
func (q *request) showFolder(page folderPage, n int, itemAt func(i int) item) {
	var err error
	page.Files, err = onDisk(q, "page/folder", page.URI, func(ctx context.Context, _ *docs.Library) (items []item, err error) {
		for i := 0; i < n && ctx.Err() == nil; i++ {
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
	from := q.from()
	children, more := childrenOf(all, folder, from, pageItems)
	if more {
		page.Next = nextFrom(from)
	}
	for _, c := range children {
		if c.Folder {
			page.Folders = append(page.Folders, q.childNode(c))
		}
	}
	files := children[len(page.Folders):]
	q.showFolder(page, len(files), func(i int) item {
		about := describe(all, files[i].Item)
		return item{uri.Display(files[i].Name), q.base + resourcePath("/r/", files[i].URI), about.Title, about.Description, about.mime, about.size}
	})
}

// from returns how many entries of a folder come before the requested page.
func (q *request) from() int {
	from, _ := strconv.Atoi(q.r.URL.Query().Get("from"))
	return max(from, 0)
}

func nextFrom(from int) string { return "?from=" + strconv.Itoa(from+pageItems) }

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
	from := q.from()
	entries = entries[min(from, len(entries)):]
	if len(entries) > pageItems {
		page.Next = nextFrom(from)
		entries = entries[:pageItems]
	}
	for _, e := range entries {
		if e.Folder {
			page.Folders = append(page.Folders, node{Text: uri.Display(e.Name), Href: q.documentHref(name + e.Name + "/"), Folder: true, Count: e.Count})
		}
	}
	files := entries[len(page.Folders):]
	q.showFolder(page, len(files), func(i int) item {
		e := files[i]
		title, description := documentAbout(library, name+e.Name)
		return item{title, q.documentHref(name + e.Name), "", description, uri.Display(e.Name), e.Size}
	})
}
