package docs

import (
	"context"
	"strings"
	"unicode"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/frontmatter"
)

// leadSize is about how many bytes of a section an answer shows.
const leadSize = 1000

// section returns the best passage of a page with what follows it in its section. If that is little, what precedes it is
// shown too.
func (p foundPage) section(ctx context.Context, best Passage) Passage {
	number := p.ranked[0].passage
	doc := p.passages[number].doc
	whole := ""
	read := func(n uint32) string {
		text, _ := p.library.passage(ctx, p.docs[doc], p.passages[n], &whole)
		return text
	}
	first, at := number, best.start
	for first > 0 && p.passages[first].later && p.passages[first-1].doc == doc {
		first--
		at += len(read(first))
	}
	text, front := read(first), 0
	if p.passages[first].offset == 0 {
		front = frontmatter.After(text).End
	}
	top := len(text) - len(strings.TrimLeftFunc(text[front:], unicode.IsSpace))
	level := levelOf(text[top:])
	for n := first + 1; int(n) < len(p.passages) && p.passages[n].doc == doc && len(text) < at+leadSize; n++ {
		more := read(n)
		if n > number && !p.passages[n].later && levelOf(more) <= level {
			break
		}
		text += more
	}
	head := compactRows(text[:at], p.passages[first].code, len(text))
	text = head + compactRows(text[at:], fenceAfter(text[:at], fenceOf(p.passages[first].code)) != "", len(text))
	at = len(head)
	if from := max(top, len(text)-leadSize/2); from < at {
		if from > top {
			from += strings.IndexByte(text[from:at]+"\n", '\n') + 1
		}
		at = min(from, at)
	}
	best.text, best.start, best.fenced = text, at, p.passages[first].code
	best.Line = int(p.passages[first].line) + strings.Count(text[:at], "\n")
	return best
}

// levelOf returns the level of the heading that begins a text, or 0.
func levelOf(text string) int {
	line, rest, _ := strings.Cut(text, "\n")
	under, _, _ := strings.Cut(rest, "\n")
	switch n := len(line) - len(strings.TrimLeft(line, "#")); {
	case n > 0:
		return n
	case strings.HasPrefix(under, "=="):
		return 1
	case strings.HasPrefix(under, "--"):
		return 2
	}
	return 0
}
