package site

import (
	"context"
	stdhtml "html"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

// Where texts of all formats define ids. labels are those that MyST and RST find from other pages too: before a block, by an
// option, in figures and in equations.
const (
	labels = `(?m:^\(([^)\n]+)\)=\s*$)|(?m:^\s*:(?:name|label):\s*(\S+)\s*$)|\{figure-md\}[ \t]+(\S+)|(?m:\$\$[ \t]*\(([^)\n]+)\)\s*$)` +
		"|(?m:^\\s*\\.\\. _`?([^:`\\n]+)`?:\\s*$)" + `|\{[^}\n]*#([\w:./-]+)[^}\n]*\}`
	anchors = labels + `|(?:\b(?:id|name|path|query|body|permalink|anchor|title|label|header)\s*[=:]|\{\{<\s*a(?:nchor)?)\s*(?:"([^"\n]+)"|'([^'\n]+)')` +
		`|\{/\*\s*#?([^\s*]+)\s*\*/\}|\bid=([^\s"',\]>]+)|\[\[\[?([^\[\],\s]+)[^\]\n]*\]\]|\[[\w-]*#([^\],.%\s]+)|anchor:([^\[\s]+)\[|(?m:^\[\^([^\]\s]+)\]:)`
)

// ids returns the ids that links to a page may name, as [squeezed] returns them, as the page has them with its includes. open
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
	c, _ := s.Content(context.Background(), p, string(data))
	bare, counts, parent := withoutCode(p, c.Text), make(map[string]int), ""
	text := c.Text
	if f := formatOf(p.File); f == rst || f == asciidoc {
		text = Searchable(p, text)
	}
	headings := excerpt.Headings(text)
	for _, h := range headings {
		p.addHeading(h.Text, counts)
		own := squeezed(h.Text)
		if p.names[parent+own] = true; h.Level <= 2 {
			parent = own
		}
	}
	for _, m := range compile(`(?m)^[ \t>]*#{1,6}[ \t]+(\S.*)$|^(\S.*)\n+:\s`).FindAllStringSubmatch(bare, 5000) { // in quotes too; terms
		if m[2] != "" {
			p.addHeading(plainTitle(m[2]), counts)
			continue
		}
		written := m[1]
		p.names[squeezed(written)] = true
		for _, component := range []string{`^$`, `</?[A-Za-z][^<>]*>|\{%.*?%\}`, `<([A-Z]\w*)\b[^<>]*>[^<>]*</[A-Z]\w*>`} { // a generator may leave it out
			p.addHeading(strings.TrimRight(plainTitle(compile(component).ReplaceAllString(written, "")), " -"), map[string]int{})
		}
	}
	for _, m := range compile(anchors).FindAllStringSubmatch(c.Text, 20_000) {
		p.names[squeezed(stdhtml.UnescapeString(strings.Join(m[1:], "")))] = true
	}
	p.open = c.Left != "" || c.Open || makes(c.Text, bare) || p.Tree.site.is(plain) && len(headings) == 0 ||
		slices.ContainsFunc(headings, func(h excerpt.Heading) bool {
			return formatOf(p.File) == asciidoc && compile(`\{[\w-]+\}`).MatchString(h.Text)
		})
	return p.names, p.open
}

// addHeading adds the ids that generators make of a heading: they may lack other characters than those of ASCII, and a number
// at the start. Headings with the same text have numbers.
func (p *Page) addHeading(text string, counts map[string]int) {
	id := squeezed(text)
	ascii := compile(`[^\x00-\x7f]`).ReplaceAllString(id, "")
	for _, id := range slices.Compact([]string{id, squeezed(strings.ReplaceAll(text, "&", "amp")), ascii, strings.TrimLeft(id, "0123456789")}) {
		p.names[id] = true
		if n := counts[id]; n > 0 {
			p.names[id+strconv.Itoa(n)], p.names[id+strconv.Itoa(n+1)] = true, true
		}
		counts[id]++
	}
}

// withoutCode returns a text without blocks of code, and without the indentation of blocks in Markdown.
func withoutCode(p *Page, text string) string {
	var b strings.Builder
	for l := range p.lines(text) {
		if !l.code {
			b.WriteString(l.raw + "\n")
		}
	}
	return b.String()
}
