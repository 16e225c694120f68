package excerpt

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/directive"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// A Unit is a part of a text that an excerpt shows as a whole, with the blank lines after it.
type Unit struct {
	Start, End int
	Kind       UnitKind
	Inside     bool // the line begins in fenced code
	Announces  bool // it is about what comes after it
}

// Heads reports whether the unit is a heading or the head of a table.
func (u Unit) Heads() bool { return u.Kind == headingLine || u.Kind == tableHead }

// A UnitKind says what a unit is.
type UnitKind uint8

const (
	sentence  UnitKind = iota
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

// Units splits a text, which may begin in fenced code.
func Units(text string, inFence bool) (units []Unit) {
	// open: the next line may continue the last unit
	fence, open := directive.Fence(fenceOf(inFence)), false
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
			units, open = append(units, Unit{Start: start, End: end, Kind: codeLine, Inside: inside}), false
		case bare == "" || under && open && units[last].Kind == sentence:
			if open = false; last >= 0 {
				units[last].End = end
			}
			if under {
				units[last].Kind = headingLine
			}
		case Level(bare) > 0:
			units, open = append(units, Unit{Start: start, End: end, Kind: headingLine}), false
		case block().MatchString(line):
			units, open = append(units, Unit{Start: start, End: end, Kind: blockLine}), !alone().MatchString(line)
			if bare[0] == '|' {
				units[last+1].Kind = tableRow
			}
			if tableRule().MatchString(bare) && last >= 0 && units[last].Kind == tableRow {
				units[last].Kind, units[last+1].Kind = tableHead, tableHead
			}
		case open:
			units[last].End = end
		default:
			units, open = append(units, Unit{Start: start, End: end}), true
		}
		start = end
	}
	for i := 0; i < len(units); i++ {
		if u := units[i]; u.Kind == sentence {
			if n := firstSentence(text[u.Start:u.End]); n > 0 {
				units[i].End = u.Start + n
				units = slices.Insert(units, i+1, Unit{Start: u.Start + n, End: u.End})
			}
		}
		u := &units[i]
		u.Announces = u.Heads() || u.Kind == codeLine && !u.Inside ||
			u.Kind != codeLine && strings.HasSuffix(strings.TrimRightFunc(text[u.Start:u.End], unicode.IsSpace), ":")
	}
	return units
}

// tableRule matches the line below the head of a table.
var tableRule = lazyregexp.New(`^\|[ \t]*:?-[-:| \t]*$`)

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

// Smallest is the size in bytes of the smallest excerpt that says something.
const Smallest = 60

// A Focus is a text with the place of which an excerpt is made.
type Focus struct {
	Text   string
	Units  []Unit // of Text
	Start  int    // offset of the unit in focus
	Match  int    // offset in the text of what the unit is shown for
	Titled bool   // readers know the heading that begins the text
}

// Around returns at most most bytes of the text around the focus, in whole units. Its lines begin with indent.
func (f Focus) Around(most int, indent string) string {
	units := f.Units
	if len(units) == 0 || most < Smallest {
		return ""
	}
	focus := 0
	for focus+1 < len(units) && units[focus+1].Start <= f.Start {
		focus++
	}
	top := 0
	if len(units) > 1 && units[0].Kind == headingLine && f.Titled {
		top = 1
		focus = max(focus, 1)
	}
	from, to := focus, focus+1
	shown := f.join(from, to, indent)
	if len(shown) > most {
		return f.cut(focus, most, indent)
	}
	for forward, back := true, true; forward || back; {
		forward, back = forward && to < len(units), back && from > top
		first, end := from, to
		switch before, after := units[focus].Start-units[from].Start, units[to-1].End-units[focus].End; {
		// the rest of a paragraph comes before other paragraphs
		case back && !f.closes(from-1) && (!forward || f.closes(to-1)):
			first--
		case forward && (!back || after <= 3*before):
			end++
		case back:
			first--
		default:
			continue
		}
		if longer := f.join(first, end, indent); len(longer) <= most {
			from, to, shown = first, end, longer
		} else if end > to {
			forward = false
		} else {
			back = false
		}
	}
	// The end must not announce what is not there.
	for to-1 > focus && units[to-1].Announces {
		to--
		shown = f.join(from, to, indent)
	}
	return shown
}

