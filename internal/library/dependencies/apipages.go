package dependencies

import (
	"fmt"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

// The description of an API is divided into pages. goapi and dtsapi write a [Section] for each
// declaration; [NewPages] puts the sections in their order into pages of bounded size, and gives a long first page
// an index.

const (
	indexed = 100_000 // bytes of a page that gets an index; the tool for documents shows as much in one answer
	most    = 800_000 // bytes of the sections of a page; with its index, the page is below the bound for a document of a dependency
)

// A Page is a document about an API.
type Page struct{ Name, Text string }

// A Section is a declaration.
type Section struct{ Name, Text string }

// NewPages returns the pages of an API: NAME, and NAME-2 and so on if it is long. Each begins with the title, and the first one has the lead, which may be empty.
func NewPages(name, title, lead string, sections []Section) (pages []Page) {
	for len(sections) > 0 || len(pages) == 0 {
		size := len(lead)
		var texts strings.Builder
		var names []string
		for len(sections) > 0 && (len(names) == 0 || size+len(sections[0].Text) <= most) {
			size += len(sections[0].Text)
			texts.WriteString(sections[0].Text)
			names = append(names, "`"+sections[0].Name+"`")
			sections = sections[1:]
		}
		page := Page{name, title + lead}
		if size > indexed {
			page.Text += "\n## Index\n\n" + excerpt.Ellipsis(strings.Join(names, ", "), indexed/4) + "\n"
		}
		page.Text += texts.String()
		if len(pages) > 0 {
			page.Name = fmt.Sprintf("%s-%d", name, len(pages)+1)
		}
		pages, lead = append(pages, page), ""
	}
	return pages
}
