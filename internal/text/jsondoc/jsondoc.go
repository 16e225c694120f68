// Package jsondoc reads JSON documents that people write by hand and reports
// every mistake with its line and column.
//
// Reading takes two steps:
//
//  1. [Parse] turns the bytes into a tree of [Value]. The syntax is RFC 8259 without extensions;
//     only a leading UTF-8 byte order mark is let through. A syntax error ends the parsing, because
//     the rest would be guesswork, and is then the only error. A key that occurs twice in an object
//     is a warning, and the last one counts.
//  2. An [Object] reads the known fields of an object in the tree. A missing or mistyped field is
//     an error, an unknown one a warning with the most similar known name, and reading continues
//     after each, so that one run shows all problems.
//
// A null counts as an absent field. The key "$schema" is allowed everywhere, because editors use it
// to find the schema of a document.
//
// Lines and columns start at 1. Columns count characters, a tab included as
// one, which is how editors count. Lines end with LF, CR or CRLF.
package jsondoc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"

	"github.com/mcp-docs-server/mcp-docs-server/problems"
)

// Problem and Problems say what is wrong with a document.
type (
	Problem  = problems.Problem
	Problems = problems.List
)

// maxProblems is the maximum number of problems of a document: nobody fixes more at a time, and a
// large file of the wrong kind has millions.
const maxProblems = 1000

// Kind is the type of a JSON value.
type Kind string

// The kinds of JSON values; the zero Kind is not one of them.
const (
	KindNull   Kind = "null"
	KindBool   Kind = "a boolean"
	KindNumber Kind = "a number"
	KindString Kind = "a string"
	KindArray  Kind = "an array"
	KindObject Kind = "an object"
)

// Value is a node of the syntax tree with the place where it begins.
type Value struct {
	Kind         Kind
	Line, Column int
	Members      []Member // of an object, in the order of the file, keys unique
	Items        []*Value // of an array

	text string // a string decoded, any other scalar as written
	raw  string // a string as written, without its quotes
}

// Member is one key of an object with its value and the place of the key.
type Member struct {
	Key          string
	Line, Column int
	Value        *Value
}

// Member returns the value of a key, or nil when v is not an object or has no
// such key.
func (v *Value) Member(key string) *Value {
	for _, m := range v.Members {
		if m.Key == key {
			return m.Value
		}
	}
	return nil
}

// Text returns the characters of a string, and false for any other kind.
func (v *Value) Text() (string, bool) {
	return v.text, v.Kind == KindString
}

// Bool returns a boolean, and false twice for any other kind.
func (v *Value) Bool() (value, ok bool) {
	return v.Kind == KindBool && v.text == "true", v.Kind == KindBool
}

// Float returns a number as a finite float64. It returns false for any other kind, and for a number
// that is too large.
func (v *Value) Float() (float64, bool) {
	if v.Kind != KindNumber {
		return 0, false
	}
	f, err := strconv.ParseFloat(v.text, 64)
	return f, err == nil
}

// Int returns a whole number, and false for any other kind, for a fraction and
// for a number that an int64 cannot hold. 1e3 and 2.0 are whole numbers: JSON
// has one type for both (RFC 8259 section 6).
func (v *Value) Int() (int64, bool) {
	if v.Kind != KindNumber {
		return 0, false
	}
	if n, err := strconv.ParseInt(v.text, 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(v.text, 64)
	// Above 2^53, a float64 may differ from the number in the file.
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0, false
	}
	return int64(f), true
}

// At returns the place of the byte at offset in the decoded text of a string, as a value that only
// has a line and a column, for [Object.Errorf] and [Object.Warnf]. If an escape precedes that byte,
// At returns the place of the whole string, as it does for any other kind of value.
func (v *Value) At(offset int) *Value {
	place := &Value{Line: v.Line, Column: v.Column}
	if v.Kind == KindString && 0 <= offset && offset <= len(v.text) && strings.HasPrefix(v.raw, v.text[:offset]) {
		place.Column += 1 + utf8.RuneCountInString(v.text[:offset])
	}
	return place
}

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
		// hujson accepts more than encoding/json
		return p.fail(0, "is not valid JSON: %v", err)
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
