package jsondoc

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxDepth is how deep arrays and objects may be nested. Documents written by
// hand stay below ten; the bound keeps the recursion of the parser small.
const MaxDepth = 200

// Parse reads one JSON document. The file name only goes into the problems.
//
// The value is nil exactly when the problems hold an error, which is then the
// only problem. Otherwise the problems are warnings about keys given twice.
func Parse(file string, data []byte) (*Value, Problems) {
	p := &parser{file: file, data: data, line: 1, column: 1}
	v := p.document()
	if p.failure != nil {
		return nil, Problems{*p.failure}
	}
	return v, p.warnings
}

type parser struct {
	file     string
	data     []byte
	pos      int
	depth    int
	warnings Problems
	failure  *Problem

	// The place of the byte at counted. Places are computed from front to back, so that counting
	// stays linear on a document of one long line.
	counted, line, column int
}

// place is a byte offset with its line and column.
type place struct{ offset, line, column int }

// here returns the place of the next byte.
func (p *parser) here() place {
	for p.counted < p.pos {
		c := p.data[p.counted]
		_, size := utf8.DecodeRune(p.data[p.counted:])
		p.counted += size
		p.column++
		if c == '\n' || c == '\r' && !bytes.HasPrefix(p.data[p.counted:], []byte("\n")) {
			p.line, p.column = p.line+1, 1
		}
	}
	return place{p.pos, p.line, p.column}
}

// fail records the one syntax error. It returns nil for its callers to return.
func (p *parser) fail(at place, format string, args ...any) *Value {
	p.failure = &Problem{File: p.file, Line: at.line, Column: at.column, Reason: fmt.Sprintf(format, args...)}
	return nil
}

func (p *parser) document() *Value {
	if bytes.HasPrefix(p.data, []byte("\xff\xfe")) || bytes.HasPrefix(p.data, []byte("\xfe\xff")) {
		return p.fail(p.here(), "the file is UTF-16; it must be saved as UTF-8")
	}
	p.data = bytes.TrimPrefix(p.data, []byte("\xef\xbb\xbf"))
	if bad := invalidUTF8(p.data); bad >= 0 {
		p.pos = bad
		return p.fail(p.here(), "byte 0x%02X is not UTF-8; the file must be saved as UTF-8", p.data[bad])
	}
	p.space()
	if p.pos == len(p.data) {
		return p.fail(p.here(), "the file is empty")
	}
	v := p.value()
	if p.failure != nil {
		return nil
	}
	p.space()
	if p.pos < len(p.data) && !p.comment() {
		return p.fail(p.here(), "unexpected %s after the end of the document", p.found())
	}
	return v
}

// invalidUTF8 returns the offset of the first byte that is not UTF-8, or -1.
func invalidUTF8(data []byte) int {
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

// next returns the next byte, or 0 at the end. A zero byte in the file is not a legal token either,
// so the difference matters only for an error.
func (p *parser) next() byte {
	if p.pos == len(p.data) {
		return 0
	}
	return p.data[p.pos]
}

func (p *parser) space() {
	for p.pos < len(p.data) && strings.IndexByte(" \t\r\n", p.data[p.pos]) >= 0 {
		p.pos++
	}
}

func (p *parser) value() *Value {
	at := p.here()
	switch c := p.next(); {
	case c == '{', c == '[':
		if p.depth == MaxDepth {
			return p.fail(at, "arrays and objects are nested more than %d deep", MaxDepth)
		}
		p.depth++
		defer func() { p.depth-- }()
		if c == '{' {
			return p.object(at)
		}
		return p.array(at)
	case c == '"':
		return p.quoted(at)
	case c == '-' || '0' <= c && c <= '9':
		return p.number(at)
	}
	return p.word(at)
}

// word reads true, false or null, and explains anything else.
func (p *parser) word(at place) *Value {
	name := p.identifier()
	switch name {
	case "null":
		p.pos += len(name)
		return &Value{Kind: KindNull, Line: at.line, Column: at.column, text: name}
	case "true", "false":
		p.pos += len(name)
		return &Value{Kind: KindBool, Line: at.line, Column: at.column, text: name}
	}
	switch lower := strings.ToLower(name); {
	case p.comment():
		return nil
	case lower == "true", lower == "false", lower == "null":
		return p.fail(at, "%s must be written %s", name, lower)
	case name != "":
		return p.fail(at, "%s is not a JSON value; text must stand in double quotes", Quote(name))
	case p.pos == len(p.data):
		return p.fail(at, "the file ends where a value is expected")
	case p.wrongQuote():
		return p.fail(at, "text must stand in double quotes (\"), not in %s", p.found())
	case p.next() == '+', p.next() == '.':
		return p.fail(at, "a number cannot begin with %s", p.found())
	}
	return p.fail(at, "expected a value, found %s", p.found())
}

// comment fails, and returns true, when a comment comes next.
func (p *parser) comment() bool {
	rest := p.data[p.pos:]
	for _, opening := range []string{"//", "/*", "#", "<!--"} {
		if bytes.HasPrefix(rest, []byte(opening)) {
			p.fail(p.here(), "JSON has no comments")
			return true
		}
	}
	return false
}

// wrongQuote reports whether a quotation mark other than the double one comes next; word processors
// insert curved ones.
func (p *parser) wrongQuote() bool {
	r, _ := utf8.DecodeRune(p.data[p.pos:])
	return strings.ContainsRune("'`´‘’“”„«»", r)
}

// identifier returns the letters, digits, _ and $ that come next, without
// reading them.
func (p *parser) identifier() string {
	end := bytes.IndexFunc(p.data[p.pos:], func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '$'
	})
	if end < 0 {
		end = len(p.data) - p.pos
	}
	return string(p.data[p.pos : p.pos+end])
}

// found names what comes next, for messages.
func (p *parser) found() string {
	r, size := utf8.DecodeRune(p.data[p.pos:])
	switch {
	case size == 0:
		return "the end of the file"
	case !unicode.IsGraphic(r) || unicode.IsSpace(r):
		return fmt.Sprintf("character %U", r)
	}
	return string(r)
}
