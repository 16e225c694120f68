package capability

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/tokens"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

// Limits in tokens.
const (
	MaxSummary  = 3_000
	MaxFull     = 40_000
	MaxStats    = 1_000
	MaxElements = 10_000
)

// A section is a part of a document with as many entries as fit.
type section struct {
	head  string // before the entries
	count int    // of the entries
	entry func(i int) string
	// returns the numbers of the entries, the most important first; nil: as they are written
	order  func() []int
	weight int // its share of the room
	// says that entries are omitted; nil: the section does not say it
	rest func(left int) string
}

// An entry is written whole or not at all.
type entry struct {
	place  int // in the written section
	text   string
	tokens int
}

// fixed returns the tokens of a section without its entries.
func (s *section) fixed() int {
	n := tokens.Estimate(s.head)
	if s.rest != nil {
		n += tokens.Estimate(s.rest(1_000_000))
	}
	return n
}

// fitting returns the most important entries that fit in a room, and their tokens.
func (s *section) fitting(room int) (entries []entry, sum int) {
	var order []int
	if s.order != nil {
		order = s.order()
	}
	for i := range s.count {
		if order != nil {
			i = order[i]
		}
		text := s.entry(i)
		n := tokens.Estimate(text)
		if n > room/4 { // one entry must not take the place of all others
			continue
		}
		if sum+n > room {
			break
		}
		entries, sum = append(entries, entry{i, text, n}), sum+n
	}
	return entries, sum
}

// layOut returns a document of at most limit tokens. Sections that need no more than their share of the
// room get what they need, and the others divide the rest.
func layOut(limit int, head string, sections ...section) string {
	sections = slices.DeleteFunc(sections, func(s section) bool { return s.head == "" })
	room, weights := tokens.Bound(limit)-tokens.Estimate(head), 0
	for i := range sections {
		room -= sections[i].fixed()
		weights += sections[i].weight
	}
	chosen, needs, smallest := make([][]entry, len(sections)), make([]int, len(sections)), make([]int, len(sections))
	for i := range sections {
		chosen[i], needs[i] = sections[i].fitting(room)
		smallest[i] = i
	}
	slices.SortStableFunc(smallest, func(a, b int) int { return cmp.Compare(needs[a]*sections[b].weight, needs[b]*sections[a].weight) })
	for _, i := range smallest {
		share := max(room, 0) * sections[i].weight / weights
		for needs[i] > share {
			last := len(chosen[i]) - 1
			needs[i] -= chosen[i][last].tokens
			chosen[i] = chosen[i][:last]
		}
		room, weights = room-needs[i], weights-sections[i].weight
	}
	var b strings.Builder
	b.WriteString(head)
	for i, s := range sections {
		b.WriteString(s.head)
		slices.SortFunc(chosen[i], func(a, b entry) int { return cmp.Compare(a.place, b.place) })
		for _, e := range chosen[i] {
			b.WriteString(e.text)
		}
		if left := s.count - len(chosen[i]); left > 0 && s.rest != nil {
			b.WriteString(s.rest(left))
		}
	}
	return b.String()
}

// Bounds of titles and descriptions in bytes.
const (
	maxTitle       = 120
	maxDescription = 240
)

// line returns a text of a file as one line of at most n bytes, without invisible characters.
func line(s string, n int) string {
	return excerpt.Ellipsis(excerpt.OneLine(strings.ToValidUTF8(excerpt.Cut(s, 4*n), "\ufffd")), max(n, len("…")))
}

// special are the characters with a meaning in the middle of a line of Markdown.
const special = "\\`*_[]<>&|~"

// prose returns a text of a file as Markdown that shows it on one line.
func prose(s string, n int) string {
	var b strings.Builder
	for _, r := range line(s, n) {
		if strings.ContainsRune(special, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// code returns a name, which must be one line, as code in Markdown.
func code(s string) string {
	longest := excerpt.Backticks(s)
	if longest == 0 && strings.TrimSpace(s) == s && s != "" {
		return "`" + s + "`"
	}
	fence := strings.Repeat("`", longest+1)
	return fence + " " + s + " " + fence
}

// word returns a name with any characters as code. Invisible characters are percent-encoded, which the tools understand.
func word(name string) string { return code(uri.Display(name)) }

// described joins a title and a description, either of which may be missing, after a space.
func described(title, description string) string {
	parts := slices.Compact([]string{prose(title, maxTitle), prose(description, maxDescription)})
	if parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" }); len(parts) == 0 {
		return ""
	}
	return " " + strings.Join(parts, ": ")
}

// number writes a number with commas between thousands.
func number[N int | int64](n N) string {
	s := strconv.FormatInt(int64(n), 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// plural writes a number of things, whose plural ends in "s".
func plural[N int | int64](n N, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return number(n) + " " + thing + "s"
}
