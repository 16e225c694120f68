package webpage

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// insideIDs is the attribute of a code block that holds the ids inside it, up to a number of bytes.
const (
	insideIDs    = "data-inside-ids"
	maxInsideIDs = 16 << 10
)

// A listing is the text of a code block, with what its elements say about its lines.
type listing struct {
	strings.Builder
	ids     string
	signed  []stretch // lines that were added or removed
	numbers []stretch // elements of digits at the start of a line
	named   bool      // a class says that they are numbers of lines
}

// A stretch is a part of a listing: its bounds, and a number or a sign.
type stretch struct{ start, end, value int }

// code simplifies a code block to its text, with one class for the language.
func code(pre *html.Node) {
	language := languageOf(pre)
	l := &listing{ids: attribute(pre, insideIDs)} // code may be called twice for a block
	for n := descendant(pre, is(atom.Code)); n != nil && n != pre; n = n.Parent {
		if title := before(n); title != nil && (title.DataAtom == atom.Div || title.DataAtom == atom.A && title == n.PrevSibling && n.Parent == pre) && strings.Trim(text(title), "0123456789 \n") != "" {
			remove(title)
			pre.Parent.InsertBefore(title, pre)
		}
	}
	l.write(pre)
	content, isDiff := l.lines()
	if isDiff {
		language = "diff"
	}
	inner := newElement(atom.Code, newText(strings.Trim(content, "\n")+"\n"))
	fill(pre, inner)
	keep(pre, "id")
	if l.ids != "" {
		set(pre, insideIDs, l.ids)
	}
	if language != "" {
		inner.Attr = []html.Attribute{{Key: "class", Val: "language-" + language}}
	}
}

// literal makes an element code in a text. A link that has all of the code is around it, because code has no links. Code that
// follows code at once becomes one with it, because the marks would touch.
func literal(n *html.Node) {
	rename(n, atom.Code)
	link, before := firstLink(n), n.PrevSibling
	switch {
	case inCode(n):
	case link != nil && size(link) == size(n):
		unwrap(link)
		n.Attr = nil
		replace(n, link)
		fill(link, n)
	case before != nil && before.DataAtom == atom.Code && divisions[n.Parent.DataAtom] && ownText(n.Parent) == "": // lines
		n.Parent.InsertBefore(newElement(atom.Br), n)
	case before != nil && before.DataAtom == atom.Code:
		remove(before)
		n.InsertBefore(before, n.FirstChild)
	}
}

// coloured reports whether an element is a part of a code block.
func coloured(n *html.Node) bool { return n.DataAtom == atom.Span && closest(n, isPre) != nil }

func isPre(n *html.Node) bool { return n.DataAtom == atom.Pre }

// codeSpaces makes the characters that pages use for the layout of code those that the code has.
var codeSpaces = strings.NewReplacer("\u00a0", " ", "\u200b", "")

// lineElements are the elements that begin a line of code.
var lineElements = map[atom.Atom]bool{atom.Div: true, atom.Table: true, atom.P: true, atom.Tr: true, atom.Li: true}

// lineStyles finds the styles of elements that are lines.
var lineStyles = names(`(?i)display:\s*(block|flex|grid)`)

// nextLine reports whether an element is the line after the element that it touches: both are of one kind, which a class, an attribute, a
// style or the name of the element says.
func nextLine(n *html.Node) bool {
	last := n.PrevSibling
	isLine := func(n *html.Node) bool {
		return lineElements[n.DataAtom] || n.DataAtom == atom.Code || n.DataAtom == 0 && strings.Contains(n.Data, "line") || has(n, "data-line") || lineNames(attribute(n, "class")) || lineStyles(attribute(n, "style"))
	}
	return last != nil && last.Type == html.ElementNode && last.Data == n.Data && isLine(n) && isLine(last)
}

// begins reports whether the next text begins a line.
func (l *listing) begins() bool { return l.Len() == 0 || strings.HasSuffix(l.String(), "\n") }

