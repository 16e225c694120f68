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
	Total   int    // folders and files on all pages
	Next    string // the next page, or ""
}

// An item is a file in a list.
type item struct {
	Name, Href, Title, Description, MIME string
	Size                                 int64 // negative: unknown
}

// pageItems is how many folders and files one page of a folder lists.
const pageItems = 100

// showFolder shows the page of a list that the query asks for: folders, then files. itemAt may read files.
func (q *request) showFolder(page folderPage, folders []node, files int, itemAt func(i int) item) {
	page.Total = len(folders) + files
	first, _ := strconv.Atoi(q.r.URL.Query().Get("from"))
	first = min(max(first, 0), page.Total)
	end := min(first+pageItems, page.Total)
	if end < page.Total {
		page.Next = "?from=" + strconv.Itoa(end)
	}
	page.Folders = folders[min(first, len(folders)):min(end, len(folders))]
	var err error
	page.Files, err = onDisk(q, "page/folder", page.URI, func(ctx context.Context, _ *docs.Library) (items []item, err error) {
		for i := max(first, len(folders)); i < end && ctx.Err() == nil; i++ {
			items = append(items, itemAt(i-len(folders)))
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
		page.Crumbs = q.crumbs(folder)
	}
	folders, files := childrenOf(all, folder)
	var nodes []node
	for _, c := range folders {
		nodes = append(nodes, q.folderNode(c))
	}
	q.showFolder(page, nodes, len(files), func(i int) item {
		of := describe(all, files[i].Item)
		return item{uri.Display(files[i].Name), q.base + resourcePath("/r/", files[i].URI), of.Title, of.Description, of.mime, of.size}
	})
}

// documentCrumbs returns links to the folders above a document or folder.
func (q *request) documentCrumbs(library *docs.Library, name string) []link {
	crumbs := []link{{"Documents", q.base + "/docs/"}}
	prefix := ""
	for {
		folder, rest, ok := strings.Cut(name, "/")
		if !ok || rest == "" {
			return crumbs
		}
		prefix += folder + "/"
		if library.HasFolder(prefix) {
			crumbs = append(crumbs, link{uri.Display(folder), q.documentHref(prefix)})
		}
		name = rest
	}
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
	var folders []node
	for _, e := range entries {
		if e.Folder {
			folders = append(folders, node{Text: uri.Display(e.Name), Href: q.documentHref(name + e.Name + "/"), Folder: true, Count: e.Count})
		}
	}
	files := entries[len(folders):]
	q.showFolder(page, folders, len(files), func(i int) item {
		e := files[i]
		title, description := documentAbout(library, name+e.Name)
		return item{title, q.documentHref(name + e.Name), "", description, uri.Display(e.Name), e.Size}
	})
}
