package dtsapi

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A piece is a statement, or a member of a class, interface, enum or object type. All texts are parts of the source, but for outer.
type piece struct {
	doc   string // the JSDoc comment above it
	text  string
	outer string // its first tokens that are in no brackets, and these brackets, with a space after each: interface I < > extends B { }
	body  string // if it ends with braces that are in no other brackets: what is between them
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
	open    []byte // 0, and then brackets, and "`" for a template
	newline bool   // the token is the first one of its line
	doc     string // the last JSDoc comment before the token
}

// pieces cuts a text at the ends of its statements, or of its members, which commas end too.
func pieces(src string, members bool) iter.Seq[piece] {
	return func(yield func(piece) bool) {
		for s := (scanner{src: src}); s.pos < len(src); {
			if p := s.piece(members); p.text != "" && !yield(p) {
				return
			}
		}
	}
}

// piece reads one piece and the mark that ends it. The text is "" if nothing is before the mark.
func (s *scanner) piece(members bool) (p piece) {
	var outer strings.Builder
	start, end, body, last := -1, 0, 0, ""
	for s.open = append(s.open[:0], 0); ; {
		before := s.pos
		token := s.next()
		level := s.level()
		if level == 0 && start >= 0 && s.newline && !oneOf(endsLater, last) && !oneOf(beginsLater, token) {
			s.pos = before
			break
		}
		s.bracket(token)
		if token == "" || token == ";" && s.level() == 0 || level == 0 && (token == "}" || members && token == ",") {
			break
		}
		if start < 0 {
			start, p.doc = s.pos-len(token), s.doc
		}
		end, last, p.body = s.pos, token, ""
		if outer.Len() < maxOuter && (level == 0 || s.level() == 0) {
			outer.WriteString(token + " ")
		}
		if level == 0 && token == "{" {
			body = s.pos
		} else if level > 0 && s.level() == 0 && token == "}" {
			if p.body = s.src[body : end-1]; !members && block().MatchString(outer.String()) {
				break
			}
		}
	}
	if start >= 0 {
		p.text, p.outer = s.src[start:end], outer.String()
	}
	return p
}

// inside returns the innermost bracket that is open, or 0.
func (s *scanner) inside() byte { return s.open[len(s.open)-1] }

// level returns the number of brackets that are open.
func (s *scanner) level() int { return len(s.open) - 1 }

// bracket opens and closes brackets after a token. A "<" that other marks close was a sign of an expression.
func (s *scanner) bracket(token string) {
	inside := s.inside()
	if inside == '`' && strings.HasSuffix(token, "${") {
		s.open = append(s.open, '{')
		return
	} else if inside == '`' || inside == '<' && token == ">" {
		s.open = s.open[:len(s.open)-1]
		return
	}
	switch token {
	case "(", "[", "{", "<", "`":
		s.open = append(s.open, token[0])
	case ")", "]", "}", ";":
		for s.inside() == '<' {
			s.open = s.open[:len(s.open)-1]
		}
		if token != ";" && s.level() > 0 {
			s.open = s.open[:len(s.open)-1]
		}
	}
}

// next returns the next token: a word, a string, the text of a template up to its end or to an expression, or a mark. At the end it returns "".
func (s *scanner) next() string {
	for s.newline, s.doc = false, ""; s.pos < len(s.src); {
		rest := s.src[s.pos:]
		c, n, comment := rest[0], 1, false
		switch {
		case s.inside() == '`':
			n = stringEnd(rest, '`')
		case c == '"' || c == '\'':
			n += stringEnd(rest[1:], c)
		case c <= ' ' || c == 0x7f:
			comment = true
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
		s.newline = s.newline || strings.Contains(rest[:n], "\n")
	}
	return ""
}

// stringEnd returns the length of the rest of a string, or of a template up to an expression in it.
func stringEnd(rest string, quote byte) int {
	for i := 0; i < len(rest); i++ {
		switch {
		case rest[i] == '\\':
			i++
		case rest[i] == quote || quote != '`' && rest[i] == '\n':
			return i + 1
		case quote == '`' && strings.HasPrefix(rest[i:], "${"):
			return i + 2
		}
	}
	return len(rest)
}

func isWord(r rune) bool {
	return r == '_' || r == '$' || r == '\\' || r >= utf8.RuneSelf || unicode.IsLetter(r) || unicode.IsDigit(r)
}
