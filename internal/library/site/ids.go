package site

import (
	"context"
	stdhtml "html"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

// anchors matches the ids that texts of all formats define in a line: {#id}, <a name=id>, [[id]], [#id], (label)= and options such as
// ":name: id".
const anchors = `\{[^{}]{0,200}#([\w:./-]+)[^{}]{0,200}\}|\b(?:id|name|title|label|header|path|query|body|permalink|anchor)\s*[=:]\s*(?:"([^"]{1,200})"|'([^']{1,200})'|([^\s"',\]>]+))` +
	`|\{/\*\s*#?([^\s*]{1,200})\s*\*/\}|\[\[\[?([^\[\],\s]{1,200})[^\]]{0,200}\]\]|\[[\w-]*#([^\],.%\s]+)|anchor:([^\[\s]{1,200})\[|^\(([^)]+)\)=|^\s*:(?:name|label):\s*(\S+)|\$\$[ \t]*\(([^)]{1,200})\)\s*$|^\[\^([^\]\s]+)\]:` +
	"|\\.\\. _`?([^:`]{1,200})`?:"

// ids returns the ids that links to a page may name, as [squeezed] returns them: those of its headings, and those that its text defines.
func (s *Set) ids(p *Page) map[string]bool {
	p.idsOnce.Do(func() { p.ids = s.readIDs(p) })
	return p.ids
}

func (s *Set) readIDs(p *Page) map[string]bool {
	names := map[string]bool{"": true, "top": true}
	if data, err := readBounded(s.docs, p.File); err == nil {
		c, _ := s.Content(context.Background(), p, string(data))
		text, counts := c.Text, make(map[string]int)
		if f := formatOf(p.File); f == rst || f == asciidoc {
			text = Searchable(p, text)
		}
		for _, h := range excerpt.Headings(text) {
			addHeading(names, counts, h.Text)
		}
		for line := range strings.Lines(c.Text) {
			if len(line) > maxMarked {
				continue
			}
			if marked := strings.TrimLeft(line, " \t>"); strings.HasPrefix(marked, "#") { // in quotes and notices too
				written := strings.Trim(marked, "# \t\r\n")
				addHeading(names, make(map[string]int), excerpt.Plain(written))
				addHeading(names, make(map[string]int), excerpt.Plain(withoutImages(written)))
			}
			if strings.ContainsAny(line, "=:#[") {
				for _, m := range compile(anchors).FindAllStringSubmatch(line, 100) {
					names[squeezed(stdhtml.UnescapeString(strings.Join(m[1:], "")))] = true
				}
			}
		}
	}
	return names
}

// addHeading adds the ids that programs make of a heading: they may lack markup, other characters than those of ASCII, and a number at the
// start. Headings with the same text have numbers.
func addHeading(names map[string]bool, counts map[string]int, heading string) {
	heading = stdhtml.UnescapeString(heading)
	id := squeezed(heading)
	ascii := strings.Map(func(r rune) rune {
		if r > unicode.MaxASCII {
			return -1
		}
		return r
	}, id)
	for _, id := range []string{id, squeezed(strings.ReplaceAll(heading, "&", "amp")), ascii, strings.TrimLeft(id, "0123456789")} {
		if n := counts[id]; n > 0 {
			names[id+strconv.Itoa(n)], names[id+strconv.Itoa(n+1)] = true, true
		}
		names[id] = true
	}
	counts[id]++
}

// withoutImages returns a line of Markdown without its images, which make no part of an id.
func withoutImages(line string) string {
	for {
		before, image, ok := strings.Cut(line, "![")
		_, after, closed := strings.Cut(image, ")")
		if !ok || !closed {
			return line
		}
		line = before + after
	}
}

// squeezed returns what is compared of an id, and of the heading that it may be made of: letters and digits, without case
// and accents. So the rules by which generators make ids need not be known.
func squeezed(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 0x300 && r <= 0x36f: // an accent
			return -1
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, norm.NFKD.String(text))
}
