package glob

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// A token is one part of a pattern: an expression for one character, a run of stars, or braces.
type token struct {
	expression   string
	slash        bool // a slash
	escaped      bool // the slash follows a backslash, so that "**" before it is not a whole segment
	wide         bool // a class or braces that may match a slash
	stars        int
	alternatives [][]token // of braces
	edge         bool      // the braces have a star at an end, with at most parts that may be empty between the star and the end
}

func (t token) braces() bool { return t.alternatives != nil }

// A parser reads a valid pattern from the left.
type parser struct {
	rest string
	deep bool // braces are nested too deeply
}

// sequence reads up to the end of the pattern or, in braces, up to the end of the alternative.
func (p *parser) sequence(depth int) []token {
	out := []token{}
	for p.rest != "" && !p.deep {
		switch c := p.rest[0]; {
		case c == '*':
			n := len(p.rest) - len(strings.TrimLeft(p.rest, "*"))
			p.rest = p.rest[n:]
			out = append(out, token{stars: n})
		case c == '?':
			p.rest = p.rest[1:]
			out = append(out, token{expression: `[^/]`})
		case c == '[':
			out = append(out, p.class())
		case c == '{':
			out = append(out, p.braces(depth+1))
		case depth > 0 && (c == ',' || c == '}'):
			return out
		default:
			r, escaped := p.character()
			out = append(out, token{expression: character(r), slash: r == '/', escaped: escaped})
		}
	}
	return out
}

// braces reads from an opening brace to the one that closes it.
func (p *parser) braces(depth int) token {
	if depth > maxDepth {
		p.deep = true
		return token{}
	}
	var t token
	for closed := false; !closed && p.rest != "" && !p.deep; {
		p.rest = p.rest[1:] // the brace or comma
		s := p.sequence(depth)
		t.alternatives = append(t.alternatives, s)
		t.edge = t.edge || beside(s, -1, 1) || beside(s, len(s), -1)
		t.wide = t.wide || slices.ContainsFunc(s, func(inner token) bool { return inner.slash || inner.wide })
		closed = strings.HasPrefix(p.rest, "}")
	}
	p.rest = strings.TrimPrefix(p.rest, "}")
	return t
}

// beside reports whether a star may be next to the part at i, in that direction.
func beside(s []token, i, step int) bool {
	for i += step; 0 <= i && i < len(s); i += step {
		if s[i].stars > 0 || s[i].edge {
			return true
		} else if !s[i].braces() { // braces may be empty
			return false
		}
	}
	return false
}

// character reads one character, which may follow a backslash. Bytes that are not UTF-8 become
// U+FFFD, as in names.
func (p *parser) character() (r rune, escaped bool) {
	if escaped = p.rest[0] == '\\'; escaped {
		p.rest = p.rest[1:]
	}
	r, n := utf8.DecodeRuneInString(p.rest)
	p.rest = p.rest[n:]
	return r, escaped
}

// class reads a class.
func (p *parser) class() token {
	p.rest = p.rest[1:]
	negated := p.rest[0] == '!' || p.rest[0] == '^'
	if negated {
		p.rest = p.rest[1:]
	}
	var ranges strings.Builder
	slash := false
	add := func(first, last rune) {
		if first <= last {
			ranges.WriteString(character(first) + "-" + character(last))
		}
		slash = slash || first <= '/' && '/' <= last
	}
	for last := rune(utf8.MaxRune); p.rest[0] != ']'; {
		dash := p.rest[0] == '-'
		r, _ := p.character()
		if dash && last < utf8.MaxRune && p.rest[0] != ']' {
			r, _ = p.character()
			add(last, r)
			last = utf8.MaxRune // another dash is literal
			continue
		}
		add(r, r)
		last = r
	}
	p.rest = p.rest[1:]
	if negated {
		return token{expression: "[^" + ranges.String() + "]", wide: !slash}
	}
	return token{expression: "[" + ranges.String() + "]", wide: slash}
}

// character returns the expression for one character, in a class or not.
func character(r rune) string {
	if r < utf8.RuneSelf && (r == '_' || r == '/' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z') {
		return string(r)
	}
	return fmt.Sprintf(`\x{%x}`, r)
}

// An expansion expands braces if a star may be next to another star, a slash or an end of the
// pattern in some of the alternatives and not in others.
type expansion struct {
	extra int // sequences made from braces, without the first of each
	size  int // tokens in all sequences
}

// expand returns the expanded sequences. Braces that remain in them have no star at or next to
// their ends.
func (e *expansion) expand(s []token) [][]token {
	for i, t := range s {
		if !t.braces() || !t.edge && !beside(s, i, -1) && !beside(s, i, 1) {
			continue
		}
		var out [][]token
		for j, alternative := range t.alternatives {
			if j > 0 {
				e.extra++
			}
			if e.excess() {
				return nil
			}
			out = append(out, e.expand(join(s[:i], alternative, s[i+1:]))...)
		}
		return out
	}
	s = slices.Clone(s)
	e.size += len(s)
	for i, t := range s {
		if !t.braces() {
			continue
		}
		s[i].alternatives = make([][]token, 0, len(t.alternatives))
		for _, alternative := range t.alternatives {
			s[i].alternatives = append(s[i].alternatives, e.expand(alternative)...)
		}
	}
	return [][]token{s}
}

func (e *expansion) excess() bool { return e.extra >= maxAlternatives || e.size > maxSize }

// join joins sequences, and adjacent runs of stars.
func join(parts ...[]token) []token {
	out := []token{}
	for _, part := range parts {
		for _, t := range part {
			if last := len(out) - 1; t.stars > 0 && last >= 0 && out[last].stars > 0 {
				out[last].stars += t.stars
				continue
			}
			out = append(out, t)
		}
	}
	return out
}

// Expressions for stars.
const (
	inSegment = `[^/]*`
	segments  = `(?:/[^/]*)*` // "/**"
	leading   = `(?:[^/]*/)*` // "**/" at the beginning
)

// spans reports whether the stars at i are "**" and a whole segment.
func spans(s []token, i int) bool {
	return i < len(s) && s[i].stars == 2 && (i == 0 || s[i-1].slash) && (i+1 == len(s) || s[i+1].slash && !s[i+1].escaped)
}

// expression returns the expression for an expanded sequence.
func expression(s []token) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		t := s[i]
		first := i == 0 && spans(s, 0)
		if t.slash && spans(s, i+1) {
			i++
		}
		switch {
		case spans(s, i):
			for i+1 < len(s) && spans(s, i+2) { // "**/**" is "**"
				i += 2
			}
			switch {
			case first && i+1 == len(s):
				b.WriteString(`(?s:.*)`)
			case first:
				b.WriteString(leading)
				i++ // the slash
			default:
				b.WriteString(segments)
			}
		case t.stars > 0:
			b.WriteString(inSegment)
		case t.braces():
			alternatives := make([]string, len(t.alternatives))
			for j, alternative := range t.alternatives {
				alternatives[j] = expression(alternative)
			}
			b.WriteString(`(?:` + strings.Join(alternatives, "|") + `)`)
		default:
			b.WriteString(t.expression)
		}
	}
	return b.String()
}
