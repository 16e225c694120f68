package webpage

import (
	"fmt"
	"net/url"
	"path"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// pageName matches a title that could be taken for a heading "Page 7", whatever signs it has.
var pageName = lazyregexp.New(`(?i)^\P{L}*page\P{L}*\d`)

// FromPDF returns a page from the text of a PDF, with a heading for each PDF page. Lines of code begin with a tab, and
// headings of the outline with a vertical tab for each level.
func FromPDF(at *url.URL, pages []string) *Page {
	p := &Page{Kind: PDF, MIME: "application/pdf", Title: title(path.Base(at.Path))}
	var all, markdown, code strings.Builder
	fmt.Fprintf(&markdown, "# %s\n", headingEnd(escapeTitle(p.Title)))
	for i, text := range pages {
		text = strings.Trim(text, " \n")
		if strings.TrimSpace(text) == "" {
			continue
		}
		fmt.Fprintf(&markdown, "\n## Page %d\n\n", i+1)
		for line := range strings.Lines(text + "\n") {
			heading := strings.TrimLeft(line, "\v")
			level := len(line) - len(heading)
			line = clean(heading)
			rest, isCode := strings.CutPrefix(line, "\t")
			all.WriteString(rest)
			if isCode {
				code.WriteString(rest)
				continue
			}
			writeFenced(&markdown, &code)
			if level > 0 && !pageName().MatchString(line) { // the heading of a page leads to that page
				fmt.Fprintf(&markdown, "%s %s\n", strings.Repeat("#", min(level+2, 6)), headingEnd(escapeTitle(strings.TrimSpace(line))))
				continue
			}
			markdown.WriteString(escapeTitle(strings.TrimSpace(line)) + "\n")
		}
		writeFenced(&markdown, &code)
	}
	p.Text, p.Marked.Markdown = all.String(), markdown.String()
	return p
}

func writeFenced(b, code *strings.Builder) {
	if code.Len() > 0 {
		b.WriteString(excerpt.Fenced(code.String(), ""))
		code.Reset()
	}
}
