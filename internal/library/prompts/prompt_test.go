package prompts

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// optional makes a prompt of a text in which the arguments a, b and c are optional.
func optional(t testing.TB, text string) *Prompt {
	t.Helper()
	p, problems := parse("p.md", "p", []byte("---\nargs: {a: {optional: true}, b: {optional: true}, c: {optional: true}}\n---\n"+text))
	if p == nil {
		t.Fatal(problems)
	}
	return p
}

func TestRender(t *testing.T) {
	for _, test := range []struct {
		in   string
		args string // of a, b and c, separated by |
		want []Block
	}{
		{"", "", []Block{{}}},
		{"{{a}}", "", []Block{{}}},
		{"Hello\n", "", []Block{{Text: "Hello"}}},
		{"\n \n  Hello\r\n\r\nworld  \n\n", "", []Block{{Text: "  Hello\n\nworld"}}},
		{"{{a}} {{ b }} {{\tc}}{{a}}", "x|y|z", []Block{{Text: "x y zx"}}},
		{"```\n{{a}}\n```\n<B c={'{{a}}'}>", "x", []Block{{Text: "```\nx\n```\n<B c={'x'}>"}}},
		{"{{{a}}} {{{{a}}}} {{ {{a}} }}", "x", []Block{{Text: "{x} {{x}} {{ x }}"}}},
		{`\{{a}} \\{{a}} \\\{{a}} \\\\{{a}} \{a} a\b`, "x", []Block{{Text: `{{a}} \x \{{a}} \\x \{a} a\b`}}},
		{"{{ a\n}}", "x", []Block{{Text: "{{ a\n}}"}}},
		{"{{a}} {{b}}", "{{b}}|{{a}} \\{{c}}", []Block{{Text: `{{b}} {{a}} \{{c}}`}}},
		{"{{a}}}} {{{b}}", "{{b|x", []Block{{Text: "{{b}} {x"}}},
		{"{{a}}", "![x](docs://x/y)", []Block{{Text: "![x](docs://x/y)"}}},
		{"\n{{a}}\n", "\n x \n", []Block{{Text: "\n x \n"}}},
		{"{{a}}\n\nHello\n\n{{b}}\n", "", []Block{{Text: "Hello"}}},

		{"One\n\n![pic](docs://a/b.png)\n\nTwo\n", "", []Block{{Text: "One"}, {"![pic](docs://a/b.png)", "docs://a/b.png", true}, {Text: "Two"}}},
		{"[a](docs://a)\n[b](docs://b)", "", []Block{{"[a](docs://a)", "docs://a", false}, {"[b](docs://b)", "docs://b", false}}},
		{"   [a]( DOCS://a/b \"title\" )  \nx", "", []Block{{"   [a]( DOCS://a/b \"title\" )", "DOCS://a/b", false}, {Text: "x"}}},
		{`[a\] [b]](<docs://a/b c(d>)`, "", []Block{{`[a\] [b]](<docs://a/b c(d>)`, "docs://a/b c(d", false}}},
		{`[](docs://a\_b/\c(d)\))`, "", []Block{{`[](docs://a\_b/\c(d)\))`, `docs://a_b/\c(d))`, false}}},
		{"[{{a}}](docs://x/{{b}}/y.md)", "t|../é?#/%2F", []Block{{"[t](docs://x/../é?#/%2F/y.md)", "docs://x/..%2F%C3%A9%3F%23%2F%252F/y.md", false}}},
		{"![a]({{a}})", "docs://x/{{b}}/%20y?", []Block{{"![a](docs://x/{{b}}/%20y?)", "docs://x/{{b}}/%20y?", true}}},
		{"[a]({{a}})", "javascript:alert(1)", []Block{{Text: "[a](javascript:alert(1))"}}},
		{"[a]({{a}})", "docs://x\ny", []Block{{Text: "[a](docs://x\ny)"}}},
		{"[a]({{a}})", "", []Block{{Text: "[a]()"}}},
		{"[a]({{a}}://x)", "docs", []Block{{"[a](docs://x)", "docs://x", false}}},
		{"[a]({{a}}://x)", "docs://y/z", []Block{{Text: "[a](docs://y/z://x)"}}},

		{"One [a](docs://a)", "", []Block{{Text: "One [a](docs://a)"}}},
		{"- [a](docs://a)", "", []Block{{Text: "- [a](docs://a)"}}},
		{"    [a](docs://a)", "", []Block{{Text: "    [a](docs://a)"}}},
		{"[a](docs://a) [b](docs://b)", "", []Block{{Text: "[a](docs://a) [b](docs://b)"}}},
		{"[a](<docs://a)", "", []Block{{Text: "[a](<docs://a)"}}},
		{"[a](docs://a b)", "", []Block{{Text: "[a](docs://a b)"}}},
		{"[a](docs://a\"b\")", "", []Block{{"[a](docs://a\"b\")", "docs://a\"b\"", false}}},
		{"[a](<docs://a>\"b\")", "", []Block{{Text: "[a](<docs://a>\"b\")"}}},
		{"[a](docs://a \"b\" c\")", "", []Block{{Text: "[a](docs://a \"b\" c\")"}}},
		{"[a] (docs://a)", "", []Block{{Text: "[a] (docs://a)"}}},
		{"[a](https://x.org)\n[b](mailto:x)\n[c](data:,x)\n[d](guide.md)\n[e](#x)\n[f](HTTP://x)\n[g](tel:1)\n[h]()\n[i](docs://)\n[j](my_s://x)", "",
			[]Block{{Text: "[a](https://x.org)\n[b](mailto:x)\n[c](data:,x)\n[d](guide.md)\n[e](#x)\n[f](HTTP://x)\n[g](tel:1)\n[h]()\n[i](docs://)\n[j](my_s://x)"}}},
		{"```md\n[a](docs://a)\n~~~\n``\n[a](docs://a)\n````\n[b](docs://b)", "",
			[]Block{{Text: "```md\n[a](docs://a)\n~~~\n``\n[a](docs://a)\n````"}, {"[b](docs://b)", "docs://b", false}}},
		{"~~~ `x`\n[a](docs://a)\n~~~ x\n[a](docs://a)", "", []Block{{Text: "~~~ `x`\n[a](docs://a)\n~~~ x\n[a](docs://a)"}}},
		{"``` `x`\n[a](docs://a)", "", []Block{{Text: "``` `x`"}, {"[a](docs://a)", "docs://a", false}}},
		{"{{a}}\n[a](docs://a)", "```", []Block{{Text: "```"}, {"[a](docs://a)", "docs://a", false}}},
	} {
		args := make(map[string]string)
		for i, v := range strings.Split(test.args, "|") {
			if test.args != "" {
				args[string("abc"[i])] = v
			}
		}
		got, err := optional(t, test.in).Render(args, nil)
		if diff := cmp.Diff(test.want, got); err != nil || diff != "" {
			t.Errorf("%q with %q: %v (-want +got):\n%s", test.in, test.args, err, diff)
		}
	}
}

