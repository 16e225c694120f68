package webui

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"html/template"
	"net/url"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
	"golang.org/x/sync/semaphore"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/frontmatter"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// A heading is an entry of the table of contents of a text.
type heading struct {
	Level    int
	ID, Text string
}

// maxHeadings is how many headings a table of contents has.
const maxHeadings = 200

// A linker returns the target of a link or image on the page, or "" for none.
type linker func(destination string, image bool) string

// rendering bounds how many texts are rendered at a time: each takes a processor and some memory.
var rendering = semaphore.NewWeighted(2)

var errMarkdown = errors.New("the text has too many special characters in a row to be rendered; it is shown as source")

// marksAtStart finds a line that begins with very many special characters.
var marksAtStart = lazyregexp.New(`(?m)^[ \t>*+\-0-9.)]{200,}`)

// hasRun reports whether one paragraph contains an opening character very often.
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

// renderMarkdown converts Markdown to sanitized HTML and returns its headings. clean is passed to [framed].
func renderMarkdown(ctx context.Context, source string, links linker, clean func(string) string) (template.HTML, []heading, error) {
	if len(source) > maxShown || marksAtStart().MatchString(source) || hasRun(source) {
		return "", nil, errMarkdown
	}
	if err := rendering.Acquire(ctx, 1); err != nil {
		return "", nil, err
	}
	defer rendering.Release(1)
	ctx = withPageTime(ctx)
	front, _ := frontmatter.Find(source)
	made, headings, err := convert(ctx, source[front.End:], links, clean)
	if err != nil {
		return "", nil, err
	}
	// Elements that may be wider than the window can be scrolled with the keyboard.
	html := strings.NewReplacer(`<pre class="code">`, `<pre class="code" tabindex="0">`, "<pre>", `<pre class="code" tabindex="0">`, "<table>", `<table tabindex="0">`, "<th></th>", "<td></td>", "<code>"+formula, `<code class="math">`).
		Replace(string(sanitize(made)))
	if front.YAML != "" {
		html += `<details class="front"><summary>Front matter</summary><pre class="code" tabindex="0">` + string(highlight(ctx, "yaml", front.YAML)) + "</pre></details>"
	}
	return template.HTML(html), headings, nil
}

// withAnchors adds a link to each heading of a text that is alone on its page.
func withAnchors(html template.HTML) template.HTML {
	return template.HTML(headingsWithID().ReplaceAllString(string(html), `$1<a class="anchor" href="#$2" aria-label="Link to this section"></a>$3`))
}

var headingsWithID = lazyregexp.New(`(?s)(<h[1-6] id="([^"]*)">.*?)(</h[1-6]>)`)

// convert converts Markdown to HTML, which must be sanitized, and collects the headings.
func convert(ctx context.Context, source string, links linker, clean func(string) string) ([]byte, []heading, error) {
	transformer := &headingTransformer{}
	md := goldmark.New(
		goldmark.WithExtensions(extension.Linkify, extension.Strikethrough, extension.TaskList,
			extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)), extension.Footnote, extension.DefinitionList),
		goldmark.WithParserOptions(parser.WithAutoHeadingID(), parser.WithHeadingAttribute(), parser.WithASTTransformers(util.Prioritized(transformer, 1000)),
			parser.WithParagraphTransformers(util.Prioritized(&tables{ctx: ctx}, 100))), // before the transformer of tables
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(&codeRenderer{ctx: ctx, links: links}, 100))),
	)
	var out bytes.Buffer
	ids := parser.NewContext(parser.WithIDs(&slugs{seen: make(map[string]int)}))
	if err := md.Convert([]byte(framed(source, clean)), &out, parser.WithContext(ids)); err != nil {
		return nil, nil, err
	}
	return []byte(frames(out.String())), transformer.headings, nil
}

// ownIDs matches the ids in the templates. Those that end with a value are matched by their beginning.
var ownIDs = lazyregexp.New(`^(?:q|q-key|hits|theme|side|main|path|uri|endpoint|answer|answer-title|problem|token|arg-.*|about-.*|command-.*|snippet-.*)$`)

// anchor returns the id on the page of a heading with an id in its document: the same, unless an element of the page has it.
func anchor(id string) string {
	if ownIDs().MatchString(id) {
		return "s-" + id
	}
	return id
}

// slugs makes the ids of headings.
type slugs struct{ seen map[string]int }

func (s *slugs) Generate(value []byte, _ ast.NodeKind) []byte {
	id := anchor(excerpt.Slug(string(value)))
	id = cmp.Or(id, "s-")
	n := s.seen[id] // with this id: the search for a free number continues here
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

func (s *slugs) Put(id []byte) { s.seen[string(id)]++ }

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

// A headingTransformer collects headings. It normalizes the ids that an author gave, as [anchor] does, for the page.
type headingTransformer struct{ headings []heading }

func (t *headingTransformer) Transform(doc *ast.Document, reader text.Reader, _ parser.Context) {
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		h, ok := n.(*ast.Heading)
		if !ok || !entering {
			return ast.WalkContinue, nil
		}
		id, ok := h.AttributeString("id")
		if given, _ := id.([]byte); ok && anchor(strings.ToLower(string(given))) != string(given) {
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
		target = links(destination, image) // a web URL may name a resource
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
				return q.base + "/docs/" + escapePath(file) + "?" + url.Values{"of": {from}}.Encode()
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

// Bounds of the tables of a page. The parser pads the short rows of a table: 94 KB of a table with 1,000 columns take 6.8 GB.
const (
	maxCells  = 200_000
	maxPadded = 10_000 // cells that small tables together may add to their source
)

// delimiterRow matches the row of a table below its head.
var delimiterRow = lazyregexp.New(`^[ \t|:-]*-[ \t|:-]*$`)

// tables shows a paragraph as text if the parser would make a very large table of it, and after the end of ctx.
type tables struct {
	ctx    context.Context
	padded int
}

func (t *tables) Transform(p *ast.Paragraph, reader text.Reader, _ parser.Context) {
	lines, source := p.Lines(), reader.Source()
	cells := func(i int) int {
		line := lines.At(i)
		return bytes.Count(line.Value(source), []byte("|")) + 1
	}
	columns, written, rows := 0, 0, 0
	for i := range lines.Len() {
		line := lines.At(i)
		if columns == 0 && i > 0 && delimiterRow().Match(bytes.TrimSpace(line.Value(source))) {
			columns = cells(i)
		}
		if columns > 0 {
			written, rows = written+min(columns, cells(i)), rows+1
		}
	}
	made := columns * rows
	if made > 2*written {
		t.padded += made - written
	}
	if made <= maxCells && (made <= 2*written || t.padded <= maxPadded) && t.ctx.Err() == nil {
		return
	}
	code := ast.NewCodeBlock()
	code.SetLines(lines)
	p.Parent().ReplaceChild(p.Parent(), p, code)
}
