package templates

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	const in = "docs://a'b/é/%7E{+path,x:30}{...rest}{/y*,%41_b.c2}z"
	tmpl, err := Parse(in)
	if err != nil {
		t.Fatal(err)
	}
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
	tmpl, err := Parse("a{x,y,x}")
	if err != nil {
		t.Fatal(err)
	}
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
	const badPrefix = "the prefix length after : must be a number from 1 to 9999"
	const badName = " cannot stand in a variable name, which has letters, digits, _ and single dots"
	const unopened = "a } without a {; a } itself must be written %7D"
	const unclosed = "this { has no closing }; a { itself must be written %7B"
	const badPercent = "a % must be followed by two hexadecimal digits; a % itself must be written %25"
	const badDot = "a dot in a variable name must stand between other characters"
	tests := []struct {
		in     string
		offset int
		reason string
	}{
		// the cases that other implementations of the RFC test
		{"{/id*", 0, unclosed},
		{"/id*}", 4, unopened},
		{"{/?id}", 2, "a second operator ?; an expression has at most one"},
		{"{var:prefix}", 5, badPrefix},
		{"{hello:2*}", 8, "a variable takes one modifier, either :length or *"},
		{"{??hello}", 2, "a second operator ?; an expression has at most one"},
		{"{!hello}", 1, "the operator ! is reserved and has no meaning yet"},
		{"{with space}", 5, "a space cannot stand in an expression"},
		{"{ leading_space}", 1, "a space cannot stand in an expression"},
		{"{trailing_space }", 15, "a space cannot stand in an expression"},
		{"{=path}", 1, "the operator = is reserved and has no meaning yet"},
		{"{$var}", 1, "'$'" + badName},
		{"{|var*}", 1, "the operator | is reserved and has no meaning yet"},
		{"{*keys?}", 1, "a variable name is missing before *"},
		{"{?empty=default,var}", 7, "'='" + badName},
		{"{var}{-prefix|/-/|var}", 6, "a - cannot stand in a variable name; _ can"},
		{"?q={searchTerms}&amp;c={example:color?}", 32, badPrefix},
		{"x{?empty|foo=none}", 8, "'|'" + badName},
		{"/h{#hello+}", 9, "'+'" + badName},
		{"/h#{hello+}", 9, "'+'" + badName},
		{"{;keys:1*}", 8, "a variable takes one modifier, either :length or *"},
		{"{keys*:1}", 6, "a variable takes one modifier, either :length or *"},
		{"?{-join|&|var,list}", 2, "a - cannot stand in a variable name; _ can"},
		{"/people/{~thing}", 9, "'~'" + badName},
		{"/{default-graph-uri}", 9, "a - cannot stand in a variable name; _ can"},
		{"/sparql{?query,default-graph-uri}", 22, "a - cannot stand in a variable name; _ can"},
		{"/sparql{?query){&default-graph-uri*}", 15, "a { inside an expression; the one before it is not closed"},
		{"/resolution{?x, y}", 15, "a space cannot stand in an expression"},
		// literals
		{"a b", 1, "a space must be written %20"},
		{"é b", 2, "a space must be written %20"},
		{"a\"", 1, "a \" must be written %22"},
		{"a<", 1, "a < must be written %3C"},
		{"a>", 1, "a > must be written %3E"},
		{"a\\b", 1, "a \\ must be written %5C, and between folders /"},
		{"a^", 1, "a ^ must be written %5E"},
		{"a`", 1, "a ` must be written %60"},
		{"a|", 1, "a | must be written %7C"},
		{"a\n", 1, "the control character U+000A must be written %0A"},
		{"a\x7f", 1, "the control character U+007F must be written %7F"},
		{"100%", 3, badPercent},
		{"100%2", 3, badPercent},
		{"%g0", 0, badPercent},
		{"%0g", 0, badPercent},
		{"%{x}", 0, badPercent},
		{"\u0085", 0, "the character U+0085 must be written %C2%85"},
		{"\ufdd0", 0, "the character U+FDD0 must be written %EF%B7%90"},
		{"\ufffd", 0, "the character U+FFFD must be written %EF%BF%BD"},
		{"\U000e0001", 0, "the character U+E0001 must be written %F3%A0%80%81"},
		{"\U0001ffff", 0, "the character U+1FFFF must be written %F0%9F%BF%BF"},
		{"a\xff", 1, "byte 0xFF is not UTF-8; a byte of its own must be written %FF"},
		// braces
		{"}", 0, unopened},
		{"{", 0, unclosed},
		{"a{b", 1, unclosed},
		{"{{x}}", 1, "a { inside an expression; the one before it is not closed"},
		{"a{}", 1, "the expression is empty; it needs a variable name"},
		// names
		{"{?}", 2, "a variable name is missing before }"},
		{"{x,}", 3, "a variable name is missing before }"},
		{"{,x}", 1, "the operator , is reserved and has no meaning yet"},
		{"{x,,y}", 3, "a variable name is missing before ,"},
		{"{:3}", 1, "a variable name is missing before :"},
		{"{@x}", 1, "the operator @ is reserved and has no meaning yet"},
		{"{..x}", 2, badDot},
		{"{a..b}", 2, badDot},
		{"{a.}", 2, badDot},
		{"{a.,b}", 2, badDot},
		{"{a.:3}", 2, badDot},
		{"{x,.b}", 3, badDot},
		{"{x%}", 2, "a % in a variable name must be followed by two hexadecimal digits"},
		{"{x%4}1", 2, "a % in a variable name must be followed by two hexadecimal digits"},
		{"{é}", 1, "'é'" + badName},
		{"{x\xff}", 2, "byte 0xFF is not UTF-8"},
		{"{x+y}", 2, "'+'" + badName},
		// modifiers
		{"{x:}", 3, badPrefix},
		{"{x:0}", 3, badPrefix},
		{"{x:01}", 3, badPrefix},
		{"{x:10000}", 3, badPrefix},
		{"{x:-1}", 3, badPrefix},
		{"{x:3a}", 4, badPrefix},
		{"{x:3:4}", 4, "a variable takes one modifier, either :length or *"},
		{"{x**}", 3, "a variable takes one modifier, either :length or *"},
		{"{x*y}", 3, "'y' cannot follow the modifier *"},
		// the extension
		{"a{...x,y}", 1, "{...name} takes one variable name and no modifier"},
		{"a{...x*}", 1, "{...name} takes one variable name and no modifier"},
		{"a{...x:3}", 1, "{...name} takes one variable name and no modifier"},
		{"{...}", 4, "a variable name is missing before }"},
		{"{....x}", 4, badDot},
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
		if diff := cmp.Diff(&SyntaxError{tt.offset, tt.reason}, syntax); diff != "" {
			t.Errorf("Parse(%.40q) (-want +got):\n%s", tt.in, diff)
		}
	}
}
