package docs

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/analysis"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/directive"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// snippetSize is the greatest number of bytes of a snippet: a sentence or two.
const snippetSize = 240

// focus sets the snippet to the unit that has most of the words and phrases, together with the words that only the unit after it has, or else
// to the beginning. stems are the words with their worth.
func (p *Passage) focus(stems map[string]int, phrases []string) {
	units := p.body.Units
	// A word begins as its stem does, unless it is a version with "v". Stems take long, so most words need none.
	initials := [256]bool{'v': true}
	for s := range stems {
		initials[s[0]] = true
	}
	found, firsts := make([][]string, len(units)), make([]int, len(units))
	at := 0
	new(analysis.Splitter).Words(p.body.Text, func(word []byte, offset int) {
		for at < len(units) && offset >= units[at].End {
			at++
		}
		if at == len(units) || offset < units[at].Start || units[at].Heads() || !initials[word[0]] {
			return
		}
		stem := analysis.Stem(string(word))
		if _, ok := stems[stem]; ok && !slices.Contains(found[at], stem) {
			if found[at] == nil {
				firsts[at] = offset
			}
			found[at] = append(found[at], stem)
		}
	})
	best, most := -1, 0
	for i, u := range units {
		value := 0
		for _, s := range found[i] {
			value += 2 * stems[s]
		}
		for _, phrase := range phrases {
			if strings.Contains(folded(p.body.Text[u.Start:u.End]), phrase) {
				value += 2 * phraseWorth
			}
		}
		if value > 0 && i+1 < len(units) {
			for _, s := range found[i+1] {
				if !slices.Contains(found[i], s) {
					value += stems[s]
				}
			}
		}
		if !u.Heads() && (best < 0 || value > most) {
			best, most = i, value
		}
	}
	if most > 0 { // otherwise only names have the words
		p.body.Start, p.body.Match = units[best].Start, max(firsts[best], units[best].Start)
	}
	p.Line = p.top + strings.Count(p.body.Text[:p.body.Start], "\n")
	p.last = p.Line + strings.Count(strings.TrimSpace(p.body.Text[p.body.Start:]), "\n")
}

// Excerpt returns at most most bytes of the passage around its snippet, in whole units. It is empty if the file has changed.
func (p Passage) Excerpt(most int) string { return p.body.Around(most, "") }

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

// matches returns where the words with these stems are in a text: ascending offsets of their starts
// and ends. Words that only a space or an underscore separates are one match.
func matches(text string, stems map[string]int) [][2]int {
	var spans [][2]int
	last := -1
	var s analysis.Splitter
	s.Words(text, func(word []byte, offset int) {
		if offset < last { // an identifier as a whole; its parts came before
			return
		}
		last = offset
		if _, ok := stems[analysis.Stem(string(word))]; !ok {
			return
		}
		end := s.End
		if n := len(spans); n > 0 && (spans[n-1][1] >= offset || spans[n-1][1]+1 == offset && strings.ContainsRune(" _", rune(text[offset-1]))) {
			spans[n-1][1] = max(end, spans[n-1][1])
			return
		}
		spans = append(spans, [2]int{offset, end})
	})
	return spans
}
