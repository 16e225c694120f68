package docs

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/analysis"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/directive"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// snippetSize is the greatest number of bytes of a snippet: a sentence or two.
const snippetSize = 240

// A unit is a part of a text that an excerpt shows as a whole, with the blank lines after it.
type unit struct {
	start, end int
	kind       unitKind
	inside     bool // the line begins in fenced code
	announces  bool // it is about what comes after it
}

type unitKind uint8

const (
	sentence  unitKind = iota
	blockLine          // an item of a list, a line of HTML, the first line of a notice
	tableRow
	tableHead // the head of a table, and the line below it
	codeLine  // also the fences around code
	headingLine
)

// block matches a line that does not continue the sentence of the line before it; alone matches such a line that no other
// line continues.
var (
	block = lazyregexp.New("^[ \\t>]*(?:(?:[-*+]|[0-9]{1,9}[.)])[ \\t]|[|<]|:::|!!!)")
	alone = lazyregexp.New("^[ \\t>]*(?:[|<]|:::|!!!)")
)

// unitsOf splits a text, which may begin in fenced code.
func unitsOf(text string, inFence bool) (units []unit) {
	fence, open := directive.Fence(fenceOf(inFence)), false // open: the next line may continue the last unit
	for start := 0; start < len(text); {
		end := len(text)
		if i := strings.IndexByte(text[start:], '\n'); i >= 0 {
			end = start + i + 1
		}
		line, last, inside := strings.TrimRight(text[start:end], " \t\r\n"), len(units)-1, fence != ""
		bare := strings.TrimLeft(line, "> \t")
		under := bare != "" && (strings.Trim(bare, "=") == "" || strings.Trim(bare, "-") == "")
		switch {
		case fence.Read(bare):
			units, open = append(units, unit{start: start, end: end, kind: codeLine, inside: inside}), false
		case bare == "" || under && open && units[last].kind == sentence:
			if open = false; last >= 0 {
				units[last].end = end
			}
			if under {
				units[last].kind = headingLine
			}
		case excerpt.Level(bare) > 0:
			units, open = append(units, unit{start: start, end: end, kind: headingLine}), false
		case block().MatchString(line):
			units, open = append(units, unit{start: start, end: end, kind: blockLine}), !alone().MatchString(line)
			if bare[0] == '|' {
				units[last+1].kind = tableRow
			}
			if rule().MatchString(bare) && last >= 0 && units[last].kind == tableRow {
				units[last].kind, units[last+1].kind = tableHead, tableHead
			}
		case open:
			units[last].end = end
		default:
			units, open = append(units, unit{start: start, end: end}), true
		}
		start = end
	}
	for i := 0; i < len(units); i++ {
		if u := units[i]; u.kind == sentence {
			if n := firstSentence(text[u.start:u.end]); n > 0 {
				units[i].end = u.start + n
				units = slices.Insert(units, i+1, unit{start: u.start + n, end: u.end})
			}
		}
		u := &units[i]
		u.announces = u.kind == headingLine || u.kind == tableHead || u.kind == codeLine && !u.inside ||
			u.kind != codeLine && strings.HasSuffix(strings.TrimRightFunc(text[u.start:u.end], unicode.IsSpace), ":")
	}
	return units
}

// rule matches the line below the head of a table.
var rule = lazyregexp.New(`^\|[ \t]*:?-[-:| \t]*$`)

// firstSentence returns where the second sentence of a text begins, or 0 if there is none.
func firstSentence(text string) int {
	for i, r := range text {
		if !strings.ContainsRune(".!?。！？", r) {
			continue
		}
		rest := strings.TrimLeft(text[i+utf8.RuneLen(r):], "*_`)\"”")
		below := strings.TrimLeftFunc(rest, unicode.IsSpace)
		if next, _ := utf8.DecodeRuneInString(below); below != "" && (r > utf8.RuneSelf || len(below) < len(rest) && !unicode.IsLower(next)) {
			return len(text) - len(below)
		}
	}
	return 0
}

func fenceOf(inFence bool) string {
	if inFence {
		return "```"
	}
	return ""
}

