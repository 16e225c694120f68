package jsondoc

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

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
