package docs

import (
	"context"
	"slices"
	"strings"
)

// leadSize is the greatest number of bytes of a section that an answer shows.
const leadSize = 1000

// section returns the best passage of a page with the rest of its section around it, as far as an answer may show it.
func (p foundPage) section(ctx context.Context, best Passage) Passage {
	number := p.ranked[0].passage
	doc := p.passages[number].Document
	whole := ""
	read := func(n uint32) (text string, line int, units []unit) {
		text, _ = p.library.passage(ctx, p.docs[doc], p.passages[n], &whole)
		_, text, line = readers(text, p.passages[n])
		return text, line, unitsOf(text, p.passages[n].Code)
	}
	join := func(units []unit, size int, more []unit) []unit {
		units = slices.Clone(units)
		for _, u := range more {
			u.start, u.end = u.start+size, u.end+size
			units = append(units, u)
		}
		return units
	}
	first := number
	for first > 0 && p.passages[first].Later && p.passages[first-1].Document == doc && best.start < leadSize {
		first--
		text, line, units := read(first)
		best.units = join(units, len(text), best.units)
		best.text, best.start, best.match, best.top = text+best.text, best.start+len(text), best.match+len(text), line
	}
	level := levelOf(best.text)
	for n := number + 1; int(n) < len(p.passages) && p.passages[n].Document == doc && len(best.text) < best.start+leadSize; n++ {
		more, _, units := read(n)
		if !p.passages[n].Later && levelOf(more) <= level {
			break
		}
		best.units = join(best.units, len(best.text), units)
		best.text += more
	}
	best.last = best.top + strings.Count(strings.TrimSpace(best.text), "\n")
	return best
}

// levelOf returns the level of the heading that begins a text, or 0.
func levelOf(text string) int {
	line, rest, _ := strings.Cut(strings.TrimLeft(text, "\r\n \t"), "\n")
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
