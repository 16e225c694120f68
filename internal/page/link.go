package page

import (
	"net/url"
	"path"
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

// A linkTransformer sets the targets of links and collects headings.
type linkTransformer struct {
	links    linker
	headings []heading
}

func (t *linkTransformer) Transform(doc *ast.Document, reader text.Reader, _ parser.Context) {
	var images []*ast.Image
	var dead []ast.Node
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			id, ok := n.AttributeString("id")
			if own, _ := id.([]byte); ok && anchor(strings.ToLower(string(own))) != string(own) { // an explicit id
				id = []byte(anchor(strings.ToLower(string(own))))
				n.SetAttributeString("id", id)
			}
			if ok && len(t.headings) < maxHeadings && n.Level <= 3 {
				if id, ok := id.([]byte); ok {
					t.headings = append(t.headings, heading{n.Level, string(id), plain(n, reader.Source())})
				}
			}
		case *ast.Link:
			if n.Destination = []byte(t.to(string(n.Destination), false)); len(n.Destination) == 0 {
				dead = append(dead, n)
			}
		case *ast.Image:
			if to := t.to(string(n.Destination), true); to != "" {
				n.Destination = []byte(to)
			} else {
				images = append(images, n)
			}
		}
		return ast.WalkContinue, nil
	})
	for _, image := range images { // an image of another site, or one that does not exist, becomes a link
		if !image.HasChildren() {
			image.AppendChild(image, ast.NewString([]byte("image")))
		}
		to := t.to(string(image.Destination), false)
		if to == "" || within(image) {
			dead = append(dead, image)
			continue
		}
		l := ast.NewLink()
		l.Destination = []byte(to)
		moveChildren(image, func(c ast.Node) { l.AppendChild(l, c) })
		image.Parent().ReplaceChild(image.Parent(), image, l)
	}
	for _, n := range dead { // a link without a target becomes its text
		parent := n.Parent()
		moveChildren(n, func(c ast.Node) { parent.InsertBefore(parent, n, c) })
		parent.RemoveChild(parent, n)
	}
}

// within reports whether a node is part of a link.
func within(n ast.Node) bool {
	for n = n.Parent(); n != nil; n = n.Parent() {
		if n.Kind() == ast.KindLink {
			return true
		}
	}
	return false
}

func moveChildren(from ast.Node, to func(ast.Node)) {
	for c := from.FirstChild(); c != nil; {
		next := c.NextSibling()
		to(c)
		c = next
	}
}

// to returns the target for a destination in the text.
func (t *linkTransformer) to(destination string, image bool) string {
	if rest, ok := strings.CutPrefix(destination, "#"); ok && !image {
		if rest == "" {
			return "#"
		}
		return "#" + anchor(strings.ToLower(rest))
	}
	scheme, _, ok := strings.Cut(destination, ":")
	if ok && !image {
		switch strings.ToLower(scheme) {
		case "http", "https", "mailto":
			if strings.HasPrefix(strings.ToLower(destination), "mailto:") || !isResource(t.links, destination) {
				return destination
			}
		}
	}
	if t.links == nil {
		return ""
	}
	return t.links(destination, image)
}

// isResource reports whether a URL with a scheme of the web is the URI of a resource.
func isResource(links linker, destination string) bool {
	return links != nil && links(destination, false) != ""
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

// links is resourceLinks for the current resources. Before the first ones, no link has a target.
func (q *request) links(from string) linker {
	all, ok := q.site.Server.Everything(q.caller.Key)
	if !ok {
		return nil
	}
	return q.resourceLinks(all, from)
}

// documentLinks returns the linker for the text of a document, which may link to documents and
// resources. images are the files that a document of a site may show.
func (q *request) documentLinks(library *docs.Library, from string, images []string) linker {
	resources := q.links("docs://x/")
	return func(destination string, image bool) string {
		rest, id := fragment(destination)
		if strings.Contains(rest, "://") {
			if resources == nil {
				return ""
			}
			return resources(destination, image)
		}
		if strings.Contains(rest, ":") {
			return ""
		}
		if p := library.Page(from); p != nil && image {
			if file := library.Sites().Image(p, rest); slices.Contains(images, file) {
				return q.base + "/docs/" + escapePath(file) + "?" + encodeQuery("of", from)
			}
		} else if p != nil {
			if to := library.Sites().Resolve(p, destination); to.Page != nil && library.Has(to.Page.Path) {
				return q.documentHref(to.Page.Path) + id
			}
		}
		name := path.Join(path.Dir(from), unescape(strings.TrimPrefix(rest, "/")))
		if strings.HasPrefix(rest, "/") {
			name = path.Clean(unescape(rest[1:]))
		}
		switch {
		case strings.HasPrefix(name, ".."):
			return ""
		case image && library.HasFile(name):
			return q.base + "/docs/" + escapePath(name)
		case image:
			return ""
		case library.Has(name):
			return q.documentHref(name) + id
		case library.Has(name + ".md"):
			return q.documentHref(name+".md") + id
		case library.HasFile(name):
			return q.base + "/docs/" + escapePath(name)
		case name == "." || library.HasFolder(name+"/"):
			return q.documentHref(strings.TrimPrefix(name+"/", "./"))
		}
		return ""
	}
}
