package site

import (
	"context"
	stdhtml "html"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/directive"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

// ids returns the ids that links to a page may name, in lower case, as the page has them with its includes. open
// reports whether parts of the page are made when the site is built, so that it has more.
func (s *Set) ids(p *Page) (names map[string]bool, open bool) {
	s.idsMu.Lock()
	defer s.idsMu.Unlock()
	if p.names != nil {
		return p.names, p.open
	}
	p.names = map[string]bool{"": true, "top": true}
	data, err := readBounded(s.docs, p.File)
	if err != nil {
		p.open = true
		return p.names, true
	}
	c, _ := s.expand(context.Background(), p, string(data)) // a check follows links to many pages
	p.open = p.open || c.Left != ""
	for _, part := range c.Parts {
		p.open = p.open || part.Missing && plain.documents(part.File) && formatOf(p.File) != asciidoc // code has no headings
	}
	add := func(id string) { p.names[squeezed(id)] = true }
	switch formatOf(p.File) {
	case rst:
		s.rstIDs(p, c.Text, add)
	case asciidoc:
		s.asciidocIDs(p, c.Text, add)
	default:
		s.markdownIDs(p, c.Text, add)
	}
	return p.names, p.open
}

// addHeading adds the ids of a heading: the explicit ones, and those that generators make of its text, which may lack other
// characters than those of ASCII, and a number at the start. Headings with the same text have numbers.
func (p *Page) addHeading(text string, explicit []string, counts map[string]int) {
	for _, id := range explicit {
		p.names[squeezed(id)] = true
	}
	id := squeezed(text)
	ascii := strings.Map(func(r rune) rune {
		if r < 0x80 {
			return r
		}
		return -1
	}, id)
	for _, id := range slices.Compact([]string{id, ascii, strings.TrimLeft(id, "0123456789")}) {
		p.names[id] = true
		if n := counts[id]; n > 0 {
			p.names[id+strconv.Itoa(n)], p.names[id+strconv.Itoa(n+1)] = true, true
		}
		counts[id]++
	}
}

func (s *Set) markdownIDs(p *Page, text string, add func(string)) {
	counts := make(map[string]int)
	bare, parent := withoutFences(text), ""
	headings := excerpt.Headings(text)
	for _, h := range headings {
		line, _, _ := strings.Cut(text[h.Start:], "\n")
		var explicit []string
		for _, m := range compile(explicitID).FindAllStringSubmatch(line, 10) {
			explicit = append(explicit, m[1]+m[2]+m[3]+m[4]+m[5])
		}
		written := strings.TrimSpace(compile(explicitID).ReplaceAllString(strings.TrimLeft(line, "# \t"), ""))
		p.addHeading(plainTitle(compile(`<[A-Z][^<>]*>`).ReplaceAllString(h.Text, "")), explicit, counts) // without components
		p.names[squeezed(written)] = true
		if name := compile(`<([A-Z]\w*)\b[^<>]*>[^<>]*</[A-Z]\w*>`).ReplaceAllString(written, ""); name != written { // without their text
			p.addHeading(strings.TrimRight(plainTitle(name), " -"), nil, counts)
		}
		own := squeezed(h.Text) // perhaps after the parent's
		p.names[own], p.names[parent+own] = true, true
		if h.Level <= 2 {
			parent = own
		}
	}
	for _, m := range compile(`(?m)^(?: {4}|\t|[ \t]*>)[ \t>]*#{1,6}[ \t]+(\S.*)$`).FindAllStringSubmatch(bare, 5000) { // in quotes and notes
		p.addHeading(plainTitle(m[1]), nil, counts)
	}
	for _, m := range compile(`\b(?:id|name|path|query|body|permalink|anchor)\s*=\s*["']([^"'\s]+)["']|\{:?\s*[^}\n]*#([\w:./-]+)[^}\n]*\}|`+mystLabel+`|(?m:^\s*\.\. _([^:\n]+):\s*$)|\{\{<\s*a(?:nchor)?\s+"([^"]+)"|\[\[([\w-]+)\]\]|id:\s*'([^'\n]+)'|(?m:^\[\^([^\]\s]+)\]:)`).FindAllStringSubmatch(text, 20_000) {
		for _, id := range m[1:] {
			if id != "" {
				add(stdhtml.UnescapeString(strings.TrimPrefix(id, "#")))
				add("fn:" + id) // a footnote
			}
		}
	}
	for _, m := range compile(`<[A-Z]\w*[^<>]*\b(?:title|label|name|path|query|body|header)=(?:"([^"\n]+)"|'([^'\n]+)')`).FindAllStringSubmatch(text, 5000) { // of components
		for _, prefix := range []string{"", "param-", "response-"} { // of fields of Mintlify
			add(prefix + m[1] + m[2])
		}
	}
	if p.Tree.site.Terms {
		for _, m := range compile(`(?m)^(\S.*)\n+:\s`).FindAllStringSubmatch(text, 5000) {
			p.addHeading(plainTitle(m[1]), nil, counts)
		}
	}
	p.open = p.open || p.Tree.site.makes(text, compile("(^|[^`])`[^`\n]+`").ReplaceAllString(bare, "$1")) || p.Tree.site.Generator == plain && len(headings) == 0
}

// withoutFences returns Markdown without the lines of its fenced code, and without the indentation of blocks.
func withoutFences(text string) string {
	var b strings.Builder
	for l := range directive.Lines(text) {
		if l.Code != directive.Fenced { // the first line may be a directive
			b.WriteString(l.Text + "\n")
		}
	}
	return b.String()
}
