package webui

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/media"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/internal/mcp/server"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

// document shows a document or a folder of documents. rest is the escaped path after /docs/.
func (q *request) document(rest string) {
	name := uri.Decode(rest)
	library := q.site.Server.State().Library
	var err error
	if library == nil {
		err = q.visit("page/lookup", "docs/"+name, func(ctx context.Context, v server.View) (err error) {
			library, err = v.Library(ctx)
			return err
		})
	}
	q.library = library
	of := q.r.URL.Query().Get("of")
	switch {
	case err != nil:
		q.failed(err)
	case of != "":
		q.documentImage(library, of, name)
	case name == "" || strings.HasSuffix(name, "/"):
		q.documentFolder(library, name)
	case strings.HasSuffix(name, ".md") && library.Has(name):
		q.documentRaw(library, name)
	case library.Has(name + ".md"):
		q.documentPage(library, name+".md")
	case library.Has(name):
		q.documentPage(library, name)
	case strings.HasSuffix(name, ".md") && library.Has(strings.TrimSuffix(name, ".md")):
		q.documentRaw(library, strings.TrimSuffix(name, ".md"))
	case library.HasFile(name):
		q.documentRaw(library, name)
	case library.HasFolder(name + "/"):
		http.Redirect(q.w, q.r, q.documentHref(name+"/"), http.StatusSeeOther)
	default:
		found, section, ok := library.Lookup(name)
		if !ok {
			q.noDocument("document", name)
			return
		}
		href := q.documentHref(found)
		if section != "" {
			href += "#" + anchor(strings.ToLower(section))
		}
		http.Redirect(q.w, q.r, href, http.StatusSeeOther)
	}
}

// documentURI returns the URI by which clients read a document, or "" if documents are not resources.
func (q *request) documentURI(name string) string {
	id := docs.URI(q.site.Title, name)
	if all, ok := q.site.Server.Everything(q.caller.Key); ok {
		if r, ok := all.Lookup(id); ok && r.URI() == id {
			return id
		}
	}
	return ""
}

// A documentPage shows a document.
type documentPage struct {
	frame
	Path, URI     string // URI: "" if clients cannot read the document as a resource
	Heading       string // "": the text begins with the title
	Size          int64
	Page          string
	Raw           string
	PDF           bool
	View          string
	Body          body
	Text          string
	Before, After link
	Variant       string
	Others        []link
}

// documentPage shows a document as a page, or as one of its texts.
func (q *request) documentPage(library *docs.Library, name string) {
	if q.doc = name; q.wantsPart("tree") {
		q.documentTree(library)
		return
	}
	page := documentPage{Path: uri.Display(name), URI: q.documentURI(name), Page: q.documentHref(name), View: q.r.URL.Query().Get("view")}
	page.Raw, page.PDF = q.base+sourcePath(name), site.IsPDF(name)
	title := ""
	err := q.visit("page/document", docs.URI(q.site.Title, name), func(ctx context.Context, v server.View) error {
		read, err := q.readDocument(ctx, v, library, name)
		if err != nil {
			return err
		}
		title, page.Size = read.title, int64(len(read.text))
		if page.View != "" {
			page.Text = shownText(read.text)
			return nil
		}
		page.Body = q.documentBody(ctx, library, name, read)
		return nil
	})
	if page.View == "agent" && err == nil {
		page.Text, err = q.agentText(name)
	}
	if p := library.Page(name); p != nil {
		page.Variant = variant(p)
		for _, o := range library.Sites().Others(p) {
			if library.Has(o.Path) {
				page.Others = append(page.Others, link{variant(o), q.documentHref(o.Path)})
			}
		}
	}
	page.frame, page.Crumbs = q.frame(cmp.Or(title, page.Path), "documents"), q.documentCrumbs(library, name)
	if page.Body.level() != 1 {
		page.Heading = page.Title
	}
	if err != nil {
		page.View, page.Body = "", body{Kind: "none", Note: explainError(err)}
	}
	neighbor := func(path string) (l link) {
		if path != "" {
			l.Text, _ = documentAbout(library, path)
			l.Href = q.documentHref(path)
		}
		return l
	}
	page.Before, page.After = neighbor(q.outline.Before), neighbor(q.outline.After)
	q.show("document", page)
}