func TestRenderLeavesOutOtherLinks(t *testing.T) {
	p := optional(t, "One\n\n[a](vscode://a)\n\n![b](docs://{{a}})  \nTwo\n\n[c](docs://c)\n")
	var asked []string
	got, err := p.Render(map[string]string{"a": "x/y"}, func(uri string) bool {
		asked = append(asked, uri)
		return uri == "docs://c"
	})
	want := []Block{{Text: "One\n\n[a](vscode://a)\n\n![b](docs://x/y)  \nTwo"}, {"[c](docs://c)", "docs://c", false}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	must.Equal(t, []string{"vscode://a", "docs://x%2Fy", "docs://c"}, asked, "asked")
}

const typed = `---
args:
  text:
  count: {type: number}
  sure: {type: boolean, optional: true}
  size: {enum: [small, large, x1], required: false}
  level: {type: number, enum: [1, 2.5], default: 2.5}
---
{{text}}|{{count}}|{{sure}}|{{size}}|{{level}}`

func TestRenderArguments(t *testing.T) {
	p, problems := parse("p.md", "p", []byte(typed))
	if p == nil {
		t.Fatal(problems)
	}
	type args = map[string]string
	for _, test := range []struct {
		args      args
		want, err string
	}{
		{args: args{"text": "a", "count": "1"}, want: "a|1|||2.5"},
		{args: args{"text": "", "count": "-1.5e3", "sure": "true", "size": "x1", "level": "1.0"}, want: "|-1.5e3|true|x1|1.0"},
		{args: args{"text": "a", "count": "1", "sure": "", "size": "", "level": ""}, want: "a|1|||2.5"},
		{args: args{"count": "1"}, err: `argument "text" is required`},
		{args: nil, err: `argument "text" is required; argument "count" is required`},
		{args: args{"text": "a", "count": ""}, err: `argument "count" is "", must be a number`},
		{args: args{"text": "a", "count": "1", "sure": "True"}, err: `argument "sure" is "True", must be "true" or "false"`},
		{args: args{"text": "a", "count": "1", "size": "smal"}, err: `argument "size" is "smal", must be one of "small", "large", "x1"; did you mean "small"?`},
		{args: args{"text": "a", "count": "1", "level": "3"}, err: `argument "level" is "3", must be one of "1", "2.5"`},
		{args: args{"text": "a", "count": "1", "level": "x"}, err: `argument "level" is "x", must be a number`},
		{args: args{"text": "a", "count": "1", "tetx": "b"}, err: `argument "tetx" is not known; did you mean "text"?`},
		{args: args{"text": "a", "count": "1", "q": "b"}, err: `argument "q" is not known; the prompt has "text", "count", "sure", "size", "level"`},
	} {
		got, err := p.Render(test.args, nil)
		switch {
		case test.err != "":
			if err == nil || err.Error() != test.err {
				t.Errorf("%v: got error %v\nwant %s", test.args, err, test.err)
			}
		case err != nil || len(got) != 1 || got[0].Text != test.want:
			t.Errorf("%v: got %v, %v, want %q", test.args, got, err, test.want)
		}
	}
}

// TestRenderIsBounded: the sizes of requests and of responses are bounded.
func TestRenderIsBounded(t *testing.T) {
	p := optional(t, strings.Repeat("{{a}}{{b}}\n", 1000)+"[x](docs://{{a}})")
	_, err := p.Render(map[string]string{"a": strings.Repeat("x", 1<<20), "b": "y"}, nil)
	if err == nil || err.Error() != `argument "a" makes the prompt longer than 16777216 bytes` {
		t.Errorf("got %v", err)
	}
	many := make(map[string]string)
	for i := range 100_000 {
		many[fmt.Sprintf("%d%s", i, strings.Repeat("x", 100))] = ""
	}
	if _, err := p.Render(many, nil); err == nil || len(err.Error()) > 2000 {
		t.Errorf("an error of %d bytes", len(err.Error()))
	}
	if _, err := p.Render(map[string]string{"zz": strings.Repeat("x", 1<<20)}, nil); err == nil || len(err.Error()) > 200 {
		t.Errorf("got %v", err)
	}
}

func TestComplete(t *testing.T) {
	p, _ := parse("p.md", "p", []byte(typed))
	for _, test := range []struct {
		argument, prefix string
		want             []string
		ok               bool
	}{
		{"size", "", []string{"small", "large", "x1"}, true},
		{"size", "L", []string{"large"}, true},
		{"size", "z", nil, true},
		{"sure", "t", []string{"true"}, true},
		{"level", "2", []string{"2.5"}, true},
		{"text", "", nil, false},
		{"count", "", nil, false},
		{"nothing", "", nil, false},
	} {
		got, ok := p.Complete(test.argument, test.prefix)
		if diff := cmp.Diff(test.want, got); ok != test.ok || diff != "" {
			t.Errorf("Complete(%q, %q): %v (-want +got):\n%s", test.argument, test.prefix, ok, diff)
		}
	}
}

// A prompt without a description has the first sentence of its text as one.
func TestFirstSentence(t *testing.T) {
	for text, want := range map[string]string{
		"# Review\n\nLook at **{{a}}** and [the rules](x://rules), e.g. `go vet`.\nThen say why. More.\n": "Look at {a} and the rules, e.g. go vet.",
		"- First step: read it\n- write":                             "First step: read it",
		"```\ncode. here\n```\n<!-- note -->\n> Quoted text\n> ends": "Quoted text ends",
		"# Only a heading\n":                                         "",
		"1. Use version 1.2.3 of x.y\n\nNext":                        "Use version 1.2.3 of x.y",
		"これは文です。次の文。":                                                "これは文です。",
		strings.Repeat("long ", 100):                                 strings.Repeat("long ", 39) + "lo…",
		"---\ndescription: Mine\n---\nNot this.":                     "Mine",
		"\\{{x}} stays. So":                                          "{{x}} stays.",
	} {
		if strings.Contains(text, "{{a}}") {
			text = "---\nargs:\n  a:\n---\n" + text
		}
		p, problems := parse("p.md", "p", []byte(text))
		if p == nil || p.Description != want {
			t.Errorf("%q: %+v, want %q; %v", text, p, want, problems)
		}
	}
}
