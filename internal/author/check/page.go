package check

import (
	"fmt"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
)

// page checks the links of a document of a site. Links that only the published site can resolve become one note a file.
func (c *checker) page(p *site.Page, text string) {
	sites := c.contents.Library.Sites()
	if content, err := sites.Content(c.ctx, p, text); err == nil {
		for _, part := range content.Parts {
			if part.Missing && strings.IndexAny(part.File, "@~") != 0 { // else an alias of a bundler, which leads anywhere
				c.add(BrokenLink, Finding{File: p.File, Line: part.Line, Message: fmt.Sprintf("the included file %q is not found", part.File), Fix: "correct the name"})
			}
		}
	}
	if w := p.Wrong; w != nil {
		c.add(FrontMatter, Finding{File: p.File, Line: w.Line, Message: "the front matter is not well-formed, so what it says of the page may be lost: " + w.Reason})
	}
	elsewhere, first := 0, site.Link{}
	for _, link := range sites.Links(p, text) {
		switch to := sites.Resolve(p, link.Link); {
		case to.Certainty == site.Found:
		case to.Certainty == site.Absent && to.File != "":
			c.add(BrokenPart, Finding{File: p.File, Line: link.Line, Message: fmt.Sprintf("the link %q leads to no heading of %s", link.Link, to.File)})
		case to.Certainty == site.Absent:
			c.add(BrokenLink, Finding{File: p.File, Line: link.Line, Message: fmt.Sprintf("the link %q leads nowhere", link.Link)})
		case !site.External(link.Link):
			if elsewhere++; elsewhere == 1 {
				first = link
			}
		}
	}
	if elsewhere > 0 {
		message := fmt.Sprintf("the link %q leads to a part of the site that is not in the project", first.Link)
		if elsewhere > 1 {
			message = fmt.Sprintf("%d links lead to parts of the site that are not in the project, the first to %q", elsewhere, first.Link)
		}
		c.add(Elsewhere, Finding{File: p.File, Line: first.Line, Message: message})
	}
}
