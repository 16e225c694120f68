package prompts

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/frontmatter"
)

func ptr(s string) *string { return &s }

// lines joins lines the way a file holds them.
func lines(s ...string) string { return strings.Join(s, "\n") + "\n" }

func TestParse(t *testing.T) {
	type prompt struct {
		Title, Description string
		Arguments          []Argument
	}
	for _, test := range []struct {
		name, in string
		want     prompt
	}{
		{"no front matter", "Say hello.\n", prompt{Title: "p", Description: "Say hello."}},
		{"empty front matter", "---\n---\nSay hello.\n", prompt{Title: "p", Description: "Say hello."}},
		{"comment only", "---\n# nothing\n---\nSay hello.\n", prompt{Title: "p", Description: "Say hello."}},
		{"null", "---\n~\n---\nSay hello.\n", prompt{Title: "p", Description: "Say hello."}},
		{"title", "---\ntitle: A title\ndescription: >\n  Long\n  text\n---\nx\n", prompt{Title: "A title", Description: "Long text"}},
		{"nulls and empty text", "---\ntitle:\ndescription: ~\nargs:\n---\nx\n", prompt{Title: "p", Description: "x"}},
		{"byte order mark and CRLF", "\ufeff---\r\ntitle: A\r\nargs:\r\n  x:\r\n---\r\n{{x}}\r\n",
			prompt{Title: "A", Description: "{x}", Arguments: []Argument{{Name: "x", Type: "string", Required: true}}}},
		{"CR", "---\rtitle: A\r---\rx\r", prompt{Title: "A", Description: "x"}},
		{"UTF-16", "\xff\xfe-\x00-\x00-\x00\n\x00t\x00i\x00t\x00l\x00e\x00:\x00 \x00\xe9\x00\n\x00-\x00-\x00-\x00\n\x00x\x00", prompt{Title: "é", Description: "x"}},
		{"blanks behind the marks", "---  \ntitle: A\n---\t\nx", prompt{Title: "A", Description: "x"}},
		{"no front matter but its end", "x\n---", prompt{Title: "p", Description: "x"}},
		{"date as text", "---\ntitle: 2024-01-01\n---\nx", prompt{Title: "2024-01-01", Description: "x"}},
		{"not at the very start", "\n---\ntitle: [\n---\n", prompt{Title: "p", Description: "title:"}},
		{"arguments in order", lines("---", "args:",
			"  b: {type: number, title: B, description: ' the b '}",
			"  a: {type: boolean, required: 'false'}",
			"  a.b-c_1: {optional: 'true'}",
			"  größe: {optional: false}",
			"  1: {required: true}",
			"---", "{{b}} {{a}} {{ a.b-c_1 }} {{größe}} {{1}}"),
			prompt{Title: "p", Description: "{b} {a} {a.b-c_1} {größe} {1}", Arguments: []Argument{
				{Name: "b", Title: "B", Description: "the b", Type: "number", Required: true},
				{Name: "a", Type: "boolean"},
				{Name: "a.b-c_1", Type: "string"},
				{Name: "größe", Type: "string", Required: true},
				{Name: "1", Type: "string", Required: true},
			}}},
		{"list of arguments", lines("---", "args:", "  - name: a", "    enum: [x, 1, 1.20, 2024-01-01]", "  - {name: b, default: 1.20}", "---", "{{a}}{{b}}"),
			prompt{Title: "p", Description: "{a}{b}", Arguments: []Argument{
				{Name: "a", Type: "string", Required: true, Enum: []string{"x", "1", "1.20", "2024-01-01"}},
				{Name: "b", Type: "string", Default: ptr("1.20")},
			}}},
		{"defaults", lines("---", "args:",
			"  n: {type: number, enum: [1, '2', 3.0], default: 2}",
			"  m: {type: number, enum: [1.0], default: 1}",
			"  b: {type: boolean, default: True}",
			"  c: {type: boolean, default: 'false'}",
			"  e: {default: ''}",
			"---", "{{n}}{{m}}{{b}}{{c}}{{e}}"),
			prompt{Title: "p", Description: "{n}{m}{b}{c}{e}", Arguments: []Argument{
				{Name: "n", Type: "number", Enum: []string{"1", "2", "3.0"}, Default: ptr("2")},
				{Name: "m", Type: "number", Enum: []string{"1.0"}, Default: ptr("1")},
				{Name: "b", Type: "boolean", Default: ptr("true")},
				{Name: "c", Type: "boolean", Default: ptr("false")},
				{Name: "e", Type: "string", Default: ptr("")},
			}}},
		{"aliases", lines("---", "args:", "  a: &a {enum: &e [x, y], description: &d text}", "  b: *a", "  c: {enum: *e, description: *d}", "---", "{{a}}{{b}}{{c}}"),
			prompt{Title: "p", Description: "{a}{b}{c}", Arguments: []Argument{
				{Name: "a", Description: "text", Type: "string", Required: true, Enum: []string{"x", "y"}},
				{Name: "b", Description: "text", Type: "string", Required: true, Enum: []string{"x", "y"}},
				{Name: "c", Description: "text", Type: "string", Required: true, Enum: []string{"x", "y"}},
			}}},
		{"nothing but text", lines("export const x = {a: {}}", "<A style={{color: 'red'}} {...{{...rest}}} b={{}} c={{ }} />", "{{{", "}}} {{a, b}} {{#if x}} {{ 'x' }} \\{{x}} {{", "x}} {%PDF-"), prompt{Title: "p", Description: "export const x = {a: {}}"}},
		{"looks binary", "%PDF-1.4 is how such a file begins", prompt{Title: "p", Description: "%PDF-1.4 is how such a file begins"}},
	} {
		p, problems := parse("p.md", "p", []byte(test.in))
		if len(problems) > 0 {
			t.Errorf("%s: %v", test.name, problems)
			continue
		}
		if diff := cmp.Diff(test.want, prompt{p.Title, p.Description, p.Arguments}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestParseWarnings(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"", "p.md:1: warning: the prompt has no text"},
		{"---\ntitle: x\n---\n \n", "p.md:4: warning: the prompt has no text"},
		{"---\ntitel: x\n---\nx", `p.md:2:1: warning: unknown key "titel"; did you mean "title"?`},
		{"---\ntitle: x\n---", "p.md:4: warning: the prompt has no text"},
		{"---\nauthor: x\n---\nx", `p.md:2:1: warning: unknown key "author"`},
		{"---\narguments: {x: }\n---\nx", `p.md:2:1: warning: unknown key "arguments"; did you mean "args"?`},
		{"---\nargs: {x: {enums: [a]}}\n---\n{{x}}", `p.md:2:12: warning: unknown key "args.x.enums"; did you mean "enum"?`},
		{"---\nargs:\n  x:\n  y:\n---\n{{x}}", `p.md:4:3: warning: the argument "y" has no placeholder in the text`},
		{"---\nargs: {x: {required: true, optional: true}}\n---\n{{x}}", `p.md:2:38: warning: required and optional of args.x are both true: it is optional`},
		{"---\nargs: {x: {required: false, optional: false}}\n---\n{{x}}", `p.md:2:39: warning: required and optional of args.x are both false: it is optional`},
		{"---\nargs: {x: {required: true, default: a}}\n---\n{{x}}", `p.md:2:37: warning: args.x has a default and so is not required`},
		{"---\nargs: {x: {enum: [a, a]}}\n---\n{{x}}", `p.md:2:22: warning: args.x.enum holds "a" twice`},
	} {
		p, problems := parse("p.md", "p", []byte(test.in))
		if p == nil || problems.Error() != test.want {
			t.Errorf("%q\n got %v (prompt: %v)\nwant %s", test.in, problems, p != nil, test.want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	long := strings.Repeat("x", frontmatter.MaxSize)
	var many strings.Builder
	for i := range MaxArguments + 2 {
		fmt.Fprintf(&many, "  a%d:\n", i)
	}
	for _, test := range []struct{ in, want string }{
		{"caf\xe9\n", "p.md:1:4: is not text in UTF-8"},
		{"a\nb\x00", "p.md:2:2: is not text in UTF-8"},
		{"---\ntitle: x\n", "p.md:1:1: the front matter that begins here has no closing ---"},
		{"---", "p.md:1:1: the front matter that begins here has no closing ---"},
		{"---\n- a\n---\n{{x}}", "p.md:2:1: the front matter is a list, must be a mapping"},
		{"---\nHello\n---\n", `p.md:2:1: the front matter is a string ("Hello"), must be a mapping` + "\np.md:4: warning: the prompt has no text"},
		{"---\na: [\n---\n{{x}}", "p.md:3:1: the front matter is not valid YAML: did not find expected node content"},
		{"---\ntitle: x\n\ta: b\n---\nx", "p.md:3:1: the front matter is not valid YAML: found a tab character that violates indentation"},
		{"---\ndescription: Note: this\n---\nx", "p.md:2:18: the front matter is not valid YAML: mapping values are not allowed in this context; text with a colon and a blank behind it must stand in quotes"},
		{"---\ntitle: @x\n---\nx", "p.md:2:8: the front matter is not valid YAML: found character that cannot start any token; text that begins with such a character must stand in quotes"},
		{"---\ntitle: é\n\na: é\x01\n---\nx", "p.md:4:5: the front matter is not valid YAML: control characters are not allowed (value: 1)"},
		{"---\ntitle: *a\n---\nx", "p.md:2:8: the front matter is not valid YAML: unknown anchor 'a' referenced"},
		{"---\na: 1\n...\nb: 1\n---\nx", "p.md:4:1: the front matter has a second YAML document"},
		{"---\na: " + strings.Repeat("[", 30) + "\n---\nx", "p.md:2:24: the front matter is not valid YAML: exceeded max depth of 20"},
		{"---\na: " + long + "\n---\nx", "p.md:1:1: the front matter that begins here has no closing --- within 65536 bytes"},
		{"---\ntitle: 5\ndescription: [x]\n---\nx", `p.md:2:8: title is a number ("5"), must be a string; put it in quotes` + "\np.md:3:14: description is a list, must be a string"},
		{"---\ntitle: !x y\n---\nx", `p.md:2:8: title is a value with the tag "!x" ("y"), must be a string; put it in quotes`},
		{"---\ntitle: a\ntitle: b\n---\nx", `p.md:3:1: "title" is given twice, first in line 2`},
		{"---\n<<: {title: a}\n[a]: b\n---\nx", "p.md:2:1: merge keys (<<) are not understood here\np.md:3:1: a key is a list, must be a string"},
		{"---\nargs: x\n---\n{{x}}", `p.md:2:7: args is a string ("x"), must be a mapping or a list`},
		{"---\nargs: {a b: }\n---\nx", `p.md:2:8: "a b" cannot name an argument: ` + nameRule},
		{"---\nargs: {-a: , .b: , '': , ~: }\n---\nx", `p.md:2:8: "-a" cannot name an argument: ` + nameRule + "\n" +
			`p.md:2:14: ".b" cannot name an argument: ` + nameRule + "\n" + `p.md:2:20: "" cannot name an argument: ` + nameRule + "\n" +
			`p.md:2:26: "~" cannot name an argument: ` + nameRule},
		{"---\nargs: {x: text}\n---\n{{x}}", `p.md:2:11: args.x is a string ("text"), must be a mapping`},
		{"---\nargs: [x]\n---\n{{x}}", `p.md:2:8: an item of args is a string ("x"), must be a mapping with a name`},
		{"---\nargs: [{type: string}]\n---\n{{x}}", `p.md:2:8: an argument has no name`},
		{"---\nargs: [{name: [x]}]\n---\n{{x}}", `p.md:2:15: the name of an argument is a list, must be a string`},
		{"---\nargs: [{name: x}, {name: x}]\n---\n{{x}}", `p.md:2:26: the argument "x" is given twice`},
		{"---\nargs:\n" + many.String() + "---\nx", `p.md:3:3: args has 258 arguments, may have 256`},
		{"---\nargs: {x: {type: nunber}}\n---\n{{x}}", `p.md:2:18: args.x.type is "nunber", must be string, number or boolean; did you mean "number"?`},
		{"---\nargs: {x: {type: ''}, y: {type: [string]}}\n---\n{{x}}{{y}}", `p.md:2:18: args.x.type is "", must be string, number or boolean` +
			"\np.md:2:33: args.y.type is a list, must be string, number or boolean"},
		{"---\nargs: {x: {required: yes, optional: 1}}\n---\n{{x}}", `p.md:2:22: args.x.required is a string ("yes"), must be true or false` + "\n" +
			`p.md:2:37: args.x.optional is a number ("1"), must be true or false`},
		{"---\nargs: {x: {enum: a}}\n---\n{{x}}", `p.md:2:18: args.x.enum is a string ("a"), must be a list`},
		{"---\nargs: {x: {enum: []}}\n---\n{{x}}", `p.md:2:18: args.x.enum has 0 values, must have 1 to 1000`},
		{"---\nargs: {x: {enum: [true, [a], ~]}}\n---\n{{x}}", `p.md:2:19: args.x.enum is a boolean ("true"), must be a string; put it in quotes` + "\n" +
			"p.md:2:25: args.x.enum is a list, must be a string\n" + `p.md:2:30: args.x.enum is null ("~"), must be a string; put it in quotes`},
		{"---\nargs: {x: {type: number, enum: [1, b, 0x10]}}\n---\n{{x}}", `p.md:2:36: args.x.enum holds "b", must hold numbers` + "\n" +
			`p.md:2:39: args.x.enum holds "0x10", must hold numbers`},
		{"---\nargs: {x: {type: boolean, enum: [true]}}\n---\n{{x}}", `p.md:2:33: args.x.enum is not for a boolean`},
		{"---\nargs: {x: {enum: [abc, b], default: abd}}\n---\n{{x}}", `p.md:2:37: args.x.default is "abd", must be one of "abc", "b"; did you mean "abc"?`},
		{"---\nargs: {x: {type: number, default: .inf}}\n---\n{{x}}", `p.md:2:35: args.x.default is ".inf", must be a number`},
		{"---\nargs: {x: {type: boolean, default: 1}}\n---\n{{x}}", `p.md:2:36: args.x.default is "1", must be "true" or "false"`},
		{"---\nargs: {x: {default: true}}\n---\n{{x}}", `p.md:2:21: args.x.default is a boolean ("true"), must be a string; put it in quotes`},
		{"---\nargs: {x: {type: number, default: [1]}}\n---\n{{x}}", `p.md:2:35: args.x.default is a list, must be a number`},
		{"Hello\né {{ name }} {{name}}\n", `p.md:2:3: the placeholder {{name}} has no argument in the front matter; two braces that are text are written \{{`},
		{"---\ntitle: x\nargs: {topic: }\n---\n\n{{topic}} {{topik}}\n{{b}}\n",
			`p.md:6:11: the placeholder {{topik}} has no argument in the front matter; did you mean "topic"?; two braces that are text are written \{{` + "\n" +
				`p.md:7:1: the placeholder {{b}} has no argument in the front matter; two braces that are text are written \{{`},
		{"{{user name}} {{ .x }} {{-y}}", `p.md:1:1: {{user name}} is not a placeholder: ` + nameRule + `; two braces that are text are written \{{` + "\n" +
			`p.md:1:15: {{ .x }} is not a placeholder: ` + nameRule + `; two braces that are text are written \{{` + "\n" +
			`p.md:1:24: {{-y}} is not a placeholder: ` + nameRule + `; two braces that are text are written \{{`},
	} {
		p, problems := parse("p.md", "p", []byte(test.in))
		if p != nil {
			t.Errorf("%.60q: the prompt is not rejected", test.in)
		}
		if diff := cmp.Diff(test.want, problems.Error()); diff != "" {
			t.Errorf("%.60q (-want +got):\n%s", test.in, diff)
		}
	}
}

// TestAliasBomb checks that the values of unused aliases cost nothing.
func TestAliasBomb(t *testing.T) {
	var b strings.Builder
	b.WriteString("---\nx0: &x0 [a, a, a, a, a, a, a, a, a, a]\n")
	for i := range 40 {
		fmt.Fprintf(&b, "x%d: &x%d [*x%d, *x%d, *x%d, *x%d]\n", i+1, i+1, i, i, i, i)
	}
	b.WriteString("loop: &loop {args: *loop}\nargs: {x: {enum: *x40}, y: *loop}\n---\n{{x}}{{y}}\n")
	p, problems := parse("p.md", "p", []byte(b.String()))
	if p != nil || !strings.Contains(problems.Error(), "args.x.enum is a list, must be a string") {
		t.Errorf("got %v", problems)
	}
}

func TestProblemsAreBounded(t *testing.T) {
	in := "---\n" + strings.Repeat("x: 1\n", 5000) + "---\n" + strings.Repeat("{{-}}\n", 5000)
	p, problems := parse("p.md", "p", []byte(in))
	if p != nil || len(problems) > maxProblems+1 {
		t.Errorf("%d problems", len(problems))
	}
	var warnings strings.Builder
	for i := range 500 {
		fmt.Fprintf(&warnings, "w%d: 1\n", i)
	}
	if p, problems = parse("p.md", "p", []byte("---\n"+warnings.String()+"---\n{{x}}\n")); p != nil || len(problems.Errors()) != 1 {
		t.Errorf("an error behind many warnings is lost: %v", problems.Errors())
	}
}

// linear reports whether f takes about eight times as long for an input eight times as long. It
// tries several times, because another program may run at that moment; a quadratic algorithm takes
// 64 times as long each time.
func linear(f func(size int), size int) bool {
	took := func(size int) time.Duration {
		began := time.Now()
		f(size)
		return time.Since(began)
	}
	for range 30 {
		if few := took(size / 8); took(size) < 24*max(few, 100*time.Microsecond) {
			return true
		}
	}
	return false
}

// The time to parse a file grows linearly with its size.
func TestParseIsLinear(t *testing.T) {
	args := "---\nargs: {x: {optional: true}}\n---\n"
	for _, unit := range []string{"\n", "{", "{{", "{{x", "{{x}}", "{{x}}\n", "{{-}}", `\`, `\{{`, "[", "![x](d://", "![x](d://x)\n", "```\n", "[x](d://{{x}})\n", "(", "{{ "} {
		for _, end := range []string{"", strings.Repeat(" ", 1000) + "}})"} {
			if !linear(func(size int) {
				if p, _ := parse("p.md", "p", []byte(args+strings.Repeat(unit, size/len(unit))+end)); p != nil {
					if _, err := p.Render(map[string]string{"x": "y"}, nil); err != nil {
						t.Errorf("%q: %v", unit, err)
					}
				}
			}, MaxFileSize/4) {
				t.Errorf("%q ending in %q is not linear", unit, strings.TrimSpace(end))
			}
		}
	}
	for _, unit := range []string{"- ", "? ", "a: ", "[", "{a: ", "a: &a b\n", "&a ", "*a ", "'", "\"\\\n", "#", "a: |\n", "<<: ", "!x "} {
		if !linear(func(size int) {
			parse("p.md", "p", []byte("---\n"+strings.Repeat(unit, size/len(unit))+"\n---\n"))
		}, frontmatter.MaxSize) {
			t.Errorf("front matter of %q is not linear", unit)
		}
	}
}

// FuzzParse: a file gives a prompt or an error, never both and never neither, and a prompt without
// required arguments can be rendered.
func FuzzParse(f *testing.F) {
	f.Add("---\nargs: {x: {enum: [a], default: a}}\n---\n{{x}} \\{{y}}\n[a](b://{{x}})\n")
	f.Add("---\nargs: [&a {name: x}, *a]\n---\n```\n{{x}}")
	f.Fuzz(func(t *testing.T, in string) {
		p, problems := parse("p.md", "p", []byte(in))
		if (p == nil) != (problems.Err() != nil) {
			t.Fatalf("prompt %v, problems %v", p, problems)
		}
		if p == nil {
			return
		}
		for _, a := range p.Arguments {
			if a.Required {
				return
			}
		}
		if blocks, err := p.Render(nil, nil); err != nil || len(blocks) == 0 {
			t.Fatalf("%d blocks, %v", len(blocks), err)
		}
	})
}

// A file that consists of mistakes takes no longer than others of its size: similar names are
// searched only for mistakes that are reported.
func TestVeryManyMistakes(t *testing.T) {
	var text strings.Builder
	text.WriteString("---\nargs:\n")
	for i := range MaxArguments {
		fmt.Fprintf(&text, "  %s-%d: {}\n", strings.Repeat("a", 100), i)
	}
	text.WriteString("---\n")
	for i := 0; text.Len() < MaxFileSize-200; i++ {
		fmt.Fprintf(&text, "{{b%d}}", i)
	}
	p, problems := parse("a.md", "a", []byte(text.String()))
	if p != nil || len(problems) < maxProblems || len(problems) > maxProblems+1 {
		t.Errorf("%d problems are reported, prompt %v", len(problems), p != nil)
	}
}
