package templates

import "testing"

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
