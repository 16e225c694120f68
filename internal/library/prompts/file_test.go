package prompts

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/cost"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
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
		{"null", "---\n~\n---\nSay hello.\n", prompt{Title: "p", Description: "Say hello."}},
		{"title", "---\ntitle: A title\ndescription: >\n  Long\n  text\n---\nx\n", prompt{Title: "A title", Description: "Long text"}},
		{"byte order mark and CRLF", "\ufeff---\r\ntitle: A\r\nargs:\r\n  x:\r\n---\r\n{{x}}\r\n",
			prompt{Title: "A", Description: "{x}", Arguments: []Argument{{Name: "x", Type: "string", Required: true}}}},
		{"characters that nobody sees", "---\ntitle: A\ndescription: d\u202ee\nargs:\n  x: {description: \"n\U000e0041\u200b\"}\n---\n{{x}}\n",
			prompt{Title: "A", Description: "de", Arguments: []Argument{{Name: "x", Description: "n", Type: "string", Required: true}}}},
		{"CR", "---\rtitle: A\r---\rx\r", prompt{Title: "A", Description: "x"}},
		{"UTF-16", "\xff\xfe-\x00-\x00-\x00\n\x00t\x00i\x00t\x00l\x00e\x00:\x00 \x00\xe9\x00\n\x00-\x00-\x00-\x00\n\x00x\x00", prompt{Title: "é", Description: "x"}},
		{"blanks behind the marks", "---  \ntitle: A\n---\t\nx", prompt{Title: "A", Description: "x"}},
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
		{"the word of MCP", lines("---", "arguments:", "  - {name: a, description: the a, required: true}", "---", "{{a}}"),
			prompt{Title: "p", Description: "{a}", Arguments: []Argument{{Name: "a", Description: "the a", Type: "string", Required: true}}}},
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
	} {
		p, problems := parse("p.md", "p", []byte(test.in))
		if len(problems) > 0 {
			t.Errorf("%s: %v", test.name, problems)
			continue
		}
		must.Equal(t, test.want, prompt{p.Title, p.Description, p.Arguments}, test.name)
	}
}

// TestMistakes checks the line of each mistake, and a part of its message.
func TestMistakes(t *testing.T) {
	long := strings.Repeat("x", frontmatter.MaxSize)
	var many strings.Builder
	for i := range MaxArguments + 2 {
		fmt.Fprintf(&many, "  a%d:\n", i)
	}
	table := append(given.Cases(t, "mistakes.txt"),
		given.Case{Name: "1: warning: the prompt has no text"},
		given.Case{Name: "4: warning: the prompt has no text", Text: "---\ntitle: x\n---\n \n"},
		given.Case{Name: "4:5: the front matter is not valid YAML", Text: "---\ntitle: é\n\na: é\x01\n---\nx"},
		given.Case{Name: "2:24: the front matter is not valid YAML", Text: "---\na: " + strings.Repeat("[", 30) + "\n---\nx"},
		given.Case{Name: "1:1: the front matter that begins here has no closing --- within 65536 bytes", Text: "---\na: " + long + "\n---\nx"},
		given.Case{Name: "3: has 258 arguments, may have 256", Text: "---\nargs:\n" + many.String() + "---\nx"})
	for _, c := range table {
		p, problems := parse("p.md", "p", []byte(c.Text))
		if !strings.Contains(problems.Error(), "p.md:"+c.Name) || (p != nil) != strings.Contains(c.Name, "warning") {
			t.Errorf("%.60q (prompt: %v): %v\nwant %s", c.Text, p != nil, problems, c.Name)
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
	b.WriteString("loop: &loop {args: *loop}\nargs: {x: {enum: *x40}, y: *loop, z: {<<: *loop, description: *x40}}\n---\n{{x}}{{y}}\n")
	p, problems := parse("p.md", "p", []byte(b.String()))
	if p != nil || !strings.Contains(problems.Error(), "args.x.enum must be a text") {
		t.Errorf("got %v", problems)
	}
	// Every argument repeats a long enumeration.
	b.Reset()
	b.WriteString("---\ne: &e [" + strings.Repeat("a,", 20_000) + "]\nf: &f {enum: *e}\nargs:\n")
	for i := range MaxArguments {
		fmt.Fprintf(&b, "  a%d: *f\n", i)
	}
	b.WriteString("---\nx\n")
	if p, _ := parse("p.md", "p", []byte(b.String())); p != nil {
		t.Error("enumerations of 20,000 values are accepted")
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

// The time to parse a file grows linearly with its size.
func TestParseIsLinear(t *testing.T) {
	read := func(text string) {
		if p, _ := parse("p.md", "p", []byte(text)); p != nil {
			must.Get(p.Render(map[string]string{"x": "y"}, nil))(t)
		}
	}
	args := "---\nargs: {x: {optional: true}}\n---\n"
	for _, unit := range []string{"\n", "{", "{{", "{{x", "{{x}}", "{{x}}\n", "{{-}}", `\`, `\{{`, "[", "![x](d://", "![x](d://x)\n", "```\n", "[x](d://{{x}})\n", "(", "{{ "} {
		for _, end := range []string{"", strings.Repeat(" ", 1000) + "}})"} {
			cost.Check(t, args+strings.Repeat(unit, MaxFileSize/4/len(unit))+end, read)
		}
	}
	for _, unit := range []string{"- ", "? ", "a: ", "[", "{a: ", "a: &a b\n", "&a ", "*a ", "'", "\"\\\n", "#", "a: |\n", "<<: ", "!x "} {
		cost.Check(t, "---\n"+strings.Repeat(unit, frontmatter.MaxSize/len(unit))+"\n---\n", read)
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
