package page

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"html/template"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
	"golang.org/x/sync/semaphore"

	"github.com/mcp-docs-server/mcp-docs-server/internal/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/frontmatter"
	"github.com/mcp-docs-server/mcp-docs-server/internal/lazyregexp"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// A linker returns where a link or image of a text leads on the page, or "" for nowhere.
type linker func(destination string, image bool) string

// A heading is an entry of the table of contents of a text.
type heading struct {
	Level    int
	ID, Text string
}

// rendering bounds how many texts are rendered at a time: it takes a processor and some memory.
var rendering = semaphore.NewWeighted(2)

const (
	// maxMarkdown is how many bytes of Markdown are rendered.
	maxMarkdown = 512 << 10
)

var errMarkdown = errors.New("the text has too many marks in a row to be rendered, and is shown as it is")

// marksAtStart finds a line that begins with very many marks.
var marksAtStart = lazyregexp.New(`(?m)^[ \t>*+\-0-9.)]{200,}`)

// tooCostly reports whether a text would take too long.
func tooCostly(source string) bool {
	return len(source) > maxMarkdown || marksAtStart().MatchString(source) || hasRun(source)
}

// hasRun reports whether a character that opens something stands very often in one paragraph.
func hasRun(source string) bool {
	const most = 2000
	for paragraph := range strings.SplitSeq(source, "\n\n") {
		if len(paragraph) < most {
			continue
		}
		for _, mark := range []string{"[", "*", "_", "`", "<", "~", "!["} {
			if strings.Count(paragraph, mark) > most {
				return true
			}
		}
	}
	return false
}

// A reading says how Markdown is taken: as a document, whose raw HTML is left out, or as a message
// of a prompt, in which tags are a part of what is said, and shown.
type reading bool

const (
	asDocument reading = false
	asMessage  reading = true
)

// renderMarkdown makes HTML of a text.
func renderMarkdown(ctx context.Context, source string, as reading, links linker) (template.HTML, []heading, error) {
	if tooCostly(source) {
		return "", nil, errMarkdown
	}
	if err := rendering.Acquire(ctx, 1); err != nil {
		return "", nil, err
	}
	defer rendering.Release(1)
	front, rest := "", source
	if as == asDocument {
		front, rest = splitFront(source)
	}
	made, headings, err := convert(rest, as, links)
	if err != nil {
		return "", nil, err
	}
	// What may be wider than the window can be scrolled by the keyboard.
	html := strings.NewReplacer(`<pre class="code">`, `<pre class="code" tabindex="0">`, "<pre>", `<pre class="code" tabindex="0">`, "<table>", `<table tabindex="0">`).
		Replace(string(sanitize(made)))
	if front != "" {
		html += `<details class="front"><summary>Front matter</summary><pre class="code">` + string(highlight("yaml", front)) + "</pre></details>"
	}
	return template.HTML(html), headings, nil
}

// convert makes HTML of a text, which has to be sanitized, and collects its headings.
func convert(source string, as reading, links linker) ([]byte, []heading, error) {
	transformer := &linkTransformer{links: links}
	md := goldmark.New(
		goldmark.WithExtensions(extension.GFM, extension.Footnote),
		goldmark.WithParserOptions(parser.WithAutoHeadingID(), parser.WithASTTransformers(util.Prioritized(transformer, 1000))),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(&codeRenderer{as}, 100))),
	)
	var out bytes.Buffer
	ids := parser.NewContext(parser.WithIDs(&slugs{seen: make(map[string]int)}))
	if err := md.Convert([]byte(source), &out, parser.WithContext(ids)); err != nil {
		return nil, nil, err
	}
	return out.Bytes(), transformer.headings, nil
}

// splitFront cuts the front matter off.
func splitFront(source string) (front, rest string) {
	block, _ := frontmatter.Find(source)
	return block.YAML, source[block.End:]
}

// slugs makes ids of headings. They have a prefix, so that no heading takes the id of a part of the
// page.
type slugs struct{ seen map[string]int }

func (s *slugs) Generate(value []byte, _ ast.NodeKind) []byte {
	var b strings.Builder
	for _, r := range strings.ToLower(string(value)) {
		switch {
		case r == ' ' || r == '-' || r == '_':
			b.WriteByte('-')
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r > 127:
			b.WriteRune(r)
		}
	}
	id := "s-" + b.String()
	n := s.seen[id] // how many have it: the search for a free number goes on where the last one ended
	for free := id; ; n++ {
		if n > 0 {
			free = fmt.Sprintf("%s-%d", id, n)
		}
		if _, taken := s.seen[free]; !taken {
			s.seen[free]++
			s.seen[id] = max(s.seen[id], n+1)
			return []byte(free)
		}
	}
}

func (s *slugs) Put([]byte) {}

// A linkTransformer sets where links lead, and notes headings.
type linkTransformer struct {
	links    linker
	headings []heading
}