// variant returns the version and the language of a page.
func variant(p *site.Page) string {
	return cmp.Or(strings.Trim(p.Version()+" · "+p.Language(), " ·"), "default")
}

// A readText is the text of a document with what pages show of it.
type readText struct {
	title, text string
	inexact     bool
	images      []string
}

func (q *request) readDocument(ctx context.Context, v server.View, library *docs.Library, name string) (readText, error) {
	return server.OnDisk(ctx, v, "a document", func(ctx context.Context) (readText, error) {
		title, _ := documentAbout(library, name)
		text, exact, err := library.Text(ctx, name)
		return readText{title, text, !exact, library.Images(ctx, name)}, err
	})
}

// documentBody renders the text of a document.
func (q *request) documentBody(ctx context.Context, library *docs.Library, name string, read readText) body {
	text := read.text
	var clean func(string) string
	if p := library.Page(name); p != nil {
		if clean = site.Cleaner(p); clean == nil {
			text = site.Searchable(p, text)
		}
	}
	b := textBody(ctx, text, "text/markdown", name, q.documentLinks(library, name, read.images), clean)
	if tag := fmt.Sprintf("h%d", b.level()); tag > "h1" && b.Contents[0].Text == read.title && strings.HasPrefix(string(b.HTML), "<"+tag) {
		// The text has its title as a heading of a lower level.
		b.Contents[0].Level = 1
		b.HTML = template.HTML(strings.Replace(strings.Replace(string(b.HTML), "<"+tag, "<h1", 1), "</"+tag+">", "</h1>", 1))
	}
	b.HTML = withAnchors(b.HTML)
	if read.inexact && b.Note == "" {
		b.Note = "The file is not valid UTF-8. Invalid bytes are shown as \ufffd, and clients get them that way."
	}
	return b
}

// agentText returns the text with which the documents tool answers a request for a document.
func (q *request) agentText(name string) (string, error) {
	tool := q.site.Server.Tools()[0] // if there are documents
	answer, err := q.call("tools/call", map[string]any{"name": tool.Name, "arguments": map[string]any{"paths": []string{name}}})
	if err != nil {
		return "", err
	}
	var result struct {
		Content []protocol.Block `json:"content"`
	}
	if err := json.Unmarshal(answer, &result); err != nil || len(result.Content) == 0 {
		return "", err
	}
	return result.Content[0].Text, nil
}

// documentImage sends an image that a document of a site shows, wherever in the project it lies: one that a package of the
// project has for this document.
func (q *request) documentImage(library *docs.Library, name, file string) {
	q.rawVisit("page/document", "docs/"+name, func(ctx context.Context, v server.View) error {
		images, err := server.OnDisk(ctx, v, "a document", func(ctx context.Context) ([]string, error) { return library.Images(ctx, name), nil })
		if err != nil {
			return err
		}
		if !slices.Contains(images, file) {
			return fs.ErrNotExist
		}
		kind, _ := media.ByName(file)
		return q.sendFile(ctx, v, path.Base(file), func() (fs.File, error) { return library.OpenImage(file) }, func([]byte) string { return kind })
	})
}

// Toc returns the headings below the title.
func (b body) Toc() []heading {
	var toc []heading
	for _, h := range b.Contents {
		if h.Level > 1 {
			toc = append(toc, h)
		}
	}
	return toc
}

// level returns the level of the first heading, or 0. If it is 1, the text has its own title.
func (b body) level() int {
	if len(b.Contents) == 0 {
		return 0
	}
	return b.Contents[0].Level
}

// Parts splits the rendered text behind its title, so that a line can stand between them.
func (b body) Parts() (parts [2]template.HTML) {
	if head, rest, ok := strings.Cut(string(b.HTML), "</h1>"); ok && strings.HasPrefix(head, "<h1") {
		return [2]template.HTML{template.HTML(head + "</h1>"), template.HTML(rest)}
	}
	return [2]template.HTML{"", b.HTML}
}
