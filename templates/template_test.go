package templates

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/yosida95/uritemplate/v3"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
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
	must.Equal(t, want, tmpl.Parts(), "parts")
	must.Equal(t, strings.Replace(in, "{...", "{+", 1), tmpl.String(), "published as")
	must.Equal(t, []string{"path", "x", "rest", "y", "%41_b.c2"}, tmpl.Names(), "names")
}

func TestTemplateIsImmutable(t *testing.T) {
	tmpl := must.Get(Parse("a{x,y,x}"))(t)
	parts, names := tmpl.Parts(), tmpl.Names()
	parts[0].Literal, parts[1].Expression.Operator, parts[1].Expression.Variables[0].Name, names[0] = "b", '+', "z", "z"
	must.Equal(t, []string{"x", "y"}, tmpl.Names(), "names")
	must.Equal(t, "a%2F,%2F", tmpl.Expand(map[string]string{"x": "/"}), "expands to")
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
	const must = " must be written "
	const opened = "a { inside an expression; the one before it is not closed"
	const unopened = `"}" must be written %7D`
	const unclosed = "this { has no closing }; a { itself must be written %7B"
	const badPercent = "a % must be followed by two hexadecimal digits; a % itself must be written %25"
	type refusal struct {
		in     string
		offset int
		reason string
	}
	tests := []refusal{
		{"a b", 1, `" " must be written %20`}, {"é b", 2, `" " must be written %20`}, {"a\"", 1, must + "%22"}, {"a<", 1, must + "%3C"}, {"a\n", 1, must + "%0A"}, {"a\x7f", 1, must + "%7F"},
		{"100%", 3, badPercent}, {"100%2", 3, badPercent}, {"%g0", 0, badPercent}, {"%0g", 0, badPercent}, {"%{x}", 0, badPercent}, {"\u0085", 0, must + "%C2%85"}, {"\ufdd0", 0, must + "%EF%B7%90"},
		{"\ufffd", 0, must + "%EF%BF%BD"}, {"\U000e0001", 0, must + "%F3%A0%80%81"}, {"\U0001ffff", 0, must + "%F0%9F%BF%BF"}, {"a\xff", 1, must + "%FF"},
		{"}", 0, unopened}, {"/id*}", 4, unopened}, {"{", 0, unclosed}, {"{/id*", 0, unclosed}, {"a{b", 1, unclosed}, {"{{x}}", 1, opened}, {"/sparql{?query){&default-graph-uri*}", 15, opened},
		{strings.Repeat("x", MaxLength+1), MaxLength, "a template has at most 8192 bytes, this one has 8193"},
		{strings.Repeat("{x}", MaxVariables) + "{y}", 769, "a template has at most 256 variables"},
	}
	for _, expression := range []string{
		"{/?id}", "{var:prefix}", "{hello:2*}", "{??hello}", "{!hello}", "{with space}", "{ leading_space}", "{?empty=default,var}", "{example:color?}", "{keys*:1}", // of other implementations
		"{}", "{?}", "{x,}", "{,x}", "{x,,y}", "{:3}", "{@x}", "{..x}", "{a..b}", "{a.}", "{a.,b}", "{a.:3}", "{x,.b}", "{x%}", "{x%4}", "{é}", "{x\xff}", "{x+y}", // names
		"{x:}", "{x:0}", "{x:01}", "{x:10000}", "{x:-1}", "{x:3a}", "{x:3:4}", "{x**}", "{x*y}", // modifiers
		"{...x,y}", "{...x*}", "{...x:3}", "{...}", "{....x}", // the extension
	} {
		tests = append(tests, refusal{"a{b}" + expression + "1", 4, strconv.Quote(expression) + " is not an expression: it has at most one operator"})
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

func addSeeds(f *testing.F) {
	for _, c := range given.Cases(f, "rfc6570.txt") {
		for line := range strings.SplitSeq(c.Text, "\n") {
			text, _, _ := strings.Cut(line, " → ")
			f.Add(text, "value/é%20\xff")
		}
	}
	for _, seed := range []string{"a{...b}", "docs://{+p}/{a.b:3}%7e'", "{%41*}{;x}", "é\u0085{", "{x:10000}", "{a-b}"} {
		f.Add(seed, "%")
	}
}

// allowed are the texts of characters that a URI may have.
var allowed = regexp.MustCompile(`^([\w.~:/?#\[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*$`)

// FuzzParse: the published form of a template parses to the same parts and is published unchanged,
// and the template expands to characters that are allowed in a URI.
func FuzzParse(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, s, value string) {
		tmpl, err := Parse(s)
		if err != nil {
			return
		}
		again, err := Parse(tmpl.String())
		if err != nil || again.String() != tmpl.String() || len(again.parts) != len(tmpl.parts) {
			t.Fatalf("%q is published as %q, which is published as %v, %v", s, tmpl, again, err)
		}
		values := map[string]string{}
		for _, n := range tmpl.Names() {
			values[n] = value
		}
		if expanded := tmpl.Expand(values); !allowed.MatchString(expanded) {
			t.Fatalf("%q expands to %q", s, expanded)
		}
	})
}

// FuzzClientParser: the parser that Go clients use, and that decides here too, accepts the published form of every template. Each
// mistake has a place, also in what only the extension makes a template.
func FuzzClientParser(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, s, _ string) {
		tmpl, err := Parse(s)
		if err != nil {
			if _, theirs := uritemplate.New(s); theirs == nil && len(s) <= MaxLength && strings.Count(s, ",")+strings.Count(s, "{") <= MaxVariables {
				t.Fatalf("Parse(%q): %v, but clients accept it", s, err)
			}
			if syntax, ok := errors.AsType[*SyntaxError](err); !ok || syntax.Offset >= len(s) && len(s) <= MaxLength {
				t.Fatalf("Parse(%q) does not say where it is wrong: %v", s, err)
			}
			return
		}
		if _, err := uritemplate.New(tmpl.String()); err != nil {
			t.Fatalf("%q: clients refuse it: %v", s, err)
		}
	})
}

// rfcValues are the variables of RFC 6570 sections 1.2 and 3.2 that hold strings.
var rfcValues = map[string]string{
	"dub":   "me/too",
	"hello": "Hello World!",
	"half":  "50%",
	"var":   "value",
	"who":   "fred",
	"base":  "http://example.com/home/",
	"path":  "/foo/bar",
	"v":     "6",
	"x":     "1024",
	"y":     "768",
	"empty": "",
	"semi":  ";",
	"year":  "1965/2000/2012",
	"count": "one/two/three",
	"dom":   "example/com",
	"list":  "red/green/blue",
}

func TestRFCExamples(t *testing.T) {
	for _, c := range given.Cases(t, "rfc6570.txt") {
		section := c.Name
		for line := range strings.SplitSeq(c.Text, "\n") {
			text, want, _ := strings.Cut(line, " → ")
			tmpl, err := Parse(text)
			if err != nil {
				t.Errorf("%s: Parse(%q): %v", section, text, err)
				continue
			}
			if tmpl.String() != text {
				t.Errorf("%s: %q is published as %q", section, text, tmpl)
			}
			if got := tmpl.Expand(rfcValues); got != want {
				t.Errorf("%s: %q expands to %q, want %q", section, text, got, want)
			}
		}
	}
}
