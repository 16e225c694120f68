package page

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/mcp/server"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// maxOthers is how many resources that are not files the web UI shows.
const maxOthers = 5000

// everything returns the current resources of all sources without waiting.
func (q *request) everything() (view.View, bool) { return q.site.Server.Everything(q.caller.Key) }

// othersBelow returns the listed resources that are not files and whose URI begins with a prefix,
// such as "skill://" or "skill://folder/". All match "".
func (q *request) othersBelow(prefix string) []*view.Resource {
	if q.others == nil {
		q.others = []*view.Resource{}
		if v, ok := q.everything(); ok {
			for r := range v.Others("") {
				if len(q.others) == maxOthers {
					break
				}
				q.others = append(q.others, r)
			}
		}
	}
	var below []*view.Resource
	for _, r := range q.others {
		if strings.HasPrefix(r.URI, prefix) {
			below = append(below, r)
		}
	}
	return below
}

// A branch has the resources that are not files below a prefix, and the folders that their URIs
// form.
type branch struct {
	folders []twig
	files   []*view.Resource
}

type twig struct {
	name   string // percent-encoded
	prefix string // of the URIs in it, with a slash at the end
	count  int
}

// branchAt returns the branch directly below a prefix. For "", its folders are the schemes.
func (q *request) branchAt(prefix string) branch {
	var b branch
	for _, r := range q.othersBelow(prefix) {
		rest := r.URI[len(prefix):]
		mark := "/"
		if prefix == "" {
			mark = "://"
		}
		name, _, below := strings.Cut(rest, mark)
		if !below {
			b.files = append(b.files, r)
			continue
		}
		if n := len(b.folders); n == 0 || b.folders[n-1].name != name {
			b.folders = append(b.folders, twig{name: name, prefix: prefix + name + mark})
		}
		b.folders[len(b.folders)-1].count++
	}
	return b
}

// text returns the name of a folder for viewers.
func (t twig) text() string {
	if strings.HasSuffix(t.prefix, "://") {
		return t.name + "://"
	}
	return uri.Display(unescape(t.name))
}

// nameOf returns the last part of a URI, decoded for viewers.
func nameOf(canonical string) string {
	return uri.Display(unescape(canonical[strings.LastIndexByte(canonical, '/')+1:]))
}

// addOthers adds the resources below prefix that are not files to a level of the table of contents.
// pagePath is the path of the page within the site.
func (q *request) addOthers(l *level, prefix, pagePath string) {
	b := q.branchAt(prefix)
	for _, t := range b.folders {
		path := resourcePath("/r/", t.prefix)
		if i := indexOf(l.Nodes, q.base+path); i >= 0 {
			l.Nodes[i].Count += t.count
			continue
		}
		l.Total++
		open := strings.HasPrefix(pagePath, path)
		if q.full(l) && !open {
			continue
		}
		n := node{Text: t.text(), Href: q.base + path, Folder: true, Count: t.count, Here: pagePath == path}
		if open {
			inside := level{All: q.base + path}
			q.addOthers(&inside, t.prefix, pagePath)
			n.Inside = &inside
		}
		q.put(l, n)
	}
	for _, r := range b.files {
		l.Total++
		path := resourcePath("/r/", r.URI)
		if here := pagePath == path; !q.full(l) || here {
			q.put(l, node{Text: nameOf(r.URI), Href: q.base + path, Here: here})
		}
	}
}

func indexOf(nodes []node, href string) int {
	for i, n := range nodes {
		if n.Folder && n.Href == href {
			return i
		}
	}
	return -1
}

// otherItem returns the entry of a resource in a list.
func (q *request) otherItem(r *view.Resource) item {
	return item{
		Name: nameOf(r.URI), Href: q.base + resourcePath("/r/", r.URI), Title: r.Title, Description: r.Description, MIME: r.MIMEType,
		Size: r.Size, Time: r.Modified,
	}
}

