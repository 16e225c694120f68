package webpage

import (
	"fmt"
	"net/url"
	"path"
	"strings"
)

// FromPDF returns a page from the text of a PDF, with a heading for each PDF page.
func FromPDF(at *url.URL, pages []string) *Page {
	p := &Page{Kind: PDF, MIME: "application/pdf", Title: title(path.Base(at.Path))}
	var all, markdown strings.Builder
	fmt.Fprintf(&markdown, "# %s\n", headingEnd(escapeTitle(p.Title)))
	for i, text := range pages {
		text = strings.TrimSpace(clean(text))
		if text == "" {
			continue
		}
		all.WriteString(text + "\n")
		fmt.Fprintf(&markdown, "\n## Page %d\n\n", i+1)
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(line)
			markdown.WriteString(escapeTitle(line) + "\n")
		}
	}
	p.Text, p.markdown = all.String(), markdown.String()
	return p
}
