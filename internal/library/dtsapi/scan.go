package dtsapi

import (
	"bytes"
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A piece is a statement, or a member of a class, interface, enum or object type. All texts are parts of the source, but for outer.
type piece struct {
	doc   string // the JSDoc comment above it
	space string // before it in its first line
	text  string
	outer string // its first tokens that are in no brackets, and these brackets, with a space after each: interface I < > extends B { }
	body  string // if it ends with braces that are in no other brackets: what is between them
	kind  string // of a declaration: class, interface, function, enum, type, const, let, var, namespace or default
}

const (
	maxOuter = 1000 // bytes of piece.outer, which patterns are compared with

	// A line that begins or ends with one of these tokens is one statement with the line above or below.
	beginsLater = " | & => ? : = . , ) ] > { extends implements is "
	endsLater   = " | & => : = . , + - / % ^ ~ @ # extends keyof infer is typeof readonly unique new asserts in as "
)

func oneOf(tokens, token string) bool { return strings.Contains(tokens, " "+token+" ") }

// A scanner reads the tokens of a source text.
type scanner struct {
	src     string
	pos     int
	open    []byte // brackets
	newline bool   // the token is the first one of its line
	line    int    // where its line begins
	doc     string // the last JSDoc comment before the token
}

// pieces cuts a text at the ends of its statements, or of its members, which commas end too.
func pieces(src string, members bool) iter.Seq[piece] {
	return func(yield func(piece) bool) {
		s, p, start, body, last := scanner{src: src}, piece{}, 0, 0, ""
		var outer strings.Builder
		end := func() (more bool) {
			p.outer = outer.String()
			outer.Reset()
			more = p.text == "" || yield(p)
			p = piece{}
			return more
		}
		for token := s.next(); ; token = s.next() {
			level := len(s.open)
			if level == 0 && s.newline && !oneOf(endsLater, last) && !oneOf(beginsLater, token) && !end() {
				return
			}
			if s.bracket(token); token == "" || token == ";" && len(s.open) == 0 || level == 0 && (token == "}" || members && token == ",") {
				if !end() || token == "" {
					return
				}
				continue
			}
			if p.text == "" {
				start = s.pos - len(token)
				if p.doc = s.doc; s.newline {
					p.space = src[s.line:start]
				}
			}
			p.text, p.body, last = src[start:s.pos], "", token
			if outer.Len() < maxOuter && (level == 0 || len(s.open) == 0) {
				outer.WriteString(token + " ")
			}
			if level == 0 && token == "{" {
				body = s.pos
			} else if level > 0 && len(s.open) == 0 && token == "}" {
				p.body = src[body : s.pos-1]
			}
		}
	}
}

// bracket opens and closes brackets after a token. A "<" that other marks close was a sign of an expression.
func (s *scanner) bracket(token string) {
	switch token {
	case "(", "[", "{", "<":
		s.open = append(s.open, token[0])
	case ">":
		s.open = bytes.TrimSuffix(s.open, []byte("<"))
	case ")", "]", "}", ";":
		if s.open = bytes.TrimRight(s.open, "<"); token != ";" && len(s.open) > 0 {
			s.open = s.open[:len(s.open)-1]
		}
	}
}

// next returns the next token: a word, a string, a template or a mark. At the end it returns "".
func (s *scanner) next() string {
	for s.newline, s.doc = false, ""; s.pos < len(s.src); {
		rest := s.src[s.pos:]
		n, comment := 1, rest[0] <= ' ' || rest[0] == 0x7f
		switch {
		case strings.IndexByte("\"'`", rest[0]) >= 0:
			n = quotedLen(rest)
		case strings.HasPrefix(rest, "//") || strings.HasPrefix(rest, "#!"):
			before, _, _ := strings.Cut(rest, "\n")
			n, comment = len(before), true
		case strings.HasPrefix(rest, "/*"):
			before, _, _ := strings.Cut(rest[2:], "*/")
			n, comment = min(len(before)+len("/**/"), len(rest)), true
			if strings.HasPrefix(rest, "/**") && n > len("/***/") {
				s.doc = rest[:n]
			}
		case strings.HasPrefix(rest, "=>"):
			n = 2
		default:
			n = max(1, len(rest)-len(strings.TrimLeftFunc(rest, isWord)))
		}
		if s.pos += n; !comment {
			return rest[:n]
		}
		if i := strings.LastIndexByte(rest[:n], '\n'); i >= 0 {
			s.newline, s.line = true, s.pos-n+i+1
		}
	}
	return ""
}

// quotedLen returns the length of the string or template at the beginning of a text. A template may have expressions with others.
func quotedLen(text string) int {
	open := []byte{text[0]} // quotes, and braces of expressions
	for i := 1; i < len(text); i++ {
		inside, c := open[len(open)-1], text[i]
		switch {
		case c == '\\':
			i++
		case c == inside || inside == '{' && c == '}':
			if open = open[:len(open)-1]; len(open) == 0 {
				return i + 1
			}
		case c == '\n' && open[0] != '`':
			return i + 1
		case inside == '`' && strings.HasPrefix(text[i:], "${"):
			open, i = append(open, '{'), i+1
		case inside == '{' && strings.IndexByte("\"'`{", c) >= 0:
			open = append(open, c)
		}
	}
	return len(text)
}

func isWord(r rune) bool {
	return r == '_' || r == '$' || r == '\\' || r >= utf8.RuneSelf || unicode.IsLetter(r) || unicode.IsDigit(r)
}
