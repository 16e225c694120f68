package docs

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/directive"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// snippetSize is the approximate number of bytes of a snippet: a sentence or two.
const snippetSize = 240

// A match is a word of a query in a passage.
type match struct {
	offset int
	stem   string
	value  int
}

// snippet returns where the sentence or line of code begins from which on a passage contains most of the words. stems are the
// words; the value is true for a word of the query itself. The passage begins with front bytes of
// front matter, which is for programs: the snippet is taken from it only if there is nothing else.
func snippet(text string, front int, inFence bool, stems map[string]bool) (offset int) {
	if strings.TrimSpace(text[front:]) == "" {
		front = 0
	}
	// A word begins as its stem does, unless it is a version with "v". Stems take long, so most words need none.
	initials := [256]bool{'v': true}
	for s := range stems {
		initials[s[0]] = true
	}
	var matches []match
	var buffer []byte
	new(splitter).words(text, func(word []byte, offset int) {
		if offset < front || !initials[word[0]] {
			return
		}
		buffer = stem(append(buffer[:0], word...))
		if exact, ok := stems[string(buffer)]; ok {
			m := match{offset, string(buffer), 1}
			if exact {
				m.value = 4
			}
			matches = append(matches, m)
		}
	})
	start, best := front, 0
	for i, m := range matches {
		value := 0
		seen := make([]string, 0, 8)
		for _, other := range matches[i:] {
			if other.offset-m.offset > snippetSize*3/4 {
				break
			}
			if !slices.Contains(seen, other.stem) {
				seen = append(seen, other.stem)
				value += other.value
			}
		}
		if value > best {
			start, best = m.offset, value
		}
	}
	start = front + sentence(text[front:], start-front, inFence)
	return start + len(text[start:]) - len(strings.TrimLeftFunc(text[start:], unicode.IsSpace))
}

// block matches a text whose first line does not continue the sentence of the line before it, and alone a line after which a sentence
// begins.
var (
	block = lazyregexp.New("^[ \\t>]*(?:(?:[-*+#]|[0-9]{1,9}[.)])[ \\t]|[|<]|```|~~~|:::|!!!|\\r?\\n|$)")
	alone = lazyregexp.New("^[ \\t>]*(?:#|[|<]|```|~~~|:::|[-=]+$|$)|[|>]$")
)

// sentence returns where the sentence, or the line of code, around an offset in a text begins. In a sentence that is too long for
// a snippet, it returns the beginning of a word.
func sentence(text string, at int, inFence bool) int {
	line := func(end int) int { return strings.LastIndexByte(text[:end], '\n') + 1 }
	start := line(at)
	if fenceAfter(text[:start], fenceOf(inFence)) != "" || strings.HasPrefix(strings.TrimLeft(text[start:], " \t>"), "|") { // or a row of a table
		return start
	}
	for start > 0 && !block().MatchString(text[start:]) {
		before := line(start - 1)
		if alone().MatchString(strings.TrimRight(text[before:start], " \r\n")) {
			break
		}
		start = before
	}
	from := start
	for i, r := range text[from:at] {
		end := from + i + utf8.RuneLen(r)
		if r == '。' || r == '！' || r == '？' || end < at && strings.ContainsRune(".!?", r) && ends(text[end:at]) {
			start = end
		}
	}
	if at-start > snippetSize {
		start = at - snippetSize/4
		start += strings.IndexByte(text[start:at]+" ", ' ') // a long word is cut
	}
	return start
}

// ends reports whether a sentence ends before a text: its first letter is not a small one.
func ends(text string) bool {
	rest := strings.TrimLeft(text, "*_`)\"”")
	next, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(rest, unicode.IsSpace))
	return rest != "" && unicode.IsSpace(rune(rest[0])) && !unicode.IsLower(next)
}

func fenceOf(inFence bool) string {
	if inFence {
		return "```"
	}
	return ""
}

// inCode reports whether the snippet begins in fenced code.
func (p Passage) inCode() bool { return fenceAfter(p.text[:p.start], fenceOf(p.fenced)) != "" }

// Excerpt returns about as many bytes of the passage as most says, from the snippet on, without headings at the start. Lists and code stay as
// they are. It is empty if the file has changed.
func (p Passage) Excerpt(most int) string {
	text := compactRows(p.shown(), p.inCode(), min(most, 2*snippetSize))
	if len(text) > most {
		text = excerpt.Cut(text, most)
		if i := strings.LastIndexByte(text, '\n'); i > most/2 {
			text = text[:i]
		} else if i := strings.LastIndexByte(text, ' '); i > most/2 {
			text = text[:i] + " …"
		}
	}
	text = strings.TrimRightFunc(text, unicode.IsSpace)
	if i := strings.LastIndexByte(text, '\n'); directive.OpenFence(strings.TrimSpace(text[i+1:])) != "" && fenceAfter(text, "") != "" {
		text = strings.TrimRightFunc(text[:max(i, 0)], unicode.IsSpace) // code that is cut before its first line
	}
	if p.inCode() {
		text = "```\n" + text
	}
	if open := fenceAfter(text, ""); open != "" {
		text += "\n" + open
	}
	return text
}

// padding matches what a row of a table has for the eye, and anchors.
var padding = lazyregexp.New(`[ \t]{2,}|-{4,}|<a (?:id|name)="[^"]*">(?:</a>)?`)

// compactRows returns a text whose tables have no padding. In a row that is longer than most, each cell is cut, so that none is missing.
func compactRows(text string, inFence bool, most int) string {
	fence, lines := directive.Fence(fenceOf(inFence)), strings.Split(text, "\n")
	for i, line := range lines {
		if trimmed := strings.TrimLeft(line, "> \t"); fence.Read(strings.TrimSpace(trimmed)) || !strings.HasPrefix(trimmed, "|") {
			continue
		}
		line = padding().ReplaceAllStringFunc(line, func(s string) string { return map[byte]string{'-': "---", ' ': " ", '\t': " "}[s[0]] })
		for cells, size := strings.Split(line, "|"), most; len(line) > most && size > 16; size = size * 3 / 4 {
			for i, cell := range cells {
				cells[i] = excerpt.Ellipsis(cell, size)
			}
			line = strings.Join(cells, "|")
		}
		lines[i] = line
	}
	return strings.Join(lines, "\n")
}

// shown returns the text from the snippet on, without the heading that begins it unless there is nothing else.
func (p Passage) shown() string {
	text := p.text[p.start:]
	line, rest, _ := strings.Cut(text, "\n")
	under, below, _ := strings.Cut(rest, "\n")
	switch {
	case p.Heading == "" || p.inCode():
		return text
	case under != "" && strings.Trim(under, "=-") == "":
		rest = below
	case !strings.HasPrefix(line, "#"):
		return text
	}
	if rest = strings.TrimLeftFunc(rest, unicode.IsSpace); rest == "" {
		return text
	}
	return rest
}