// addTo adds a branch to the page of a folder that contains files too: some folders to the first
// page, some resources to the last.
func (b branch) addTo(q *request, page *folderPage, first bool) {
	for i, t := range b.folders {
		page.Total += t.count
		href := q.base + resourcePath("/r/", t.prefix)
		if known := indexOf(page.Folders, href); known >= 0 {
			page.Folders[known].Count += t.count
		} else if first && i < maxLevel {
			page.Folders = append(page.Folders, node{Text: t.text(), Href: href, Folder: true, Count: t.count})
		}
	}
	page.Total += len(b.files)
	for i, r := range b.files {
		if page.Next == "" && i < maxLevel {
			page.Files = append(page.Files, q.otherItem(r))
		}
	}
}

// following returns the part of a list after an entry, or the whole list if the entry has gone.
func following[T any](list []T, is func(T) bool) []T { return list[slices.IndexFunc(list, is)+1:] }

// otherFolder lists a folder that contains no files, page by page.
func (q *request) otherFolder(prefix string, b branch) {
	if q.wantsPart("tree") {
		l := level{All: q.base + resourcePath("/r/", prefix)}
		q.addOthers(&l, prefix, "")
		q.show("level", l)
		return
	}
	title := prefix
	if !strings.HasSuffix(prefix, "://") {
		title = nameOf(strings.TrimSuffix(prefix, "/"))
	}
	page := folderPage{frame: q.frame(title, "resources"), URI: prefix}
	page.Crumbs = q.crumbs(prefix)
	page.Total = len(q.othersBelow(prefix))
	query := q.r.URL.Query()
	folders := following(b.folders, func(t twig) bool { return t.name == query.Get("behind") })
	files := following(b.files, func(r *view.Resource) bool { return nameOf(r.URI) == query.Get("after") })
	for _, t := range folders {
		if query.Has("after") || !page.add(node{Text: t.text(), Href: q.base + resourcePath("/r/", t.prefix), Folder: true, Count: t.count}, t.name) {
			break
		}
	}
	for _, r := range files {
		if page.Next == "" && len(page.Files) < pageItems+1 {
			page.Files = append(page.Files, q.otherItem(r))
		}
	}
	if n := min(page.fitting(page.Files), pageItems); n < len(page.Files) {
		page.Next, page.Files = "?"+encodeQuery("after", nameOf(files[n-1].URI)), page.Files[:n]
	}
	if err := q.visit("page/folder", prefix, func(context.Context, server.View) error { return nil }); err != nil {
		q.failed(err)
		return
	}
	q.show("folder", page)
}

// other shows a resource that is not a file.
func (q *request) other(r *view.Resource) {
	q.uri = r.URI
	page := filePage{Name: nameOf(r.URI), URI: r.URI, MIME: r.MIMEType, Size: max(r.Size, 0), Time: r.Modified, Raw: q.base + resourcePath("/raw/", r.URI)}
	page.About = loader.About{Title: r.Title, Description: r.Description}
	err := q.visit("resources/read", r.URI, func(ctx context.Context, v server.View) error {
		read, err := v.ReadOther(ctx, r)
		if err != nil {
			return err
		}
		defer read.Release()
		c := &read.Files[0]
		page.Size, page.MIME = c.Size(), c.MIME
		page.Body = q.bodyOf(ctx, c, nameOf(r.URI), q.links(r.URI))
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		q.missing("The resource is gone.")
		return
	}
	page.Made = true
	q.showFile(page, "resources", q.crumbs(r.URI), err)
}

// rawOther sends a resource that is not a file. It holds the whole resource in memory.
func (q *request) rawOther(ctx context.Context, v server.View, r *view.Resource) error {
	read, err := v.ReadOther(ctx, r)
	if err != nil {
		return err
	}
	defer read.Release()
	c := &read.Files[0]
	kind := c.MIME
	if c.IsText {
		kind = withCharset(kind)
	}
	q.setRaw(nameOf(r.URI), kind)
	q.w.Header().Set("ETag", tagOf(kind, c.Bytes()))
	q.serve(r.Modified, bytes.NewReader(c.Bytes()))
	return nil
}
