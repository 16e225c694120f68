package docs

import (
	"cmp"
	"context"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/directive"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// Marks returns where the words of the query are in a text: their starts and ends, ascending.
func (h Hit) Marks(text string) [][2]int { return matches(text, h.stems) }

// Plain returns the snippet as readers see the passage: on one line, without headings and markup.
func (h Hit) Plain() string {
	var parts []string
	inCode := false
	for line := range strings.Lines(comment().ReplaceAllString(h.Excerpt(snippetSize), "")) {
		line = strings.TrimSpace(line)
		o, rest, opens := directive.Open(line)
		switch line = strings.TrimLeft(line, "> \t"); {
		case directive.OpenFence(line) != "":
			inCode = !inCode
		case inCode:
			parts = append(parts, line)
		case opens:
			parts = append(parts, excerpt.Plain(o.Title), excerpt.Plain(rest))
		case !unseen().MatchString(line) && !excerpt.DefinesLink(line):
			line = excerpt.Plain(itemMark().ReplaceAllString(line, ""))
			parts = append(parts, strings.ReplaceAll(strings.Trim(line, "| "), " | ", " · "))
		}
	}
	return excerpt.Ellipsis(excerpt.OneLine(strings.Join(parts, " ")), snippetSize)
}

// comment matches a comment of HTML, or its beginning.
var comment = lazyregexp.New(`(?s)<!--.*?(?:-->|$)`)

// unseen matches lines that are headings, or only markup: rules, lines below the heads of tables, and the ends of blocks.
var unseen = lazyregexp.New(`^(?:#{1,6}(?:\s.*)?|[-=|: *_/]*)$`)

// itemMark matches the mark of an item in a list.
var itemMark = lazyregexp.New(`^(?:[-+*]|[0-9]{1,9}[.)])\s+(?:\[[ xX]\]\s+)?`)

// Anchor returns the name in links of the heading above a hit, or "" if that heading begins the document or the document
// cannot be read.
func (l *Library) Anchor(ctx context.Context, h Hit) string {
	l = l.known()
	d := cmp.Or(l.others[h.URI], l.files[h.Path])
	if d == nil || !d.isMarkdown() {
		return ""
	}
	text, _, err := l.read(ctx, d, maxIndexed)
	if err != nil {
		return ""
	}
	slug := ""
	for i, heading := range headings(d, text) {
		if heading.Line > h.Line {
			break
		}
		if slug = heading.Slug; i == 0 && heading.Level == 1 {
			slug = ""
		}
	}
	return slug
}
