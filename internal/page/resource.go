package page

import (
	"context"
	"errors"
	"html/template"
	"io/fs"
	"net/http"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/contents"
	"github.com/mcp-docs-server/mcp-docs-server/internal/explain"
	"github.com/mcp-docs-server/mcp-docs-server/internal/server"
	"github.com/mcp-docs-server/mcp-docs-server/internal/uri"
	"github.com/mcp-docs-server/mcp-docs-server/internal/view"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

const (
	// maxShown is how many bytes of a text are shown. The rest is behind the link to the file.
	maxShown = 512 << 10
	// pageItems is how many files a page of a folder lists.
	pageItems = 200
)

// A folderPage lists a folder, of resources or documents.
type folderPage struct {
	frame
	URI     string // of a folder of resources
	Folders []node
	Files   []item
	Total   int
	Next    string // the next page, or ""

	bytes int    // of the folders, about
	last  string // of them
}

// An item is a file in a list.
type item struct {
	Name, Href, Title, Description, MIME string
	Size                                 int64 // negative: unknown
	Time                                 time.Time
}

// resource shows a file or folder of an escaped path behind /r/.
func (q *request) resource(path string) {
	catalogNow := q.site.Server.Current().Catalog
	if path == "" && catalogNow != nil {
		q.folder(catalogNow, catalogNow.Root(), "")
		return
	}
	requested := uriOf(path)
	catalog := catalogNow
	if catalog == nil { // it is being read
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
		if canonical := resourcePath("/r/", r.URI()); canonical != "/r/"+path {
			http.Redirect(q.w, q.r, q.base+canonical, http.StatusSeeOther)
			return
		}
		q.uri = r.URI()
		q.file(catalog, r)
		return
	}
	if f, ok := catalog.LookupFolder(requested); ok {
		if canonical := resourcePath("/r/", f.URI()); canonical != "/r/"+path {
			http.Redirect(q.w, q.r, q.base+canonical, http.StatusSeeOther)
			return
		}
		q.folder(catalog, f, f.URI())
		return
	}
	if v, ok := q.everything(); ok && !strings.HasSuffix(path, "/") {
		if found, ok := v.Lookup(requested); ok && found.Other != nil {
			if canonical := resourcePath("/r/", found.Other.URI); canonical != "/r/"+path {
				http.Redirect(q.w, q.r, q.base+canonical, http.StatusSeeOther)
				return
			}
			q.other(found.Other)
			return
		}
	}
	if prefix := strings.TrimSuffix(requested, "/") + "/"; strings.HasSuffix(requested, "://") || len(q.othersBelow(prefix)) > 0 {
		if strings.HasSuffix(requested, "://") {
			prefix = requested
		}
		if b := q.branchAt(prefix); len(b.folders)+len(b.files) > 0 {
			if canonical := resourcePath("/r/", prefix); canonical != "/r/"+path {
				http.Redirect(q.w, q.r, q.base+canonical, http.StatusSeeOther)
				return
			}
			q.otherFolder(prefix, b)
			return
		}
	}
	q.missing("There is no resource "+shown(requested)+".", q.closeTo(catalog, requested)...)
}

// shown is a URI that people read.
func shown(s string) string { return uri.Display(contentsCut(s)) }

func contentsCut(s string) string {
	if len(s) > 300 {
		return s[:300] + "…"
	}
	return s
}

// closeTo are resources that a URI may have meant.
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

// crumbs are the folders on the way to a URI.
func (q *request) crumbs(canonical string) []link {
	crumbs := []link{{"Resources", q.base + "/r/"}}
	scheme, rest, _ := strings.Cut(canonical, "://")
	at := q.base + "/r/" + scheme + "/"
	crumbs = append(crumbs, link{scheme + "://", at})
	for rest != "" {
		name, after, folder := strings.Cut(rest, "/")
		if !folder {
			break
		}
		at += name + "/"
		crumbs = append(crumbs, link{uri.Display(unescape(name)), at})
		rest = after
	}
	return crumbs
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
		page.Crumbs = q.crumbs(strings.TrimSuffix(canonical, "/"))
		if strings.HasSuffix(canonical, "://") {
			page.Crumbs = page.Crumbs[:1]
		}
	}
	after, behind := q.r.URL.Query().Get("after"), q.r.URL.Query().Get("behind")
	for _, sub := range f.Folders() {
		if after != "" || sub.Name() <= behind {
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
		if r.Name() <= after {
			continue
		}
		if len(chosen) == pageItems {
			page.Next = "?" + encodeQuery("after", chosen[len(chosen)-1].Name())
			break
		}
		chosen = append(chosen, r)
	}
	err := q.visit("page/folder", canonical, func(ctx context.Context, v server.View) (err error) {
		page.Files, err = server.OnDisk(ctx, v, "a list of resources", func(ctx context.Context) ([]item, error) {
			var items []item
			for _, r := range chosen {
				about := catalog.About(r)
				items = append(items, item{
					r.DisplayName(), q.base + resourcePath("/r/", r.URI()), about.Title, about.Description, catalog.MIME(r), r.Size(), r.ModTime(),
				})
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
		return
	}
	if n := page.fitting(page.Files); n < len(page.Files) {
		page.Files, page.Next = page.Files[:n], "?"+encodeQuery("after", chosen[n-1].Name())
	}
	q.branchAt(canonical).addTo(q, &page, after == "" && behind == "")
	q.show("folder", page)
}

// maxItems is how many bytes the folders and files of a page have, about.
const maxItems = 32 << 10

// add adds a folder, if there is room. Otherwise the next page begins behind the last one.
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

// fitting is how many items a page has room for beside its folders; at least one.
func (p *folderPage) fitting(items []item) int {
	bytes := p.bytes
	for i, it := range items {
		if bytes += len(it.Name) + len(it.Href) + len(it.Title) + len(it.Description) + len(it.MIME) + 130; bytes > maxItems && i > 0 {
			return i
		}
	}
	return len(items)
}

// A filePage shows a resource or a document.
type filePage struct {
	frame
	Name, URI, MIME string
	About           loader.About
	Size            int64
	Time            time.Time
	Raw             string // the file as it is
	Body            body
	Markdown        bool            // Raw is Markdown beside the page
	Made            bool            // it is not a file: the server makes or fetches it
	Answer          *explain.Answer // why it is served so; nil: it is not known
}

// A body is what is shown of a file.
type body struct {
	HTML     template.HTML // of Markdown, code or JSON
	Kind     string        // markdown, code, json, text, image, audio, video, pdf, none
	Text     string        // as it is
	Contents []heading
	Cut      bool   // only the beginning is shown
	Note     string // why a file is not shown as people would expect
}

// file shows a resource.
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
	page.frame = q.frame(page.Name, "resources")
	page.Crumbs = q.crumbs(r.URI())
	if err != nil {
		page.Body = body{Kind: "none", Note: explainError(err)}
	}
	q.show("file", page)
}

// mediaKind is how a type is shown that is not text, or "".
func mediaKind(mime string) string {
	mime, _, _ = strings.Cut(mime, ";")
	switch {
	case mime == "application/pdf":
		return "pdf"
	case mime == "image/png", mime == "image/jpeg", mime == "image/gif", mime == "image/webp", mime == "image/avif", mime == "image/svg+xml",
		mime == "image/bmp", mime == "image/x-icon", mime == "image/vnd.microsoft.icon":
		return "image"
	case strings.HasPrefix(mime, "audio/"):
		return "audio"
	case strings.HasPrefix(mime, "video/"):
		return "video"
	}
	return ""
}

// bodyOf makes of a file what is shown.
func (q *request) bodyOf(ctx context.Context, c *contents.Content, name string, links linker) body {
	kind := mediaKind(c.MIME)
	if kind != "" && (kind != "image" || !c.IsText || strings.HasPrefix(c.MIME, "image/svg")) {
		b := body{Kind: kind}
		if c.IsText { // of SVG the text can be read too
			text := shownText(c.Text())
			b.HTML, b.Text = highlight("xml", text), text
		}
		return b
	}
	if !c.IsText {
		return body{Kind: "none", Note: "The file is not text. Clients get it as a blob."}
	}
	full := c.Text()
	return textBody(ctx, full, c.MIME, name, links)
}

// shownText returns the part of a text that is shown, as a copy.
func shownText(text string) string {
	if len(text) > maxShown {
		text = text[:maxShown]
		if i := strings.LastIndexByte(text, '\n'); i > 0 {
			text = text[:i+1]
		}
	}
	return strings.ToValidUTF8(strings.Clone(text), "\ufffd")
}

// textBody shows a text by its type.
func textBody(ctx context.Context, full, mime, name string, links linker) body {
	text := shownText(full)
	b := body{Text: text, Cut: len(text) < len(full) && len(full) > maxShown}
	mime, _, _ = strings.Cut(mime, ";")
	switch {
	case !b.Cut && (mime == "text/markdown" || mime == "text/mdx"):
		html, headings, err := renderMarkdown(ctx, text, asDocument, links)
		if err == nil {
			b.Kind, b.HTML, b.Contents = "markdown", html, headings
			return b
		}
		b.Note = explainError(err)
	case !b.Cut && (mime == "application/json" || strings.HasSuffix(mime, "+json")):
		if html, ok := foldJSON(text); ok {
			b.Kind, b.HTML = "json", html
			return b
		}
	}
	b.Kind = "code"
	b.HTML = highlight(name, text)
	return b
}
