package page

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/internal/mcp/server"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

const (
	maxListed = 1000     // how many documents, and how many resources, /llms.txt names
	maxFull   = 16 << 20 // bytes of /llms-full.txt
)

// documentAbout returns the title and description in a document. The title is never empty.
func documentAbout(library *docs.Library, path string) (title, description string) {
	title, description = library.About(path)
	return cmp.Or(title, uri.Display(path)), description
}

// markdownLine escapes a text for one line of Markdown.
func markdownLine(s string) string {
	return strings.NewReplacer("\n", " ", "\r", " ", "[", `\[`, "]", `\]`).Replace(s)
}

// publicBase returns the URL of the site without a slash at the end.
func (q *request) publicBase() string { return strings.TrimSuffix(q.endpoint(), "/mcp") }

// llms lists documents and resources in the form of https://llmstxt.org.
func (q *request) llms() {
	all, err := q.everything()
	if err != nil {
		q.failed(err)
		return
	}
	out, err := onDisk(q, "page/llms.txt", "", func(ctx context.Context, library *docs.Library) ([]byte, error) { return q.index(ctx, all, library) })
	if err != nil {
		q.failed(err)
		return
	}
	send(q.w, q.r, http.StatusOK, "text/plain; charset=utf-8", out)
}

func (q *request) index(ctx context.Context, all view.View, library *docs.Library) ([]byte, error) {
	var b bytes.Buffer
	base := q.publicBase()
	fmt.Fprintf(&b, "# %s\n\n> Documents and resources of %s. An MCP server for them is at %s\n", markdownLine(q.site.Title), markdownLine(q.site.Title), q.endpoint())
	entry := func(title, href, description string) {
		fmt.Fprintf(&b, "- [%s](%s)", markdownLine(title), href)
		if description != "" {
			b.WriteString(": " + markdownLine(description))
		}
		b.WriteByte('\n')
	}
	n := 0
	section := ""
	for _, d := range library.Documents() {
		path := d.Path
		if n++; n > maxListed {
			continue
		}
		group := "" // the outermost in the navigation
		if p := library.Page(path); p != nil && len(p.Groups) > 0 {
			group = p.Groups[0]
		}
		if n == 1 || group != section {
			section = group
			fmt.Fprintf(&b, "\n## %s\n\n", markdownLine(cmp.Or(group, "Documents")))
		}
		title, description := documentAbout(library, path)
		href := base + "/docs/" + escapePath(path)
		if !strings.HasSuffix(path, ".md") {
			href += ".md"
		}
		entry(title, href, description)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	if n > maxListed {
		fmt.Fprintf(&b, "\n%d more documents are left out.\n", n-maxListed)
	}
	n = 0
	for it := range all.After("") {
		if it.Other == nil && strings.HasPrefix(it.File.LogicalPath(), library.Dir()+"/") || it.Other != nil && it.Other.Document != "" {
			continue // listed as a document
		}
		if n++; n == 1 {
			b.WriteString("\n## Resources\n\n")
		}
		if n > maxListed {
			fmt.Fprintf(&b, "\nMore resources are left out. %s/r/ lists all.\n", base)
			break
		}
		about := describe(all, it)
		entry(cmp.Or(about.Title, it.URI()), base+resourcePath("/raw/", it.URI()), about.Description)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return b.Bytes(), nil
}

// llmsFull sends the texts of the documents one after the other.
func (q *request) llmsFull() {
	w := &patient{q.w, http.NewResponseController(q.w)}
	began := false
	err := q.visit("page/llms-full.txt", "", func(ctx context.Context, v server.View) error {
		library, err := v.Library(ctx)
		if err != nil {
			return err
		}
		q.w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		began = true
		if _, err := fmt.Fprintf(w, "# %s\n", markdownLine(q.site.Title)); err != nil {
			return err
		}
		room := int64(maxFull)
		omitted := 0
		for _, d := range library.Documents() {
			if site.IsPDF(d.Path) { // its text is made elsewhere, and may take a minute
				continue
			}
			text := ""
			if d.Size <= room {
				text, err = server.OnDisk(ctx, v, d.Path, func(ctx context.Context) (string, error) {
					text, _, err := library.Text(ctx, d.Path)
					return text, err
				}, func(string) {})
			}
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil || d.Size > room || int64(len(text)) > room:
				omitted++
				err = nil
				continue
			}
			room -= int64(len(text))
			if _, err := fmt.Fprintf(w, "\n\n<!-- %s/docs/%s -->\n\n%s", q.publicBase(), escapePath(d.Path), text); err != nil {
				return err
			}
		}
		if omitted > 0 {
			_, err = fmt.Fprintf(w, "\n\n<!-- %d documents are left out: this file has at most %d MiB. %s/llms.txt names them. -->\n", omitted, maxFull>>20, q.publicBase())
		}
		return err
	})
	switch {
	case err != nil && began:
		panic(http.ErrAbortHandler) // a broken connection shows the client that the file is incomplete
	case err != nil:
		q.failed(err)
	}
}
