package page

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"html/template"
	"strings"

	"golang.org/x/text/encoding/charmap"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/media"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/contents"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/prose"
)

// maxShown is how many bytes of a text are shown. A link leads to the whole file.
const maxShown = 512 << 10

// A body is the content of a file in the form for the template.
type body struct {
	HTML     template.HTML // of Markdown or code
	Kind     string        // markdown, data, code, image, audio, video, pdf, none
	Text     string        // the source text
	Contents []heading
	Cut      bool   // only the beginning is shown
	Note     string // why the file is not shown as readers expect
}

// mediaKind returns the kind under which a type other than text is shown, or "".
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

// bodyOf returns the body of a file.
func (q *request) bodyOf(ctx context.Context, c *contents.Content, name string, links linker) body {
	if kind := mediaKind(c.MIME); kind != "" && (kind != "image" || !c.IsText || strings.HasPrefix(c.MIME, "image/svg")) {
		b := body{Kind: kind}
		if c.IsText { // the source of an SVG image is shown too
			text := shownText(c.Text())
			b.HTML, b.Text = highlight(ctx, "xml", text), text
		}
		return b
	}
	text, note := "", ""
	switch {
	case !c.IsText && strings.HasPrefix(c.MIME, "text/") && !bytes.ContainsFunc(c.Bytes(), isControl):
		text, _ = charmap.Windows1252.NewDecoder().String(string(c.Bytes())) // an undefined byte becomes U+FFFD
		note = "The file is not UTF-8. It is shown as Latin-1 (Windows-1252), and clients get it as a blob."
	case !c.IsText:
		return body{Kind: "none", Note: "The file is not text. Clients get it as a blob."}
	case media.StartsUTF16(c.Bytes()):
		text, note = strings.TrimPrefix(c.Text(), "\ufeff"), "The file is in UTF-16. Clients get its text."
	default:
		text = c.Text()
	}
	b := textBody(ctx, text, c.MIME, name, links, nil)
	b.HTML, b.Note = withAnchors(b.HTML), cmp.Or(b.Note, note)
	return b
}

// isControl reports whether a text never has a character.
func isControl(r rune) bool { return r < ' ' && r != '\n' && r != '\r' && r != '\t' && r != '\f' }

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

// textBody returns the body of a text, rendered by its type. clean is passed to [framed].
func textBody(ctx context.Context, full, mime, name string, links linker, clean func(string) string) body {
	done, err := contents.Turn(ctx)
	if err != nil {
		return body{Kind: "none", Note: explainError(err)}
	}
	defer done()
	text := shownText(full)
	b := body{Text: text, Cut: len(text) < len(full) && len(full) > maxShown}
	mime, _, _ = strings.Cut(mime, ";")
	if mime == "text/mdx" && clean == nil {
		clean = prose.Clean
	}
	switch {
	case !b.Cut && (mime == "text/markdown" || mime == "text/mdx"):
		html, headings, err := renderMarkdown(ctx, text, links, clean)
		if err == nil {
			b.Kind, b.HTML, b.Contents = "markdown", html, headings
			return b
		}
		b.Note = explainError(err)
	case mime == "text/csv" || mime == "text/tab-separated-values":
		b.Kind, b.Cut = "data", false
		b.HTML, b.Note = csvTable(text)
		return b
	case mime == "application/json" || strings.HasSuffix(mime, "+json"):
		if b.HTML = jsonTree(full); b.HTML != "" {
			b.Kind, b.Cut = "data", false
			return b
		}
		if name = "json"; json.Valid([]byte(full)) {
			b.Note = fmt.Sprintf("The file has more than %d MB, %s values or %d levels, so it is not shown as a tree.", maxTree>>20, countText(maxNodes), maxDepth)
		}
	}
	b.Kind = "code"
	b.HTML = highlight(ctx, name, text)
	return b
}
