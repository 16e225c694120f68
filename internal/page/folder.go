package page

import (
	"context"
	"path"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/mcp/server"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// A folderPage lists a folder, of resources or documents.
type folderPage struct {
	frame
	URI     string // of a folder of resources; "" for documents
	Folders []node
	Files   []item
	Total   int
	Next    string // the next page, or ""

	bytes int    // approximate size of the folders
	last  string // name of the last folder
}

// An item is a file in a list.
type item struct {
	Name, Href, Title, Description, MIME string
	Size                                 int64 // negative: unknown
	Time                                 time.Time
}

// folder lists a folder of resources.
func (q *request) folder(catalog *loader.Catalog, f loader.Folder, canonical string) {
	if q.wantsPart("tree") {
		q.show("level", q.resourceLevel(f, ""))
		return
	}
	title := "Resources"
	if canonical != "" {
		title = uri.Display(f.Name())
		if strings.HasSuffix(canonical, "://") {
			title = canonical
		}
	}
	page := folderPage{frame: q.frame(title, "resources"), URI: canonical, Total: f.Total()}
	if canonical != "" {
		page.Crumbs = q.crumbs(canonical)
	}
	afterFile, afterFolder := q.r.URL.Query().Get("after"), q.r.URL.Query().Get("behind")
	for _, sub := range f.Folders() {
		if afterFile != "" || sub.Name() <= afterFolder {
			continue
		}
		n := node{Text: uri.Display(sub.Name()), Href: q.base + resourcePath("/r/", sub.URI()), Folder: true, Count: sub.Total()}
		if canonical == "" {
			n.Text += "://"
		}
		if !page.add(n, sub.Name()) {
			break
		}
	}
	var chosen []loader.Resource
	for _, r := range f.Files() {
		if page.Next != "" {
			break
		}
		if r.Name() <= afterFile {
			continue
		}
		if len(chosen) == pageItems {
			page.Next = "?" + encodeQuery("after", chosen[len(chosen)-1].Name())
			break
		}
		chosen = append(chosen, r)
	}
	ok := listFiles(q, &page, canonical, "a list of resources", chosen, loader.Resource.Name, func(r loader.Resource) item {
		about := catalog.About(r)
		return item{r.DisplayName(), q.base + resourcePath("/r/", r.URI()), about.Title, about.Description, catalog.MIME(r), r.Size(), r.ModTime()}
	})
	if !ok {
		return
	}
	q.branchAt(canonical).addTo(q, &page, afterFile == "" && afterFolder == "")
	q.show("folder", page)
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
	entries := entriesOf(library, name)
	if len(entries) == 0 && name != "" {
		q.missing("There is no folder "+shown(name)+" of documents.", q.nearDocuments(name)...)
		return
	}
	title := "Documents"
	if name != "" {
		title = uri.Display(path.Base(name))
	}
	page := folderPage{frame: q.frame(title, "documents")}
	if name != "" {
		page.Crumbs = q.documentCrumbs(library, name)
	}
	afterFile, afterFolder := q.r.URL.Query().Get("after"), q.r.URL.Query().Get("behind")
	var chosen []entry
	for _, e := range entries {
		page.Total += max(1, e.count)
		switch {
		case page.Next != "":
		case e.folder && afterFile == "" && e.name > afterFolder:
			page.add(node{Text: uri.Display(strings.TrimSuffix(e.name, "/")), Href: q.documentHref(e.path), Folder: true, Count: e.count}, e.name)
		case e.folder || e.name <= afterFile:
		case len(chosen) < pageItems:
			chosen = append(chosen, e)
		default:
			page.Next = "?" + encodeQuery("after", chosen[len(chosen)-1].name)
		}
	}
	ok := listFiles(q, &page, "docs/"+name, "a list of documents", chosen, func(e entry) string { return e.name }, func(e entry) item {
		title, description := documentAbout(library, e.path)
		return item{Name: title, Href: q.documentHref(e.path), Description: description, MIME: uri.Display(e.name), Size: e.size}
	})
	if ok {
		q.show("folder", page)
	}
}

const (
	// pageItems is how many files one page of a folder lists.
	pageItems = 200
	// maxItems is the approximate size of the folders and files of a page, in bytes.
	maxItems = 32 << 10
)

// add adds a folder if there is room. Otherwise the next page begins after the last one.
func (p *folderPage) add(n node, name string) bool {
	if p.bytes > maxItems {
		p.Next = "?" + encodeQuery("behind", p.last)
		return false
	}
	p.bytes += len(n.Text) + len(n.Href) + 330
	p.last = name
	p.Folders = append(p.Folders, n)
	return true
}

// fitting returns how many items fit on a page after its folders, at least one.
func (p *folderPage) fitting(items []item) int {
	bytes := p.bytes
	for i, it := range items {
		if bytes += len(it.Name) + len(it.Href) + len(it.Title) + len(it.Description) + len(it.MIME) + 130; bytes > maxItems && i > 0 {
			return i
		}
	}
	return len(items)
}

// listFiles adds as many files as fit to the page of a folder. If it returns false, it has answered
// the request with an error. path and what are as for visit and [server.OnDisk].
func listFiles[T any](q *request, page *folderPage, path, what string, files []T, name func(T) string, itemOf func(T) item) bool {
	err := q.visit("page/folder", path, func(ctx context.Context, v server.View) (err error) {
		page.Files, err = server.OnDisk(ctx, v, what, func(ctx context.Context) ([]item, error) {
			var items []item
			for _, f := range files {
				items = append(items, itemOf(f))
				if ctx.Err() != nil {
					return nil, ctx.Err()
				}
			}
			return items, nil
		}, func([]item) {})
		return err
	})
	if err != nil {
		q.failed(err)
		return false
	}
	if n := page.fitting(page.Files); n < len(page.Files) {
		page.Files, page.Next = page.Files[:n], "?"+encodeQuery("after", name(files[n-1]))
	}
	return true
}