// maxHeadings is how many headings a table of contents has.
const maxHeadings = 200

func (t *linkTransformer) Transform(doc *ast.Document, reader text.Reader, _ parser.Context) {
	var images []*ast.Image
	var dead []ast.Node
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			if id, ok := n.AttributeString("id"); ok && len(t.headings) < maxHeadings && n.Level <= 3 {
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
	for _, image := range images { // of another site, or not there: a link in its place
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
	for _, n := range dead { // it leads nowhere, and only says something
		parent := n.Parent()
		moveChildren(n, func(c ast.Node) { parent.InsertBefore(parent, n, c) })
		parent.RemoveChild(parent, n)
	}
}

// within reports whether a node is a part of a link.
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

func plain(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			b.Write(t.Segment.Value(source))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// to is where a destination leads.
func (t *linkTransformer) to(destination string, image bool) string {
	if rest, ok := strings.CutPrefix(destination, "#"); ok && !image {
		if rest == "" {
			return "#"
		}
		return "#s-" + strings.TrimPrefix(rest, "s-")
	}
	scheme, _, ok := strings.Cut(destination, ":")
	if ok && !image {
		switch strings.ToLower(scheme) {
		case "http", "https", "mailto":
			if strings.HasPrefix(strings.ToLower(destination), "mailto:") || !ownScheme(t.links, destination) {
				return destination
			}
		}
	}
	if t.links == nil {
		return ""
	}
	return t.links(destination, image)
}

// ownScheme reports whether a link of the web names a resource.
func ownScheme(links linker, destination string) bool {
	return links != nil && links(destination, false) != ""
}

// fragment is the part of a link that names a heading.
func fragment(destination string) (rest, id string) {
	rest, id, ok := strings.Cut(destination, "#")
	if ok && id != "" {
		id = "#s-" + strings.ToLower(id)
	}
	return rest, id
}

// resourceLinks leads from the text of a resource to others.
func (q *request) resourceLinks(catalog *loader.Catalog, from string) linker {
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
		r, ok := catalog.Lookup(target)
		if !ok {
			if f, ok := catalog.LookupFolder(target); ok && !image {
				return q.base + resourcePath("/r/", f.URI())
			}
			return ""
		}
		if image {
			return q.base + resourcePath("/raw/", r.URI())
		}
		return q.base + resourcePath("/r/", r.URI()) + id
	}
}

// documentLinks leads from a document to others, and to resources.
func (q *request) documentLinks(library *docs.Library, from string) linker {
	catalog := q.site.Server.Current().Catalog
	return func(destination string, image bool) string {
		rest, id := fragment(destination)
		if strings.Contains(rest, "://") {
			if catalog == nil {
				return ""
			}
			return q.resourceLinks(catalog, "docs://x/")(destination, image)
		}
		if strings.Contains(rest, ":") {
			return ""
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

// A codeRenderer highlights blocks of code, and leaves out HTML or shows it.
type codeRenderer struct{ as reading }

func (c *codeRenderer) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindFencedCodeBlock, c.fenced)
	r.Register(east.KindTaskCheckBox, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if box := "☐ "; entering {
			if n.(*east.TaskCheckBox).IsChecked {
				box = "☑ "
			}
			_, _ = w.WriteString(box) // not an input, which would need a label
		}
		return ast.WalkContinue, nil
	})
	r.Register(ast.KindHTMLBlock, c.html)
	r.Register(ast.KindRawHTML, c.html)
}

func (c *codeRenderer) html(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering || c.as == asDocument {
		return ast.WalkSkipChildren, nil
	}
	switch n := n.(type) {
	case *ast.RawHTML:
		template.HTMLEscape(w, n.Segments.Value(source))
	case *ast.HTMLBlock:
		lines := n.Lines().Value(source)
		if n.HasClosure() {
			lines = append(slices.Clone(lines), n.ClosureLine.Value(source)...)
		}
		_, _ = w.WriteString("<p>")
		for i, line := range bytes.Split(bytes.TrimRight(lines, "\n"), []byte("\n")) {
			if i > 0 {
				_, _ = w.WriteString("<br>\n")
			}
			template.HTMLEscape(w, line)
		}
		_, _ = w.WriteString("</p>\n")
	}
	return ast.WalkSkipChildren, nil
}

func (c *codeRenderer) fenced(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	block := n.(*ast.FencedCodeBlock)
	var code strings.Builder
	for i := range block.Lines().Len() {
		line := block.Lines().At(i)
		code.Write(line.Value(source))
	}
	_, _ = w.WriteString(`<pre class="code"><code>`)
	_, _ = w.WriteString(string(highlight(string(block.Language(source)), code.String())))
	_, _ = w.WriteString("</code></pre>\n")
	return ast.WalkSkipChildren, nil
}
