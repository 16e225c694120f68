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

// rendering bounds how many texts are rendered at a time: it takes a processor and some memory.
var rendering = semaphore.NewWeighted(2)

// maxMarkdown is how many bytes of Markdown are rendered.
const maxMarkdown = 512 << 10

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
