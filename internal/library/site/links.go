package site

// A Link is a reference in a document, as it is written.
type Link struct {
	Line int    // in the file, from 1
	Link string // target of Markdown, role of RST, macro of AsciiDoc without its text
}

// Links returns the references of a document's own text, in order.
func (s *Set) Links(p *Page, text string) (links []Link) {
	switch formatOf(p.File) {
	case rst:
		return rstLinks(text)
	case asciidoc:
		return asciidocLinks(text)
	default:
		_, end, line := splitFront(text)
		links = p.Tree.site.markdownLinks(text[end:], line)
	}
	return links
}
