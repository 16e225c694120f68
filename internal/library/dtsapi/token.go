package dtsapi

import (
	"strings"
	"unicode/utf8"
)

// A token is a word, a string, a number or a punctuation mark of a source text.
type token struct {
	kind       byte // 'w' for words and numbers, 's' for strings and templates, 'p' for punctuation, 0 at the end
	start, end int
	newline    bool // it is the first token of a line
	doc        span // the last JSDoc comment before it
}

// A span is a part of a source text.
type span struct{ start, end int }

// A scanner reads the tokens of a part of a source text.
type scanner struct {
	src  string // up to the end of the part
	pos  int
	tok  token
	prev token
}

func newScanner(src string, part span) *scanner {
	s := &scanner{src: src[:part.end], pos: part.start}
	s.next()
	return s
}

func (s *scanner) text() string { return s.src[s.tok.start:s.tok.end] }

// is reports whether the current token is a certain word or mark.
func (s *scanner) is(text string) bool { return s.tok.kind != 's' && s.text() == text }

// accept moves on if the current token is a certain word or mark.
func (s *scanner) accept(text string) bool {
	ok := s.tok.kind != 0 && s.is(text)
	if ok {
		s.next()
	}
	return ok
}

// peek returns the token after the current one.
func (s *scanner) peek() (token, string) {
	ahead := *s
	ahead.next()
	return ahead.tok, ahead.text()
}

// quoted returns the text of a string token without its quotes.
func (s *scanner) quoted() string {
	if t := s.text(); s.tok.kind == 's' && len(t) > 1 {
		return t[1 : len(t)-1]
	}
	return ""
}

// next moves to the next token.
func (s *scanner) next() {
	s.prev = s.tok
	s.tok = token{}
	for s.pos < len(s.src) {
		c, rest := s.src[s.pos], s.src[s.pos:]
		switch {
		case c == '\n':
			s.tok.newline = true
			s.pos++
		case c <= ' ' || c == 0x7f:
			s.pos++
		case strings.HasPrefix(rest, "//") || strings.HasPrefix(rest, "#!"):
			s.pos += lengthTo(rest, "\n", 0)
		case strings.HasPrefix(rest, "/*"):
			n := lengthTo(rest[2:], "*/", 2) + 2
			if strings.HasPrefix(rest, "/**") && n > len("/***/") {
				s.tok.doc = span{s.pos, s.pos + n}
			}
			s.tok.newline = s.tok.newline || strings.Contains(rest[:n], "\n")
			s.pos += n
		default:
			s.tok.start = s.pos
			s.tok.kind, s.pos = s.scan(c)
			s.tok.end = s.pos
			return
		}
	}
	s.tok.start, s.tok.end = len(s.src), len(s.src)
}

// lengthTo returns the length of a text up to a mark, and the length of the mark if it counts.
func lengthTo(text, mark string, after int) int {
	if i := strings.Index(text, mark); i >= 0 {
		return i + after
	}
	return len(text)
}

// scan returns the kind and the end of the token that begins with a byte.
func (s *scanner) scan(c byte) (kind byte, end int) {
	switch {
	case isWord(c):
		end = s.pos
		for end < len(s.src) && isWord(s.src[end]) {
			end++
		}
		return 'w', end
	case c == '"' || c == '\'':
		for end = s.pos + 1; end < len(s.src) && s.src[end] != '\n'; end++ {
			if s.src[end] == '\\' {
				end++
			} else if s.src[end] == c {
				return 's', end + 1
			}
		}
		return 's', min(end, len(s.src))
	case c == '`':
		return 's', s.template()
	}
	for _, mark := range []string{"=>", "..."} {
		if strings.HasPrefix(s.src[s.pos:], mark) {
			return 'p', s.pos + len(mark)
		}
	}
	return 'p', s.pos + 1
}

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c == '\\' || c >= utf8.RuneSelf
}

// template returns the end of a template, which may contain templates in its expressions.
func (s *scanner) template() int {
	braces := []int{} // open braces in the expression of each template around the current one
	inText := true
	for i := s.pos + 1; i < len(s.src); i++ {
		switch c := s.src[i]; {
		case inText && c == '\\':
			i++
		case inText && c == '`':
			if len(braces) == 0 {
				return i + 1
			}
			inText = false
		case inText && c == '$' && strings.HasPrefix(s.src[i:], "${"):
			braces, inText = append(braces, 0), false
			i++
		case inText:
		case c == '`':
			inText = true
		case c == '{':
			braces[len(braces)-1]++
		case c == '}' && braces[len(braces)-1] > 0:
			braces[len(braces)-1]--
		case c == '}':
			braces, inText = braces[:len(braces)-1], true
		}
	}
	return len(s.src)
}
