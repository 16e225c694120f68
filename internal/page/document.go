package page

import (
	"context"
	"net/http"
	"path"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/internal/mcp/server"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

// document shows a document or a folder of documents. rest is the escaped path after /docs/.
func (q *request) document(rest string) {
	name := unescape(rest)
	library := q.site.Server.Current().Library
	var err error
	if library == nil { // not read yet
		err = q.visit("page/lookup", "docs/"+name, func(ctx context.Context, v server.View) (err error) {
			library, err = v.Library(ctx)
			return err
		})
	}
	switch {
	case err != nil:
		q.failed(err)
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
		q.noDocument(name)
	}
}

func (q *request) documentCrumbs(name string) []link {
	crumbs := []link{{"Documents", q.base + "/docs/"}}
	prefix := ""
	for {
		folder, rest, ok := strings.Cut(name, "/")
		if !ok || rest == "" {
			return crumbs
		}
		prefix += folder + "/"
		crumbs = append(crumbs, link{uri.Display(folder), q.documentHref(prefix)})
		name = rest
	}
}

func (q *request) documentFolder(library *docs.Library, name string) {
	if q.wantsPart("tree") {
		q.show("level", q.documentLevel(library, name, ""))
		return
	}
	entries := entriesOf(library, name)
	if len(entries) == 0 && name != "" {
		q.missing("There is no folder " + shown(name) + " of documents.")
		return
	}
	title := "Documents"
	if name != "" {
		title = uri.Display(path.Base(name))
	}
	page := folderPage{frame: q.frame(title, "documents")}
	if name != "" {
		page.Crumbs = q.documentCrumbs(name)
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
		return item{Name: uri.Display(e.name), Href: q.documentHref(e.path), Title: title, Description: description, MIME: "text/markdown", Size: e.size}
	})
	if ok {
		q.show("folder", page)
	}
}

// documentURI returns the URI by which clients read a document, or its path if documents are not resources.
func (q *request) documentURI(name string) string {
	id := docs.URI(q.site.Title, name)
	if all, ok := q.everything(); ok {
		if r, ok := all.Lookup(id); ok && r.URI() == id {
			return id
		}
	}
	return uri.Display(name)
}

func (q *request) documentPage(library *docs.Library, name string) {
	page := filePage{Name: uri.Display(path.Base(name)), Markdown: true, MIME: "text/markdown"}
	page.URI = q.documentURI(name)
	page.Raw = q.base + "/docs/" + escapePath(name)
	if !strings.HasSuffix(name, ".md") {
		page.Raw += ".md"
	}
	if catalog := q.site.Server.Current().Catalog; catalog != nil {
		if r, ok := catalog.Lookup(page.URI); ok {
			q.uri = r.URI()
			page.Time = r.ModTime()
		}
	}
	err := q.visit("page/document", docs.URI(q.site.Title, name), func(ctx context.Context, v server.View) error {
		var err error
		if page.Answer, err = q.answer(ctx, v, library.FileOf(name)); err != nil {
			return err
		}
		inexact := false
		text, err := server.OnDisk(ctx, v, "a document", func(context.Context) (string, error) {
			about, description := documentAbout(library, name)
			page.About.Title, page.About.Description = about, description
			text, exact, err := library.Text(name)
			inexact = !exact
			return text, err
		}, func(string) {})
		if err != nil {
			return err
		}
		page.Size = int64(len(text))
		if p := library.Page(name); p != nil {
			text = site.Searchable(p, text) // a browser does not understand what only the site's program does
		}
		page.Body = textBody(ctx, text, "text/markdown", name, q.documentLinks(library, name))
		if inexact && page.Body.Note == "" {
			page.Body.Note = "The file is not valid UTF-8. Invalid bytes are shown as \ufffd, and clients get them that way."
		}
		return nil
	})
	q.showFile(page, "documents", q.documentCrumbs(name), err)
}