// write writes the text below an element.
func (l *listing) write(top *html.Node) {
	lineStart := 0 // of the previous child
	ended := false // the previous text was a line
	for n := range top.ChildNodes() {
		if ended && hasText(n) && !l.begins() && !strings.HasPrefix(n.Data, "\n") {
			l.WriteByte('\n')
		}
		ended = ended && !hasText(n) && !strings.Contains(n.Data, "\n") || lineElements[n.DataAtom] && n.DataAtom != atom.Table && hasText(n)
		if n.Type == html.TextNode {
			l.WriteString(codeSpaces.Replace(n.Data))
			continue
		}
		if id := cmp.Or(attribute(n, "id"), attribute(n, "name")); id != "" && len(l.ids)+len(id) < maxInsideIDs {
			l.ids = strings.TrimSpace(l.ids + " " + id)
		}
		switch {
		case dropped[n.DataAtom], hidden(n), hasClass(n, "boring", "ttc", "tooltip", "tooltiptext"): // lines that mdBook hides, and texts that show when the mouse is there
			continue
		case n.DataAtom == atom.Br, lineElements[n.DataAtom] && !l.begins(), nextLine(n) && (!l.begins() || l.Len() == lineStart):
			l.WriteByte('\n')
		}
		start, first := l.Len(), l.begins()
		lineStart = start
		if l.write(n); (isPre(n) || n.DataAtom == atom.Ol) && after(n) != nil {
			l.WriteByte('\n')
		}
		if !first || l.Len() == start {
			continue
		}
		if sign := signOf(n); sign != 0 {
			l.signed = append(l.signed, stretch{start, l.Len(), sign})
		} else if l.Len()-start < 10 {
			if number, err := strconv.Atoi(strings.Trim(l.String()[start:], ": \t\n")); err == nil {
				l.numbers = append(l.numbers, stretch{start, l.Len(), number})
				l.named = l.named || strings.Contains(attribute(n, "class"), "line")
			}
		}
	}
}

var (
	addedNames   = names(`(?i)(^|[\s_-])(add(ed|ition)?|ins(erted)?)([\s_-]|$)`)
	removedNames = names(`(?i)(^|[\s_-])(removed?|del(eted|etion)?)([\s_-]|$)`)
)

// signOf returns the sign of a line that was added or removed, or 0.
func signOf(n *html.Node) int {
	switch class := attribute(n, "class"); {
	case n.DataAtom == atom.Ins, addedNames(class):
		return '+'
	case n.DataAtom == atom.Del, removedNames(class):
		return '-'
	}
	return 0
}

// changeMarks finds the comments that Shiki reads as marks of changed lines.
var changeMarks = pattern(`[ \t]*(?://|#|--|/\*|<!--|;|%)?[ \t]*\[!code (\+\+|--)\][ \t]*(?:\*/|-->)?[ \t]*$`)

// numbersOf reports whether a cell has only numbers that count up by one, as many as the next cell has lines of code.
func numbersOf(n *html.Node) bool {
	next := after(n)
	if n.DataAtom != atom.Td || next == nil || !holds(next, isPre) {
		return false
	}
	numbers := strings.Fields(signatureText(n)) // with spaces between divisions
	for i, s := range numbers {
		first, _ := strconv.Atoi(strings.Trim(numbers[0], ":.|"))
		if number, err := strconv.Atoi(strings.Trim(s, ":.|")); err != nil || number != first+i {
			return false
		}
	}
	one, lines := holds(n, isPre), len(numbers)
	if one { // some lines may have no number
		lines = 1 + strings.Count(strings.TrimRight(text(n), "\n"), "\n")
	}
	return (len(numbers) > 1 || len(numbers) == 1 && one) && lines > strings.Count(strings.TrimSpace(text(next)), "\n")
}

// lines returns the text of a listing without line numbers, with a sign before each line that was added or removed. isDiff
// reports that there are such lines, and that the page shows their signs by other means than text.
func (l *listing) lines() (content string, isDiff bool) {
	content = l.String()
	numbers := slices.CompactFunc(l.numbers, func(a, b stretch) bool { return a.start == b.start }) // of elements in elements
	if len(numbers) <= strings.Count(strings.TrimSpace(content), "\n") || len(numbers) == 1 && !l.named {
		numbers = nil // not all lines begin with one
	}
	left := letters(content) // letters and digits that are not in numbers
	for i, n := range numbers {
		if left -= letters(content[n.start:n.end]); left == 0 || n.value != numbers[0].value+i && !(l.named && (i == 0 || n.value > numbers[i-1].value)) {
			numbers = nil
			break
		}
	}
	var plain, signed strings.Builder
	offset, next := 0, 0
	for line := range strings.Lines(content) {
		start, end := offset, offset+len(strings.TrimRight(line, "\r\n"))
		offset += len(line)
		sign := ' '
		for next < len(l.signed) && l.signed[next].end < end {
			next++
		}
		if next < len(l.signed) && l.signed[next].start <= start && start < end {
			sign = rune(l.signed[next].value)
		}
		if len(numbers) > 0 && numbers[0].start == start {
			line = content[min(numbers[0].end, offset):offset]
			numbers = numbers[1:]
		}
		if strings.Contains(line, "[!code ") {
			if m := changeMarks().FindStringSubmatchIndex(strings.TrimRight(line, "\r\n")); m != nil {
				sign, line = rune(line[m[2]]), line[:m[0]]+"\n"
			}
		}
		isDiff = isDiff || sign != ' ' && !strings.HasPrefix(line, string(sign))
		plain.WriteString(line)
		signed.WriteString(string(sign) + line)
	}
	if isDiff {
		return signed.String(), true
	}
	return plain.String(), false
}