// closes reports whether a blank line follows a unit, or it is of code.
func (f Focus) closes(number int) bool {
	u := f.Units[number]
	text := f.Text[u.Start:u.End]
	return u.Kind == codeLine || strings.Count(text[len(strings.TrimRight(text, " \t\r\n")):], "\n") > 1
}

// head returns the head of the table of a row, or "".
func (f Focus) head(row int) string {
	i := row
	for i > 0 && f.Units[i].Kind == tableRow {
		i--
	}
	if i == row || f.Units[i].Kind != tableHead {
		return ""
	}
	return f.Text[f.Units[i-1].Start:f.Units[i].End]
}

// join returns adjacent units as an excerpt. Rows of a table have its head.
func (f Focus) join(from, to int, indent string) string {
	units := f.Units[from:to]
	text := f.head(from) + f.Text[units[0].Start:units[len(units)-1].End]
	if units[0].Inside {
		if line, rest, _ := strings.Cut(text, "\n"); len(units) > 1 && !units[1].Inside && FenceAfter(line, "```") == "" {
			text = strings.TrimLeft(rest, " \t\r\n") // the end of code
		} else {
			text = "```\n" + text
		}
	} else {
		text = strings.TrimLeft(text, " \t\r\n")
	}
	text = strings.TrimRightFunc(blanks().ReplaceAllString(text, "\n\n"), unicode.IsSpace)
	if open := FenceAfter(text, ""); open != "" {
		text += "\n" + open
	}
	return Indented(text, indent)
}

// cut returns a part of a unit that is longer than an excerpt. Each cell of a row is cut, so that none is missing.
func (f Focus) cut(focus, most int, indent string) string {
	u := f.Units[focus]
	text := OneLine(f.Text[u.Start:u.End])
	if u.Kind == tableRow {
		head := f.head(focus)
		if len(head) > most/3 {
			head = ""
		}
		row := most - len(Indented(head, indent)) - len(indent)
		for cells, size := strings.Split(text, "|"), row; len(text) > row && size > 16; size = size * 3 / 4 {
			for i, cell := range cells {
				cells[i] = Ellipsis(cell, size)
			}
			text = strings.Join(cells, "|")
		}
		if len(text) <= row {
			return Indented(head+text, indent)
		}
	}
	skipped := len(OneLine(f.Text[u.Start:max(u.Start, f.Match)])) - most/4
	room := most - len(indent) - len(" …")
	if skipped <= 0 || len(text)-skipped < room/2 {
		skipped = 0
	} else {
		text = strings.TrimLeft(text[len(Cut(text, skipped)):], " ")
		_, rest, found := strings.Cut(text, " ")
		if found && len(text)-len(rest) < most/4 {
			text = rest
		}
		text = "… " + text
	}
	if len(text) > room {
		text = Cut(text, room)
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

// Compact returns a text without the padding of tables, the markup of images and the targets of links that stand alone.
func Compact(text string, inFence bool) string {
	fence, lines := directive.Fence(fenceOf(inFence)), strings.Split(text, "\n")
	for i, line := range lines {
		trimmed := strings.TrimLeft(line, "> \t")
		if fence.Read(strings.TrimSpace(trimmed)) {
			continue
		}
		if DefinesLink(line) {
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

// FenceAfter returns the fence of the code that a text begins and does not end, or "". fence is the fence of the code in which
// the text begins.
func FenceAfter(text, fence string) string {
	if !strings.Contains(text, "```") && !strings.Contains(text, "~~~") {
		return fence
	}
	f := directive.Fence(fence)
	for line := range strings.Lines(text) {
		line = strings.TrimLeft(strings.TrimRight(line, " \t\r\n"), "> \t")
		f.Read(line)
	}
	return string(f)
}
