package glob

import (
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	for pattern, want := range map[string]Glob{
		"a*":            {"a*"},
		"{a,b}c":        {"ac", "bc"},
		"{a,b}{c,d}":    {"ac", "ad", "bc", "bd"},
		"x{,/{a,b}}y":   {"xy", "x/ay", "x/by"},
		`\{a,b\}[{,\]]`: {`\{a,b\}[{,\]]`},
		"[^{]{a,[,}]}":  {"[^{]a", "[^{][,}]"},
		"{}":            {""},
		"a,b":           {"a,b"},
	} {
		got, err := Parse(pattern)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%q: %v (-want +got):\n%s", pattern, err, diff)
		}
	}
	for pattern, want := range map[string]string{
		strings.Repeat("{a,a}", 26):          "too complex: its braces stand for more than 64 patterns",
		"{" + strings.Repeat("a,", 64) + "}": "too complex: its braces stand for more than 64 patterns",
		"{{{{a}}}}":                          "too complex: its braces lie in more than 2 others",
		strings.Repeat("{", 16_000):          "too complex: it has 16000 bytes, may have 1000",
		strings.Repeat("{", 1000):            "not a valid pattern",
		"[":                                  "not a valid pattern",
		"a}":                                 "not a valid pattern",
	} {
		if _, err := Parse(pattern); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.20q: %v, want %q", pattern, err, want)
		}
	}
}

// Of patterns without stars, doublestar says the same. With them, its braces that may be empty miss names.
func TestIsDoublestar(t *testing.T) {
	names := []string{"", "a", "b", "aa", "ab", "a/b", ",", "a,b", "{a}", "a,"}
	const letters = `ab,{}\?`
	var try func(pattern string)
	tried := 0
	try = func(pattern string) {
		if g, err := Parse(pattern); err == nil {
			tried++
			for _, name := range names {
				if want := doublestar.MatchUnvalidated(pattern, name); g.Match(name) != want {
					t.Errorf("%q matches %q: %v, want %v", pattern, name, !want, want)
				}
			}
		}
		for i := 0; i < len(letters) && len(pattern) < 5; i++ {
			try(pattern + letters[i:i+1])
		}
	}
	try("")
	if tried < 1000 {
		t.Errorf("only %d patterns are good", tried)
	}
}
