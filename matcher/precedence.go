package matcher

import (
	"cmp"
	"unicode/utf8"
)

// specificity is what decides between patterns that match the same URI. It counts once, so that comparing is cheap.
type specificity struct {
	spans    bool // a variable may span segments
	literal  int  // segments without a variable
	partial  int  // segments with literals and variables, none of which spans
	chars    int  // literal characters, slashes included
	vars     int
	position int // in the file
}

func (p *Pattern) specificity(position int) specificity {
	s := specificity{spans: p.spans, vars: len(p.vars), position: position}
	slashes := len(p.head) + len(p.tail) - 1
	if p.spans {
		slashes++
		s.countChars(p.before)
		s.countChars(p.after)
	}
	s.chars += slashes
	for _, segments := range [][]segment{p.head, p.tail} {
		for _, seg := range segments {
			s.countChars(seg)
			switch {
			case seg.isLiteral():
				s.literal++
			case !seg.isAny():
				if seg.hasLiteral() {
					s.partial++
				}
			}
		}
	}
	return s
}

func (s *specificity) countChars(seg segment) {
	for _, l := range seg.literals {
		s.chars += utf8.RuneCountInString(l)
	}
}

func (s segment) hasLiteral() bool {
	for _, l := range s.literals {
		if l != "" {
			return true
		}
	}
	return false
}

// compare orders the pattern that admits fewer URIs first: the first of these that differs decides.
func (s specificity) compare(t specificity) int {
	return cmp.Or(
		compareBool(s.spans, t.spans),
		cmp.Compare(t.literal, s.literal),
		cmp.Compare(t.partial, s.partial),
		cmp.Compare(t.chars, s.chars),
		cmp.Compare(s.vars, t.vars),
		cmp.Compare(s.position, t.position),
	)
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
