package webui

import (
	"context"
	"encoding/hex"
	"errors"
	"io/fs"
	"net/http"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/contents"
	"github.com/mcp-docs-server/mcp-docs-server/internal/mcp/server"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// everything returns the resources of all sources. It waits until the project has been read.
func (q *request) everything() (all view.View, err error) {
	if all, ok := q.site.Server.Everything(q.caller.Key); ok {
		return all, nil
	}
	err = q.visit("page/lookup", "", func(ctx context.Context, v server.View) (err error) {
		all, err = v.Everything(ctx)
		return err
	})
	return all, err
}

// resource shows the resource or folder at an escaped path after /r/.
func (q *request) resource(path string) {
	requested := uriOf(path)
	all, err := q.everything()
	if err != nil {
		q.failed(err)
		return
	}
	if path == "" {
		q.folder(all, "")
		return
	}
	if found, ok := all.Lookup(requested); ok && !strings.HasSuffix(path, "/") {
		if !q.redirected(q.base + resourcePath("/r/", found.URI())) {
			q.file(all, found)
		}
		return
	}
	if f, ok := all.Folder(requested); ok {
		if !q.redirected(q.folderHref(f.URI)) {
			q.folder(all, f.URI)
		}
		return
	}
	var near []link
	for _, u := range contents.NotFound(all, requested).Close {
		near = append(near, link{u, q.base + resourcePath("/r/", u)})
	}
	q.missing("There is no resource "+shown(requested)+".", near...)
}

// redirected redirects to a page if it is not the requested one.
func (q *request) redirected(href string) bool {
	if href == q.base+"/"+q.rest {
		return false
	}
	http.Redirect(q.w, q.r, href, http.StatusSeeOther)
	return true
}

// shown returns a URI or path for viewers, cut if it is long.
func shown(s string) string {
	if len(s) > 300 {
		s = s[:300] + "…"
	}
	return uri.Display(s)
}

// nameOf returns the last part of a URI, decoded for viewers.
func nameOf(canonical string) string {
	return uri.Display(uri.Decode(canonical[strings.LastIndexByte(strings.TrimSuffix(canonical, "://"), '/')+1:]))
}

// A described resource is what lists show of it.
type described struct {
	loader.Metadata
	mime     string
	size     int64
	modified time.Time
}

// describe describes a file or another resource. It may read the beginning of a file.
func describe(all view.View, it view.Item) described {
	if r := it.Other; r != nil {
		return described{loader.Metadata{Title: r.Title, Description: r.Description}, r.MIMEType, r.Size, r.Modified}
	}
	return described{all.Files.Metadata(it.File), all.Files.MIME(it.File), it.File.Size(), it.File.ModTime()}
}

// A filePage shows a resource.
type filePage struct {
	frame
	Name, URI, MIME string
	About           loader.Metadata
	Size            int64
	Time            time.Time
	Raw             string
	Body            body
	Sum             string // SHA-256 of a file that cannot be shown; "": too large
	Made            bool   // made or fetched, not a file
}

// maxHeld is the maximum size in bytes of a file whose text is shown on a page.
const maxHeld = 10 << 20

// maxSummed is the maximum size in bytes of a file that is only read for its digest.
const maxSummed = 64 << 20

// file shows a resource.
func (q *request) file(all view.View, it view.Item) {
	page := filePage{Name: nameOf(it.URI()), URI: it.URI(), Raw: q.base + resourcePath("/raw/", it.URI()), Made: it.Other != nil}
	err := q.visit("resources/read", it.URI(), func(ctx context.Context, v server.View) error {
		of, err := server.OnDisk(ctx, v, "a resource", func(context.Context) (described, error) { return describe(all, it), nil })
		if err != nil {
			return err
		}
		page.About, page.MIME, page.Size, page.Time = of.Metadata, of.mime, max(of.size, 0), of.modified
		switch kind := mediaKind(of.mime); {
		case kind == "video" || kind == "audio" || of.size > maxHeld && kind != "":
			page.Body = body{Kind: kind}
			return nil
		case of.size > maxHeld:
			page.Body = body{Kind: "none", Note: "The file is too large to be shown here."}
		default:
			read, err := v.Read(ctx, all, it)
			if err != nil {
				return err
			}
			defer read.Release()
			c := &read.Files[0]
			page.Size, page.MIME = c.Size(), c.MIME
			page.Body = q.bodyOf(ctx, c, page.Name, q.resourceLinks(all, it.URI()))
		}
		if page.Body.Kind == "none" && it.Other == nil && of.size <= maxSummed {
			page.Sum, err = server.OnDisk(ctx, v, "a resource", func(ctx context.Context) (string, error) {
				d, _, err := all.Files.Digest(ctx, it.File, maxSummed)
				return hex.EncodeToString(d.SHA256[:]), err
			})
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		q.missing("The resource is gone.")
		return
	}
	page.frame = q.frame(page.Name, "resources")
	page.Crumbs = q.resourceCrumbs(it.URI())
	if err != nil {
		page.Body = body{Kind: "none", Note: explainError(err)}
	}
	q.show("file", page)
}
