package templates

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

func TestParse(t *testing.T) {
	const in = "docs://a'b/é/%7E{+path,x:30}{...rest}{/y*,%41_b.c2}z"
	tmpl := must.Get(Parse(in))(t)
	want := []Part{
		{Literal: "docs://a'b/é/%7E"},
		{Expression: &Expression{'+', []Variable{{Name: "path"}, {Name: "x", Prefix: 30}}}},
		{Expression: &Expression{'+', []Variable{{Name: "rest"}}}},
		{Expression: &Expression{'/', []Variable{{Name: "y", Explode: true}, {Name: "%41_b.c2"}}}},
		{Literal: "z"},
	}
	if diff := cmp.Diff(want, tmpl.Parts()); diff != "" {
		t.Errorf("parts (-want +got):\n%s", diff)
	}
	if got, want := tmpl.String(), strings.Replace(in, "{...", "{+", 1); got != want {
		t.Errorf("published as %q, want %q", got, want)
	}
	if diff := cmp.Diff([]string{"path", "x", "rest", "y", "%41_b.c2"}, tmpl.Names()); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}

func TestTemplateIsImmutable(t *testing.T) {
	tmpl := must.Get(Parse("a{x,y,x}"))(t)
	parts, names := tmpl.Parts(), tmpl.Names()
	parts[0].Literal, parts[1].Expression.Operator, parts[1].Expression.Variables[0].Name, names[0] = "b", '+', "z", "z"
	if diff := cmp.Diff([]string{"x", "y"}, tmpl.Names()); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	if got := tmpl.Expand(map[string]string{"x": "/"}); got != "a%2F,%2F" {
		t.Errorf("expands to %q", got)
	}
}

func TestParseAccepts(t *testing.T) {
	for _, in := range []string{
		"", "!#$&'()*+,-./09:;=?@AZ[]_az~", "%00%fF", "\u00a0\ue000\U0001f600\U00100000", "{a.b.c}", "{%41.%42}",
		"{x:1}", "{x:9999}", "{_}", "{0}", "{x}{x}", "{x,x}", "{?a,b*,c:3}", "{...x}",
		strings.Repeat("x", MaxLength), strings.Repeat("{x}", MaxVariables),
	} {
		if _, err := Parse(in); err != nil {
			t.Errorf("Parse(%.40q): %v", in, err)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	const bad = "an expression cannot go on with " // what follows, and what it has
	const must = " must be written "
	const unopened = "a } without a {; a } itself must be written %7D"
	const unclosed = "this { has no closing }; a { itself must be written %7B"
	const badPercent = "a % must be followed by two hexadecimal digits; a % itself must be written %25"
	tests := []struct {
		in     string
		offset int
		reason string
	}{
		// cases that other implementations of the RFC test
		{"{/id*", 0, unclosed},
		{"/id*}", 4, unopened},
		{"{/?id}", 2, bad},
		{"{var:prefix}", 5, bad},
		{"{hello:2*}", 8, bad},
		{"{??hello}", 2, bad},
		{"{!hello}", 1, bad},
		{"{with space}", 5, bad},
		{"{ leading_space}", 1, bad},
		{"{?empty=default,var}", 7, bad},
		{"?q={searchTerms}&amp;c={example:color?}", 32, bad},
		{"{keys*:1}", 6, bad},
		{"/sparql{?query){&default-graph-uri*}", 15, "a { inside an expression; the one before it is not closed"},
		// literals
		{"a b", 1, "a space must be written %20"},
		{"é b", 2, "a space must be written %20"},
		{"a\"", 1, must + "%22"},
		{"a<", 1, must + "%3C"},
		{"a\n", 1, must + "%0A"},
		{"a\x7f", 1, must + "%7F"},
		{"100%", 3, badPercent},
		{"100%2", 3, badPercent},
		{"%g0", 0, badPercent},
		{"%0g", 0, badPercent},
		{"%{x}", 0, badPercent},
		{"\u0085", 0, must + "%C2%85"},
		{"\ufdd0", 0, must + "%EF%B7%90"},
		{"\ufffd", 0, must + "%EF%BF%BD"},
		{"\U000e0001", 0, must + "%F3%A0%80%81"},
		{"\U0001ffff", 0, must + "%F0%9F%BF%BF"},
		{"a\xff", 1, must + "%FF"},
		// braces
		{"}", 0, unopened},
		{"{", 0, unclosed},
		{"a{b", 1, unclosed},
		{"{{x}}", 1, "a { inside an expression; the one before it is not closed"},
		{"a{}", 1, "the expression is empty; it needs a variable name"},
		// names
		{"{?}", 2, bad},
		{"{x,}", 3, bad},
		{"{,x}", 1, bad},
		{"{x,,y}", 3, bad},
		{"{:3}", 1, bad},
		{"{@x}", 1, bad},
		{"{..x}", 2, bad},
		{"{a..b}", 2, bad},
		{"{a.}", 2, bad},
		{"{a.,b}", 2, bad},
		{"{a.:3}", 2, bad},
		{"{x,.b}", 3, bad},
		{"{x%}", 2, bad},
		{"{x%4}1", 2, bad},
		{"{é}", 1, bad},
		{"{x\xff}", 2, bad},
		{"{x+y}", 2, bad},
		// modifiers
		{"{x:}", 3, bad},
		{"{x:0}", 3, bad},
		{"{x:01}", 3, bad},
		{"{x:10000}", 3, bad},
		{"{x:-1}", 3, bad},
		{"{x:3a}", 4, bad},
		{"{x:3:4}", 4, bad},
		{"{x**}", 3, bad},
		{"{x*y}", 3, bad},
		// the extension
		{"a{...x,y}", 1, "{...name} takes one variable name and no modifier"},
		{"a{...x*}", 1, "{...name} takes one variable name and no modifier"},
		{"a{...x:3}", 1, "{...name} takes one variable name and no modifier"},
		{"{...}", 4, bad},
		{"{....x}", 4, bad},
		// bounds
		{strings.Repeat("x", MaxLength+1), MaxLength, "a template has at most 8192 bytes, this one has 8193"},
		{strings.Repeat("{x}", MaxVariables) + "{y}", 769, "a template has at most 256 variables"},
	}
	for _, tt := range tests {
		tmpl, err := Parse(tt.in)
		var syntax *SyntaxError
		if tmpl != nil || !errors.As(err, &syntax) {
			t.Errorf("Parse(%.40q) = %v, %v, want a syntax error", tt.in, tmpl, err)
			continue
		}
		if syntax.Offset != tt.offset || !strings.Contains(syntax.Reason, tt.reason) {
			t.Errorf("Parse(%.40q): byte %d: %s; want byte %d: %s", tt.in, syntax.Offset, syntax.Reason, tt.offset, tt.reason)
		}
	}
}
