package server

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/google/go-cmp/cmp"
)

func TestParseGlob(t *testing.T) {
	for pattern, want := range map[string]glob{
		"a*":            {"a*"},
		"{a,b}c":        {"ac", "bc"},
		"{a,b}{c,d}":    {"ac", "ad", "bc", "bd"},
		"x{,/{a,b}}y":   {"xy", "x/ay", "x/by"},
		`\{a,b\}[{,\]]`: {`\{a,b\}[{,\]]`},
		"[^{]{a,[,}]}":  {"[^{]a", "[^{][,}]"},
		"{}":            {""},
		"a,b":           {"a,b"},
	} {
		got, err := parseGlob(pattern)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%q: %v (-want +got):\n%s", pattern, err, diff)
		}
	}
	for pattern, want := range map[string]string{
		strings.Repeat("{a,a}", 26):          "glob is too complex: its braces stand for more than 64 patterns",
		"{" + strings.Repeat("a,", 64) + "}": "glob is too complex: its braces stand for more than 64 patterns",
		"{{{{a}}}}":                          "glob is too complex: its braces lie in more than 2 others",
		strings.Repeat("{", 16_000):          "glob is too complex: it has 16000 bytes, may have 1000",
		strings.Repeat("{", 1000):            "glob is not a valid pattern",
		"[":                                  "glob is not a valid pattern",
		"a}":                                 "glob is not a valid pattern",
	} {
		if _, err := parseGlob(pattern); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.20q: %v, want %q", pattern, err, want)
		}
	}
}

// Of patterns without stars, doublestar says the same. With them, its braces that may be empty miss names.
func TestGlobIsDoublestar(t *testing.T) {
	names := []string{"", "a", "b", "aa", "ab", "a/b", ",", "a,b", "{a}", "a,"}
	const letters = `ab,{}\?`
	var try func(pattern string)
	tried := 0
	try = func(pattern string) {
		if g, err := parseGlob(pattern); err == nil {
			tried++
			for _, name := range names {
				if want := doublestar.MatchUnvalidated(pattern, name); g.match(name) != want {
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

// A list that nobody waits for any more ends.
func TestListResourcesIsCancelled(t *testing.T) {
	f := start(t, handshake, files("x/h/a"), "[]")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f.server.SetFeatures(Features{ResourceTools: true})
	if content, isError := f.use("list_resources", map[string]any{"glob": strings.Repeat("{a,a}", 26)}); !isError {
		t.Errorf("a list with very many alternatives is %v", content)
	}
	if _, err := f.server.callListResources(ctx, json.RawMessage(`{"glob":"{a,b}"}`)); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