// focus sets the snippet to the unit that has most of the words and phrases, together with the words that only the unit after it has, or else
// to the beginning. stems are the words with their worth.
func (p *Passage) focus(stems map[string]int, phrases []string) {
	units := p.units
	// A word begins as its stem does, unless it is a version with "v". Stems take long, so most words need none.
	initials := [256]bool{'v': true}
	for s := range stems {
		initials[s[0]] = true
	}
	found, firsts := make([][]string, len(units)), make([]int, len(units))
	at := 0
	new(analysis.Splitter).Words(p.text, func(word []byte, offset int) {
		for at < len(units) && offset >= units[at].end {
			at++
		}
		if at == len(units) || offset < units[at].start || units[at].kind == headingLine || units[at].kind == tableHead || !initials[word[0]] {
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
			if strings.Contains(folded(p.text[u.start:u.end]), phrase) {
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
		if u.kind != headingLine && u.kind != tableHead && (best < 0 || value > most) {
			best, most = i, value
		}
	}
	if most > 0 { // otherwise only names have the words
		p.start, p.match = units[best].start, max(firsts[best], units[best].start)
	}
	p.Line = p.top + strings.Count(p.text[:p.start], "\n")
	p.last = p.Line + strings.Count(strings.TrimSpace(p.text[p.start:]), "\n")
}

// Excerpt returns at most most bytes of the passage around its snippet, in whole units. It is empty if the file has changed.
func (p Passage) Excerpt(most int) string { return p.around(most, "") }

// around is Excerpt with lines that begin with an indentation.
func (p Passage) around(most int, indent string) string {
	units := p.units
	if len(units) == 0 || most < smallExcerpt {
		return ""
	}
	focus := 0
	for focus+1 < len(units) && units[focus+1].start <= p.start {
		focus++
	}
	top := 0
	if len(units) > 1 && units[0].kind == headingLine && p.Heading != "" {
		top = 1 // the answer names the heading
		focus = max(focus, 1)
	}
	from, to := focus, focus+1
	shown := p.join(from, to, indent)
	if len(shown) > most {
		return p.cut(focus, most, indent)
	}
	for forward, back := true, true; forward || back; {
		forward, back = forward && to < len(units), back && from > top
		f, t := from, to
		switch before, after := units[focus].start-units[from].start, units[to-1].end-units[focus].end; {
		case back && !p.closes(from-1) && (!forward || p.closes(to-1)): // the rest of a paragraph comes before other paragraphs
			f--
		case forward && (!back || after <= 3*before):
			t++
		case back:
			f--
		default:
			continue
		}
		if longer := p.join(f, t, indent); len(longer) <= most {
			from, to, shown = f, t, longer
		} else if t > to {
			forward = false
		} else {
			back = false
		}
	}
	// The end must not announce what is not there.
	for to-1 > focus && units[to-1].announces {
		to--
		shown = p.join(from, to, indent)
	}
	return shown
}

// closes reports whether a blank line follows a unit, or it is of code.
func (p Passage) closes(number int) bool {
	u := p.units[number]
	text := p.text[u.start:u.end]
	return u.kind == codeLine || strings.Count(text[len(strings.TrimRight(text, " \t\r\n")):], "\n") > 1
}

// head returns the head of the table of a row, or "".
func (p Passage) head(row int) string {
	i := row
	for i > 0 && p.units[i].kind == tableRow {
		i--
	}
	if i == row || p.units[i].kind != tableHead {
		return ""
	}
	return p.text[p.units[i-1].start:p.units[i].end]
}

// join returns adjacent units as an excerpt. Rows of a table have its head.
func (p Passage) join(from, to int, indent string) string {
	units := p.units[from:to]
	text := p.head(from) + p.text[units[0].start:units[len(units)-1].end]
	if units[0].inside {
		if line, rest, _ := strings.Cut(text, "\n"); len(units) > 1 && !units[1].inside && fenceAfter(line, "```") == "" {
			text = strings.TrimLeft(rest, " \t\r\n") // the end of code
		} else {
			text = "```\n" + text
		}
	} else {
		text = strings.TrimLeft(text, " \t\r\n")
	}
	text = strings.TrimRightFunc(blanks().ReplaceAllString(text, "\n\n"), unicode.IsSpace)
	if open := fenceAfter(text, ""); open != "" {
		text += "\n" + open
	}
	return excerpt.Indented(text, indent)
}

// cut returns a part of a unit that is longer than an excerpt. Each cell of a row is cut, so that none is missing.
func (p Passage) cut(focus, most int, indent string) string {
	u := p.units[focus]
	text := excerpt.OneLine(p.text[u.start:u.end])
	if u.kind == tableRow {
		head := p.head(focus)
		if len(head) > most/3 {
			head = ""
		}
		row := most - len(excerpt.Indented(head, indent)) - len(indent)
		for cells, size := strings.Split(text, "|"), row; len(text) > row && size > 16; size = size * 3 / 4 {
			for i, cell := range cells {
				cells[i] = excerpt.Ellipsis(cell, size)
			}
			text = strings.Join(cells, "|")
		}
		if len(text) <= row {
			return excerpt.Indented(head+text, indent)
		}
	}
	skipped := len(excerpt.OneLine(p.text[u.start:max(u.start, p.match)])) - most/4
	room := most - len(indent) - len(" …")
	if skipped <= 0 || len(text)-skipped < room/2 {
		skipped = 0
	} else {
		text = strings.TrimLeft(text[len(excerpt.Cut(text, skipped)):], " ")
		_, rest, found := strings.Cut(text, " ")
		if found && len(text)-len(rest) < most/4 {
			text = rest
		}
		text = "… " + text
	}
	if len(text) > room {
		text = excerpt.Cut(text, room)
		if i := strings.LastIndexByte(text, ' '); i > room/2 {
			text = text[:i]
		}
		text += " …"
	}
	return indent + text
}

// padding matches what a row of a table has for the eye, and anchors.
var padding = lazyregexp.New(`[ \t]{2,}|-{4,}|<a (?:id|name)="[^"]{0,200}">(?:</a>)?`)

// picture matches the markup of an image.
var picture = lazyregexp.New(`!\[[^\]\n]{0,400}\]\([^()\n]{0,400}\)(?:\{[^}\n]{0,100}\})?`)

// blanks matches several blank lines.
var blanks = lazyregexp.New(`\n(?:[ \t\r]*\n){2,}`)

// compact returns a text without the padding of tables, the markup of images and the targets of links that stand alone.
func compact(text string, inFence bool) string {
	fence, lines := directive.Fence(fenceOf(inFence)), strings.Split(text, "\n")
	for i, line := range lines {
		trimmed := strings.TrimLeft(line, "> \t")
		if fence.Read(strings.TrimSpace(trimmed)) {
			continue
		}
		if excerpt.DefinesLink(line) {
			line = ""
		}
		if strings.Contains(line, "![") {
			line = picture().ReplaceAllString(line, "")
		}
		if strings.HasPrefix(trimmed, "|") {
			line = padding().ReplaceAllStringFunc(line, func(s string) string { return map[byte]string{'-': "---", ' ': " ", '\t': " "}[s[0]] })
		}
		lines[i] = line
	}
	return strings.Join(lines, "\n")
}

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
