package page

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/author/explain"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/contents"
	"github.com/mcp-docs-server/mcp-docs-server/internal/mcp/server"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// resource shows the resource or folder at an escaped path after /r/.
func (q *request) resource(path string) {
	requested := uriOf(path)
	catalog := q.site.Server.Current().Catalog
	if catalog == nil { // not read yet
		err := q.visit("page/lookup", requested, func(ctx context.Context, v server.View) (err error) {
			catalog, err = v.Catalog(ctx)
			return err
		})
		if err != nil {
			q.failed(err)
			return
		}
	}
	if path == "" {
		q.folder(catalog, catalog.Root(), "")
		return
	}
	if r, ok := catalog.Lookup(requested); ok && !strings.HasSuffix(path, "/") {
		if !q.redirected(path, r.URI()) {
			q.uri = r.URI()
			q.file(catalog, r)
		}
		return
	}
	if f, ok := catalog.LookupFolder(requested); ok {
		if !q.redirected(path, f.URI()) {
			q.folder(catalog, f, f.URI())
		}
		return
	}
	if v, ok := q.everything(); ok && !strings.HasSuffix(path, "/") {
		if found, ok := v.Lookup(requested); ok && found.Other != nil {
			if !q.redirected(path, found.Other.URI) {
				q.other(found.Other)
			}
			return
		}
	}
	if prefix := strings.TrimSuffix(requested, "/") + "/"; strings.HasSuffix(requested, "://") || len(q.othersBelow(prefix)) > 0 {
		if strings.HasSuffix(requested, "://") {
			prefix = requested
		}
		if b := q.branchAt(prefix); len(b.folders)+len(b.files) > 0 {
			if !q.redirected(path, prefix) {
				q.otherFolder(prefix, b)
			}
			return
		}
	}
	q.missing("There is no resource "+shown(requested)+".", q.closeTo(catalog, requested)...)
}

// redirected redirects to the page of a canonical URI if its path is not the requested one.
func (q *request) redirected(path, canonical string) bool {
	target := resourcePath("/r/", canonical)
	if target == "/r/"+path {
		return false
	}
	http.Redirect(q.w, q.r, q.base+target, http.StatusSeeOther)
	return true
}

// shown returns a URI for viewers, cut if it is long.
func shown(s string) string { return uri.Display(contentsCut(s)) }

func contentsCut(s string) string {
	if len(s) > 300 {
		return s[:300] + "…"
	}
	return s
}

// closeTo returns links to resources that the viewer may have meant.
func (q *request) closeTo(catalog *loader.Catalog, requested string) []link {
	var close []link
	for _, u := range contents.NotFound(view.Of(catalog), requested).Close {
		close = append(close, link{u, q.base + resourcePath("/r/", u)})
	}
	if v, ok := q.everything(); ok && len(close) == 0 {
		for _, u := range v.Close(requested, 3) {
			close = append(close, link{u, q.base + resourcePath("/r/", u)})
		}
	}
	return close
}

// crumbs returns links to the folders above a URI.
func (q *request) crumbs(canonical string) []link {
	crumbs := []link{{"Resources", q.base + "/r/"}}
	scheme, rest, _ := strings.Cut(canonical, "://")
	if rest == "" {
		return crumbs
	}
	href := q.base + "/r/" + scheme + "/"
	crumbs = append(crumbs, link{scheme + "://", href})
	for {
		name, after, _ := strings.Cut(rest, "/")
		if after == "" {
			return crumbs
		}
		href += name + "/"
		crumbs = append(crumbs, link{uri.Display(unescape(name)), href})
		rest = after
	}
}

// A filePage shows a resource or a document.
type filePage struct {
	frame
	Name, URI, MIME string
	About           loader.About
	Size            int64
	Time            time.Time
	Raw             string // URL of the raw file
	Body            body
	Made            bool            // the resource is not a file: the server makes or fetches it
	Answer          *explain.Answer // why the file is served this way; nil: unknown
}

// file shows a resource that is a file.
func (q *request) file(catalog *loader.Catalog, r loader.Resource) {
	page := filePage{Name: r.DisplayName(), URI: r.URI(), Size: r.Size(), Time: r.ModTime(), Raw: q.base + resourcePath("/raw/", r.URI())}
	err := q.visit("resources/read", r.URI(), func(ctx context.Context, v server.View) error {
		about, err := server.OnDisk(ctx, v, "a resource", func(context.Context) (loader.About, error) {
			about := catalog.About(r)
			page.MIME = catalog.MIME(r)
			return about, nil
		}, func(loader.About) {})
		if err != nil {
			return err
		}
		page.About = about
		if page.Answer, err = q.answer(ctx, v, r.URI()); err != nil {
			return err
		}
		kind := mediaKind(page.MIME)
		if r.Size() > maxHeld || kind == "video" || kind == "audio" {
			page.Body = body{Kind: kind}
			if page.Answer.Resource != nil {
				page.Answer.Resource.FormRule = unread
			}
			if kind == "" {
				page.Body = body{Kind: "none", Note: "The file is too large to be shown here."}
			}
			return nil
		}
		read, err := v.Read(ctx, catalog, r)
		if err != nil {
			return err
		}
		defer read.Release()
		c := &read.Files[0]
		page.Size, page.MIME = c.Size(), c.MIME
		if page.Answer.Resource != nil {
			page.Answer.Resource.Classify(catalog, r, c.Bytes())
		}
		page.Body = q.bodyOf(ctx, c, r.Name(), q.resourceLinks(catalog, r.URI()))
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		q.missing("The file is gone.")
		return
	}
	q.showFile(page, "resources", q.crumbs(r.URI()), err)
}

// showFile shows a file, or the error of reading it.
func (q *request) showFile(page filePage, section string, crumbs []link, err error) {
	page.frame, page.Crumbs = q.frame(page.Name, section), crumbs
	if err != nil {
		page.Body = body{Kind: "none", Note: explainError(err)}
	}
	q.show("file", page)
}
