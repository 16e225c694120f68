package site

import (
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

// A Link is a reference in a document, as it is written.
type Link struct {
	Line int    // in the file, from 1
	Link string // target of Markdown, role of RST, macro of AsciiDoc without its text
}

// Links returns the references of a document's own text, in order.
func (s *Set) Links(p *Page, text string) (links []Link) {
	switch formatOf(p.File) {
	case rst:
		n, literal := 0, -1
		for line := range strings.Lines(text) {
			n++
			indent := len(line) - len(strings.TrimLeft(line, " \t"))
			if strings.TrimSpace(line) == "" {
				continue
			}
			if literal >= 0 && indent > literal {
				continue
			}
			literal = -1
			if compile(`::\s*$|^\s*\.\. (?:code-block|sourcecode|code|literalinclude|parsed-literal)::`).MatchString(line) {
				literal = indent
			}
			for _, m := range compile("(?::[\\w+]+)?:(?:doc|ref|numref|any|download):`[^`]+`").FindAllString(line, 100) {
				links = append(links, Link{n, m})
			}
		}
	case asciidoc:
		n, block := 0, ""
		for line := range strings.Lines(text) {
			n++
			line = strings.TrimRight(line, " \t\r\n")
			if block != "" {
				if line == block {
					block = ""
				}
				continue
			}
			if compile(`^(-{4,}|\.{4,}|\+{4,}|/{4,})$`).MatchString(line) {
				block = line
				continue
			}
			if strings.HasPrefix(line, "//") {
				continue
			}
			for _, m := range compile(`\\?(?:xref:[^\s\[]+\[|<<[^>,\n]+)`).FindAllString(line, 100) {
				if !strings.HasPrefix(m, `\`) {
					links = append(links, Link{n, strings.TrimSuffix(m, "[")})
				}
			}
		}
	default:
		_, end, line := splitFront(text)
		excerpt.Links(text[end:], line, func(l excerpt.Link) { links = append(links, Link{l.Line, l.Target}) })
	}
	return links
}
