package jsondoc

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Quote puts text of the document into double quotes for a message. Text of more
// than 80 characters is cut, so that a problem stays readable.
func Quote(s string) string {
	const most = 80
	if runes := []rune(s); len(runes) > most {
		s = string(runes[:most]) + "…"
	}
	return strconv.Quote(s)
}

// quoted reads a string whose opening quote comes next (RFC 8259 section 7).
func (p *parser) quoted(at place) *Value {
	p.pos++
	start := p.pos
	var text strings.Builder
	for {
		if p.pos == len(p.data) {
			return p.fail(at, "the string that begins here has no closing quote")
		}
		switch c := p.data[p.pos]; {
		case c == '"':
			raw := string(p.data[start:p.pos])
			p.pos++
			return &Value{Kind: KindString, Line: at.line, Column: at.column, text: text.String(), raw: raw}
		case c == '\n' || c == '\r':
			return p.fail(at, "the string that begins here has no closing quote in its line; a line break is written \\n")
		case c == '\t':
			return p.fail(p.here(), "a tab in a string must be written \\t")
		case c < ' ':
			return p.fail(p.here(), "the control character U+%04X in a string must be written \\u%04x", c, c)
		case c == '\\':
			r, ok := p.escape()
			if !ok {
				return nil
			}
			text.WriteRune(r)
		default:
			text.WriteByte(c)
			p.pos++
		}
	}
}

// escape reads a backslash and the characters that belong to it.
func (p *parser) escape() (rune, bool) {
	at := p.here()
	p.pos++
	short := map[byte]rune{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}
	c := p.next()
	if r, ok := short[c]; ok {
		p.pos++
		return r, true
	}
	switch {
	case p.pos == len(p.data):
		p.fail(at, "the file ends inside a string")
		return 0, false
	case c != 'u':
		p.fail(at, "\\%s is not an escape; a backslash itself is written \\\\", p.found())
		return 0, false
	}
	r, ok := p.unit()
	if !ok {
		p.fail(at, "\\u must be followed by four hexadecimal digits")
		return 0, false
	}
	if !utf16.IsSurrogate(r) {
		return r, true
	}
	low := rune(-1)
	if p.next() == '\\' {
		p.pos++
		low, _ = p.unit()
	}
	// RFC 8259 allows an unpaired surrogate (section 8.2), but it cannot be published as a
	// character.
	if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
		p.fail(at, "this \\u escape is one half of a surrogate pair")
		return 0, false
	}
	return r, true
}

// unit reads u and four hexadecimal digits.
func (p *parser) unit() (rune, bool) {
	if p.next() != 'u' || p.pos+5 > len(p.data) {
		return 0, false
	}
	n := rune(0)
	for _, c := range p.data[p.pos+1 : p.pos+5] {
		digit := strings.IndexByte("0123456789abcdef", c|0x20)
		if c < '0' || digit < 0 {
			return 0, false
		}
		n = n<<4 | rune(digit)
	}
	p.pos += 5
	return n, true
}

// number reads a number (RFC 8259 section 6).
func (p *parser) number(at place) *Value {
	start := p.pos
	if p.next() == '-' {
		p.pos++
	}
	zero := p.next() == '0'
	switch n := p.digits(); {
	case n == 0:
		return p.fail(at, "a digit must follow the minus sign")
	case zero && n > 1:
		return p.fail(at, "a number cannot begin with 0")
	}
	if p.next() == '.' {
		p.pos++
		if p.digits() == 0 {
			return p.fail(at, "a digit must follow the decimal point")
		}
	}
	if c := p.next(); c == 'e' || c == 'E' {
		p.pos++
		if c := p.next(); c == '+' || c == '-' {
			p.pos++
		}
		if p.digits() == 0 {
			return p.fail(at, "a digit must follow the e of the exponent")
		}
	}
	if p.identifier() != "" || p.next() == '.' {
		return p.fail(at, "%s is not a number; text must stand in double quotes", Quote(string(p.data[start:p.pos])+p.identifier()))
	}
	return &Value{Kind: KindNumber, Line: at.line, Column: at.column, text: string(p.data[start:p.pos])}
}

// digits reads decimal digits and returns how many there are.
func (p *parser) digits() int {
	start := p.pos
	for '0' <= p.next() && p.next() <= '9' {
		p.pos++
	}
	return p.pos - start
}
