package page

import (
	"net/url"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
)

// A linker returns the target of a link or image on the page, or "" for none.
type linker func(destination string, image bool) string

// A headingTransformer collects headings. It normalizes the ids that an author gave, as [anchor] does, for the page.
type headingTransformer struct{ headings []heading }

func (t *headingTransformer) Transform(doc *ast.Document, reader text.Reader, _ parser.Context) {
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		h, ok := n.(*ast.Heading)
		if !ok || !entering {
			return ast.WalkContinue, nil
		}
		id, ok := h.AttributeString("id")
		if given, _ := id.([]byte); ok && anchor(strings.ToLower(string(given))) != string(given) { // an explicit id
			id = []byte(anchor(strings.ToLower(string(given))))
			h.SetAttributeString("id", id)
		}
		if id, ok := id.([]byte); ok && len(t.headings) < maxHeadings && h.Level <= 3 {
			t.headings = append(t.headings, heading{h.Level, string(id), plain(h, reader.Source())})
		}
		return ast.WalkSkipChildren, nil
	})
}

// to returns the target for a destination in the text.
func (links linker) to(destination string, image bool) string {
	if rest, ok := strings.CutPrefix(destination, "#"); ok && !image {
		if rest == "" {
			return "#"
		}
		return "#" + anchor(strings.ToLower(rest))
	}
	target := ""
	if links != nil {
		target = links(destination, image) // a URL of the web may be the URI of a resource
	}
	scheme, _, ok := strings.Cut(strings.ToLower(destination), ":")
	if target == "" && ok && !image && (scheme == "http" || scheme == "https" || scheme == "mailto") {
		return destination
	}
	return target
}

// fragment cuts off the part of a link that names a heading, and returns it as the id of the
// heading on the page.
func fragment(destination string) (rest, id string) {
	rest, id, ok := strings.Cut(destination, "#")
	if ok && id != "" {
		id = "#" + anchor(strings.ToLower(id))
	}
	return rest, id
}

// resourceLinks returns the linker for the text of a resource.
func (q *request) resourceLinks(all view.View, from string) linker {
	return func(destination string, image bool) string {
		rest, id := fragment(destination)
		target := rest
		if !strings.Contains(rest, "://") {
			base, err := url.Parse(from)
			if err != nil {
				return ""
			}
			to, err := url.Parse(rest)
			if err != nil || to.Scheme != "" || to.Host != "" {
				return ""
			}
			target = base.ResolveReference(to).String()
		}
		found, ok := all.Lookup(target)
		switch {
		case ok && image:
			return q.base + resourcePath("/raw/", found.URI())
		case ok:
			return q.base + resourcePath("/r/", found.URI()) + id
		case !image:
			if f, ok := all.Folder(target); ok {
				return q.folderHref(f.URI)
			}
		}
		return ""
	}
}

// documentLinks returns the linker for the text of a document, which may link to documents and
// resources. images are the files that a document of a site may show.
func (q *request) documentLinks(library *docs.Library, from string, images []string) linker {
	all, known := q.site.Server.Everything(q.caller.Key)
	return func(destination string, image bool) string {
		rest, id := fragment(destination)
		if strings.Contains(rest, "://") {
			if !known { // the resources have not been read
				return ""
			}
			return q.resourceLinks(all, "docs://x/")(destination, image)
		}
		if strings.Contains(rest, ":") {
			return ""
		}
		p := library.Page(from)
		if p == nil {
			return ""
		}
		if image {
			file := library.Sites().Image(p, rest)
			if path := library.PathOf(file); library.HasFile(path) {
				return q.base + "/docs/" + escapePath(path)
			}
			if slices.Contains(images, file) {
				return q.base + "/docs/" + escapePath(file) + "?" + encodeQuery("of", from)
			}
			return ""
		}
		to := library.Sites().Resolve(p, destination)
		switch path := library.PathOf(to.File); {
		case to.File == "":
		case library.Has(path):
			return q.documentHref(path) + id
		case library.HasFile(path):
			return q.base + "/docs/" + escapePath(path)
		case library.HasFolder(path + "/"):
			return q.documentHref(path + "/")
		}
		return ""
	}
}
