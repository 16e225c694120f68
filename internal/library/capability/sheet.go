package capability

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/tokens"
)

// Bounds in tokens.
const (
	MaxSummary = 3_000
	MaxFull    = 40_000
	MaxStats   = 1_000
	MaxPage    = 10_000
)

// spendable returns the part of a bound that a document may use, as estimates can be a little low.
func spendable(bound int) int { return bound * 9 / 10 }

// An item is a part of a section that is written whole or not at all.
type item struct {
	text  string
	place int // position in the written section; items are chosen in the order of the list
}

// A section is a part of a document with as many items as fit.
type section struct {
	head   string // before the items
	items  []item // the most important first
	joint  string // between items
	tail   string // after the items
	weight int    // its share of the room
	// rest says how many items are omitted, and where to find them. nil: the section does not say it.
	rest func(left int) string
	// fill returns the section for a number of tokens, instead of choosing items. need is how many
	// tokens it can use.
	fill func(room int) string
	need int
}

// fixed returns the tokens of a section without its items.
func (s *section) fixed() int {
	n := tokens.Estimate(s.head) + tokens.Estimate(s.tail)
	if s.rest != nil {
		n += tokens.Estimate(s.rest(1_000_000))
	}
	return n
}

// wants returns the tokens of all items, or a number above most.
func (s *section) wants(most int) int {
	if s.fill != nil {
		return s.need
	}
	sum := 0
	for _, i := range s.items {
		if sum += tokens.Estimate(i.text + s.joint); sum > most {
			break
		}
	}
	return sum
}

// write writes a section with room tokens for its items.
func (s *section) write(b *strings.Builder, room int) {
	b.WriteString(s.head)
	if s.fill != nil {
		b.WriteString(s.fill(room))
		b.WriteString(s.tail)
		return
	}
	var chosen []item
	for _, i := range s.items {
		if cost := tokens.Estimate(i.text + s.joint); cost <= room {
			room -= cost
			chosen = append(chosen, i)
		} else if room < 8 { // no item is that short
			break
		}
	}
	slices.SortStableFunc(chosen, func(a, b item) int { return cmp.Compare(a.place, b.place) })
	for n, i := range chosen {
		if n > 0 {
			b.WriteString(s.joint)
		}
		b.WriteString(i.text)
	}
	b.WriteString(s.tail)
	if left := len(s.items) - len(chosen); left > 0 && s.rest != nil {
		b.WriteString(s.rest(left))
	}
}

// layOut writes sections with room tokens for all of them. Sections that want no more than their share
// get what they want, and the others divide the rest.
func layOut(b *strings.Builder, room int, sections []section) {
	wants, rooms := make([]int, len(sections)), make([]int, len(sections))
	open, weights := 0, 0
	for i := range sections {
		s := &sections[i]
		room -= s.fixed()
		wants[i], rooms[i] = s.wants(room), -1
		open, weights = open+1, weights+s.weight
	}
	for settled := true; settled && open > 0; {
		settled = false
		share, total := max(room, 0), weights
		for i := range sections {
			if s := &sections[i]; rooms[i] < 0 && wants[i] <= share*s.weight/total {
				rooms[i], settled = wants[i], true
				room, open, weights = room-wants[i], open-1, weights-s.weight
			}
		}
	}
	for i := range sections {
		if rooms[i] < 0 {
			rooms[i] = max(room, 0) * sections[i].weight / weights
		}
		sections[i].write(b, rooms[i])
	}
}
