package page

import (
	"bytes"
	"context"
	"errors"
	"html/template"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
	"golang.org/x/sync/semaphore"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/frontmatter"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// rendering bounds how many texts are rendered at a time: each takes a processor and some memory.
var rendering = semaphore.NewWeighted(2)

// maxMarkdown is how many bytes of Markdown are rendered.
const maxMarkdown = 512 << 10

var errMarkdown = errors.New("the text has too many special characters in a row to be rendered; it is shown as source")

// marksAtStart finds a line that begins with very many special characters.
var marksAtStart = lazyregexp.New(`(?m)^[ \t>*+\-0-9.)]{200,}`)

// tooCostly reports whether a text would take too long to render.
func tooCostly(source string) bool {
	return len(source) > maxMarkdown || marksAtStart().MatchString(source) || hasRun(source)
}

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
	if tooCostly(source) {
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
