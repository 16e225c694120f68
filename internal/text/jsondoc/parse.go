package jsondoc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

// MaxDepth is how deep arrays and objects may be nested. Documents written by
// hand stay below ten; the bound keeps recursive functions small.
const MaxDepth = 200

// Parse reads one JSON document. The file name only goes into the problems.
//
// The value is nil exactly when the problems hold an error, which is then the
// only problem. Otherwise the problems are warnings about keys given twice.
func Parse(file string, data []byte) (*Value, Problems) {
	p := &parser{file: file, data: bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), line: 1, column: 1, deep: -1}
	if bad := invalidUTF8(p.data); bad >= 0 {
		return p.fail(bad, "byte 0x%02X is not UTF-8; the file must be saved as UTF-8", p.data[bad])
	}
	var valid json.RawMessage
	if err := json.Unmarshal(p.data, &valid); err != nil {
		return p.syntax(err)
	}
	tree, err := hujson.Parse(p.data)
	if err != nil {
		return p.fail(0, "is not valid JSON: %v", err) // it accepts more than encoding/json
	}
	v := p.value(&tree, 0)
	if p.deep >= 0 {
		return p.fail(p.deep, "arrays and objects are nested more than %d deep", MaxDepth)
	}
	return v, p.warnings
}

type parser struct {
	file     string
	data     []byte
	warnings Problems
	deep     int // offset of the first value that is nested too deeply; -1: none

	// The place of the byte at counted. Places are computed from front to back, so that counting
	// stays linear on a document of one long line.
	counted, line, column int
}

// at returns the line and column of an offset, which is not before the last one.
func (p *parser) at(offset int) (line, column int) {
	for p.counted < offset {
		c := p.data[p.counted]
		_, size := utf8.DecodeRune(p.data[p.counted:])
		p.counted += size
		p.column++
		if c == '\n' || c == '\r' && !bytes.HasPrefix(p.data[p.counted:], []byte("\n")) {
			p.line, p.column = p.line+1, 1
		}
	}
	return p.line, p.column
}

func (p *parser) fail(offset int, format string, args ...any) (*Value, Problems) {
	p.counted, p.line, p.column = 0, 1, 1
	line, column := p.at(offset)
	return nil, Problems{{File: p.file, Line: line, Column: column, Reason: fmt.Sprintf(format, args...)}}
}

// syntax reports a syntax error, with a hint for the usual mistakes.
func (p *parser) syntax(err error) (*Value, Problems) {
	wrong, ok := errors.AsType[*json.SyntaxError](err)
	offset := len(p.data)
	if ok && int(wrong.Offset) < len(p.data) || ok && bytes.HasPrefix([]byte(wrong.Error()), []byte("invalid")) {
		offset = int(wrong.Offset) - 1 // of the byte after which it noticed the mistake
	}
	hint := ""
	before, rest := bytes.TrimRight(p.data[:offset], " \t\r\n"), p.data[offset:]
	switch {
	case bytes.HasPrefix(rest, []byte("//")), bytes.HasPrefix(rest, []byte("/*")), bytes.HasPrefix(rest, []byte("#")):
		hint = "; JSON has no comments"
	case bytes.HasSuffix(before, []byte(",")):
		hint = "; the comma before it may be one too many"
	case bytes.HasPrefix(rest, []byte("'")):
		hint = "; text must stand in double quotes"
	}
	return p.fail(offset, "is not valid JSON: %s%s", Syntax(err), hint)
}

// syntaxWords replaces phrases in the messages of encoding/json with words for users.
var syntaxWords = strings.NewReplacer("unexpected end of JSON input", "the text ends too early", "unexpected EOF", "the text ends too early", `invalid character '\''`, `unexpected "'"`, "invalid character", "unexpected",
	"looking for beginning of value", "where a value must begin", "looking for beginning of object key string", "where a key must begin",
	"after object key:value pair", "after a value: a comma or } is missing", "after array element", "after an item: a comma or ] is missing",
	"after object key", "after a key: a colon is missing", "after top-level value", "after the end", "in string literal", "in a string",
	"in string escape code", "after a backslash", `in \u hexadecimal character escape`, `after \u`, "in literal ", "in the word ")

// Syntax returns the text of an error of encoding/json about the syntax.
func Syntax(err error) string { return syntaxWords.Replace(err.Error()) }

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

// value returns a value of the tree with its place.
func (p *parser) value(tree *hujson.Value, depth int) *Value {
	v := &Value{}
	v.Line, v.Column = p.at(tree.StartOffset)
	if _, scalar := tree.Value.(hujson.Literal); !scalar && depth == MaxDepth {
		p.deep = tree.StartOffset
	}
	if p.deep >= 0 {
		return v
	}
	switch t := tree.Value.(type) {
	case *hujson.Object:
		v.Kind = KindObject
		p.members(v, t, depth)
	case *hujson.Array:
		v.Kind = KindArray
		for i := range t.Elements {
			v.Items = append(v.Items, p.value(&t.Elements[i], depth+1))
		}
	case hujson.Literal:
		v.text = string(t)
		switch t.Kind() {
		case '"':
			v.Kind, v.raw, v.text = KindString, v.text[1:len(v.text)-1], t.String()
		case 'n':
			v.Kind = KindNull
		case '0':
			v.Kind = KindNumber
		default:
			v.Kind = KindBool
		}
	}
	return v
}

// members reads the members of an object.
func (p *parser) members(v *Value, object *hujson.Object, depth int) {
	index := make(map[string]int)
	for i := range object.Members {
		member := &object.Members[i]
		m := Member{Key: member.Name.Value.(hujson.Literal).String()}
		m.Line, m.Column = p.at(member.Name.StartOffset)
		m.Value = p.value(&member.Value, depth+1)
		if i, twice := index[m.Key]; twice {
			p.warnings = append(p.warnings, Problem{File: p.file, Line: m.Line, Column: m.Column, Warning: true,
				Reason: Quote(m.Key) + " is given twice in this object; the last one counts"})
			v.Members[i] = m
			continue
		}
		index[m.Key] = len(v.Members)
		v.Members = append(v.Members, m)
	}
}

// Quote puts text of the document into double quotes for a message. Text of more
// than 80 characters is cut, so that a problem stays readable.
func Quote(s string) string {
	const most = 80
	if runes := []rune(s); len(runes) > most {
		s = string(runes[:most]) + "…"
	}
	return strconv.Quote(s)
}
