package jsonwire

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestDepth(t *testing.T) {
	for _, depth := range []int{maxDepth, maxDepth + 1} {
		doc := []byte(strings.Repeat("[", depth) + strings.Repeat("]", depth))
		if got, want := Valid(doc), json.Valid(doc); got != want {
			t.Errorf("depth %d: valid %v, encoding/json says %v", depth, got, want)
		}
	}
}

// FuzzValid: Valid agrees with encoding/json.
func FuzzValid(f *testing.F) {
	for _, seed := range []string{
		``, ` `, `null`, ` true `, `false`, `nul`, `tru e`, `0`, `-0`, `-`, `01`, `1.`, `1.5`, `.5`, `1e5`, `1E+5`, `1e-`, `1e`,
		`""`, `"abcdefgh"`, `"abcdefg\"h"`, `"abcdefghi` + "\n" + `"`, `"\u00e9"`, `"\u00g9"`, `"\u00"`, `"\x"`, `"\`, `"`, "\"\x7f\x80\xff\x1f\"",
		`[]`, `[ ]`, `[1,2]`, `[1,]`, `[,1]`, `[1 2]`, `[`, `{}`, `{ }`, `{"a":1}`, `{"a":1,}`, `{"a"}`, `{a:1}`, `{"a":1 "b":2}`, `{"a":{"b":[{}]}}`,
		`1 2`, `[]]`, `"12345678"1`, `"1234567` + "\x00" + `"`, `"1234567!"`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		if got, want := Valid(doc), json.Valid(doc); got != want {
			t.Errorf("Valid(%q) = %v", doc, got)
		}
	})
}
