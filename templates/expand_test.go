package templates

import (
	"testing"

	"github.com/yosida95/uritemplate/v3"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

func TestExpand(t *testing.T) {
	values := map[string]string{
		"e":      "é€😀",
		"bytes":  "a\xff\xc3",
		"pct":    "a%20b%zz%",
		"gaps":   "/x/",
		"empty":  "",
		"%41":    "triplet",
		"A":      "letter",
		"a.b":    "dotted",
		"quotes": `'"`,
	}
	for _, tt := range []struct{ template, want string }{
		{"é/%c3%A9/'", "%C3%A9/%c3%A9/'"},
		{"{e}", "%C3%A9%E2%82%AC%F0%9F%98%80"},
		{"{+e}", "%C3%A9%E2%82%AC%F0%9F%98%80"},
		{"{bytes}", "a%FF%C3"},
		{"{+bytes}", "a%FF%C3"},
		{"{pct}", "a%2520b%25zz%25"},
		{"{+pct}", "a%20b%25zz%25"},
		{"{/gaps*}", "//x/"},
		{"x{none}{/none*}{.empty}{?e}{#e}", "x."},
		{"{%41}{A}{a.b}", "tripletletterdotted"},
		{"{quotes}{+quotes}", "%27%22'%22"},
		{"{...pct}", "a%20b%25zz%25"},
		{"", ""},
	} {
		tmpl, err := Parse(tt.template)
		if err != nil {
			t.Fatalf("Parse(%q): %v", tt.template, err)
		}
		if got := tmpl.Expand(values); got != tt.want {
			t.Errorf("%q expands to %q, want %q", tt.template, got, tt.want)
		}
	}
}

// Expansion is our own because uritemplate writes UTF-16 code units in place of UTF-8 (RFC 6570 section 1.6), refuses
// values that are not UTF-8, and encodes the triplets of {+x} again (section 3.2.3). This test fails once it does not.
func TestExpansionOfTheLibrary(t *testing.T) {
	theirs := uritemplate.MustNew("{x}{+y}")
	ours := must.Get(Parse("{x}{+y}"))(t)
	for _, test := range []struct{ x, y, want string }{{"é", "a", "%C3%A9a"}, {"日", "a", "%E6%97%A5a"}, {"\xff", "a", "%FFa"}, {"a", "%20", "a%20"}} {
		if got := ours.Expand(map[string]string{"x": test.x, "y": test.y}); got != test.want {
			t.Errorf("%q and %q: %s, want %s", test.x, test.y, got, test.want)
		}
		if got, err := theirs.Expand(uritemplate.Values{"x": uritemplate.String(test.x), "y": uritemplate.String(test.y)}); err == nil && got == test.want {
			t.Errorf("uritemplate expands %q and %q to %s now: expand.go can use it", test.x, test.y, got)
		}
	}
}
