package webui

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"html/template"
	"strings"

	"golang.org/x/text/encoding/charmap"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/media"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/contents"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/prose"
)

// maxShown is how many bytes of a text are shown. A link leads to the whole file.
const maxShown = 512 << 10

// A body is the content of a file in the form for the template.
type body struct {
	HTML     template.HTML
	Kind     string // markdown, data, code, image, audio, video, pdf, none
	Text     string
	Contents []heading
	Cut      bool   // to its beginning
	Note     string // why the file does not look as expected
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
		if c.IsText { // including the source of SVG
			text := shownText(c.Text())
			b.HTML, b.Text = highlight(ctx, "xml", text), text
		}
		return b
	}
	text, note := "", ""
	switch {
	case !c.IsText && strings.HasPrefix(c.MIME, "text/") && !bytes.ContainsFunc(c.Bytes(), isControl):
		text, _ = charmap.Windows1252.NewDecoder().String(string(c.Bytes()))
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

// Bounds of the views of data.
const (
	maxTree  = 1 << 20
	maxNodes = 20_000
	maxDepth = 100
	maxOpen  = 500 // open nodes of a tree: browsers lay out 20,000 for seconds
	maxRows  = 500
	maxTable = 20_000
)

// jsonTree returns a JSON text as a tree that folds, or "" if it is not valid or too large.
func jsonTree(text string) template.HTML {
	t := treeWriter{Decoder: json.NewDecoder(strings.NewReader(text))}
	t.UseNumber()
	var b strings.Builder
	if len(text) > maxTree || !t.value(&b, "", 0) || t.More() {
		return ""
	}
	return template.HTML(b.String())
}

type treeWriter struct {
	*json.Decoder
	nodes int
}

// value writes the next value. name is its name as HTML. It returns false if the text is not valid or a bound is exceeded.
func (t *treeWriter) value(b *strings.Builder, name string, depth int) bool {
	token, err := t.Token()
	if t.nodes++; err != nil || t.nodes > maxNodes || depth > maxDepth {
		return false
	}
	begin, ok := token.(json.Delim)
	if !ok {
		b.WriteString("<div>" + name + scalar("s", token) + "</div>")
		return true
	}
	end := map[json.Delim]string{'{': "}", '[': "]"}[begin]
	if !t.More() {
		b.WriteString("<div>" + name + begin.String() + end + "</div>")
	} else {
		open := ""
		if t.nodes <= maxOpen {
			open = " open"
		}
		b.WriteString("<details" + open + "><summary>" + name + begin.String() + "…" + end + "</summary>")
		defer b.WriteString("</details>")
	}
	for t.More() {
		key := ""
		if begin == '{' {
			name, err := t.Token()
			if err != nil {
				return false
			}
			key = scalar("na", name) + ": "
		}
		if !t.value(b, key, depth+1) {
			return false
		}
	}
	_, err = t.Token()
	return err == nil
}

// scalar returns a value as JSON in HTML.
func scalar(class string, value any) string {
	text, _ := jsonwire.Encode(value)
	return `<span class="` + class + `">` + template.HTMLEscapeString(string(text)) + "</span>"
}

// csvTable returns the first rows of a text with separated values as a table, and how many they are if there may be more.
func csvTable(text string) (table template.HTML, note string) {
	r := csv.NewReader(strings.NewReader(strings.TrimPrefix(text, "\ufeff")))
	r.FieldsPerRecord, r.LazyQuotes, r.ReuseRecord = -1, true, true
	head, _, _ := strings.Cut(text, "\n")
	for _, separator := range ";\t|" {
		if strings.Count(head, string(separator)) > strings.Count(head, string(r.Comma)) {
			r.Comma = separator
		}
	}
	var b strings.Builder
	b.WriteString(`<table tabindex="0">`)
	for row, cells := 0, 0; ; row++ {
		record, err := r.Read()
		if err != nil {
			break
		}
		if cells += len(record); row == maxRows || cells > maxTable {
			note = fmt.Sprintf("The first %d rows are shown.", row)
			break
		}
		b.WriteString("<tr>")
		for _, value := range record {
			tag := "td"
			if row == 0 && value != "" {
				tag = "th"
			}
			b.WriteString("<" + tag + ">" + template.HTMLEscapeString(value) + "</" + tag + ">")
		}
		b.WriteString("</tr>")
	}
	return template.HTML(b.String() + "</table>"), note
}
