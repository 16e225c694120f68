package directive

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// shown returns the lines of a text, each after the number of blocks around it and what it is.
func shown(text string) string {
	var b strings.Builder
	for l := range Lines(text) {
		fmt.Fprintf(&b, "%d%c", l.Depth, " {.i"[l.Code])
		for _, o := range l.Opens {
			fmt.Fprintf(&b, "<%s|%s>", o.Kind, o.Title)
		}
		if !l.Marker {
			b.WriteString(l.Text)
		} else if l.Opens == nil {
			b.WriteString("/")
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestLines(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"MkDocs", "!!! tip inline \"A *b*\"\n    text\n\n        code\n\nx\n???+ note\n\n    y\nz\n", "0 <tip|A *b*>\n1 text\n1 \n1i    code\n1 \n0 x\n0 <note|>\n1 \n1 y\n0 z\n"},
		{"tabs of MkDocs", "- x\n\n    === \"npm\"\n        !!! note\n            a\n        ```sh\n        !!! note\n        ```\n\n    === \"yarn\"\n\t\tb\n", "0 - x\n0 \n0 <tab|npm>\n1 <note|>\n2 a\n1{```sh\n1.!!! note\n1.```\n1 \n0 <tab|yarn>\n1 b\n"},
		{"Docusaurus", "::::note[A]{icon=\"x\"}\n:::tip B\ntext\n:::\n::::\n::: code-group\n```js\n:::\n```\n:::\n::: mkdocs.config.base\n", "0 <note|A>\n1 <tip|B>\n2 text\n1 /\n0 /\n0 <code-group|>\n1{```js\n1.:::\n1.```\n0 /\n0 ::: mkdocs.config.base\n"},
		{"PyMdown", "//// tab | A\n/// note\nx\n///\n////\n", "0 <tab|A>\n1 <note|>\n2 x\n1 /\n0 /\n"},
		{"MyST", "````{note} A\n:class: x\n```{code-block} py\nx\n```\n````\n:::{tip}\ny\n:::\n", "0 <note|A>\n1 /\n1{```{code-block} py\n1.x\n1.```\n0 /\n0 <tip|>\n1 y\n0 /\n"},
		{"GitHub", "> [!WARNING]\n> # a\n>\n>     code\nb\n> c\n", "0 <warning|>\n1 # a\n1 \n1i    code\n0 b\n0 > c\n"},
		{"components", "<Tabs>\n  <TabItem label=\"npm\">\n      text\n\n          code\n  </TabItem>\n</Tabs>\n\n    code\n", "0 <tabs|>\n1 <tabitem|npm>\n2 text\n2 \n2i    code\n1 /\n0 /\n0 \n0i    code\n"},
		{"components on lines with text", "<Note>a\nb</Note>\nc\n<Tab title='d'>e</Tab>\nf\n<Unclosed>\ng\n<Card title=\"h\" />\n", "0 <note|><Note>a\n1 b</Note>\n0 c\n0 <tab|d><Tab title='d'>e</Tab>\n0 f\n0 <unclosed|>\n0 g\n0 <card|h>\n"},
		{"a tag of several lines", "<Card\n  title=\"a\"\n  onClick={() => b}\n>\n  c\n</Card>\n<x\n\ny\n", "0 <card|a>\n1 /\n1 /\n1 /\n1 c\n0 /\n0 <x\n0 \n0 y\n"},
		{"Hugo", "{{< tabs >}} {{% tab \"Go x\" %}}\na\n{{% /tab %}} {{% tab Rust %}}\nb\n{{% /tab %}}\n{{< /tabs >}}\n{{< figure src=\"x\" >}}\n{{< admonition type=\"note\" >}}\nc\n{{< /admonition >}}\n", "0 <tabs|><tab|Go x>\n2 a\n1 <tab|Rust>\n2 b\n1 /\n0 /\n0 <figure|>\n0 <note|>\n1 c\n0 /\n"},
		{"a shortcode of several lines", "{{% card title=\"a\"\n  image=\"b\" %}}\nc\n{{% /card %}}\n{{% d\n\n%}}\n", "0 <card|a>\n1 /\n1 c\n0 /\n0 {{% d\n0 \n0 %}}\n"},
		{"GitBook and Markdoc", "{% tab title=\"A\" %}\na\n{% endtab %}\n{% aside type=\"tip\" %}\nb\n{% /aside %}\n", "0 <tab|A>\n1 a\n0 /\n0 <tip|>\n1 b\n0 /\n"},
		{"HTML without Markdown", "<PRE>\na\n</PRE>\n<!--\n!!! note\n-->\n!!! note\n", "0 <PRE>\n0 a\n0 </PRE>\n0 <!--\n0 !!! note\n0 -->\n0 <note|>\n"},
		{"code in lists", "- a\n\n  b\n\n      code\n  1. c\n\n     d\n\n         code\n\n        e\n", "0 - a\n0 \n0   b\n0 \n0i      code\n0   1. c\n0 \n0      d\n0 \n0i         code\n0 \n0         e\n"},
		{"code", "a\n\n    !!! note\n        b\n", "0 a\n0 \n0i    !!! note\n0i        b\n"},
	} {
		must.Equal(t, test.want, shown(test.text), test.name)
	}
}

// Blocks nest, and each line of a text is one line of the result.
func FuzzLines(f *testing.F) {
	f.Add("!!! note \"a\"\n    <Tab>\n  b</Tab>\n::: c\n> [!D]\n> {{< e >}}\n\tx\n```{note}\n{{< /e >}}\n")
	f.Fuzz(func(t *testing.T, text string) {
		at, depth := 0, 0
		for l := range Lines(text) {
			raw := strings.TrimRight(text[l.Start:l.End], "\r\n")
			if l.Start != at || l.End <= at || l.Depth > maxDepth || raw[l.Cut:] != l.Text || strings.Trim(raw[:l.Cut], "> \t") != "" {
				t.Fatalf("%q has the line %+v at %d", text, l, at)
			}
			if at = l.End; l.Depth > depth {
				t.Fatalf("%q: no block begins before the line %+v", text, l)
			}
			depth = l.Depth
			depth += len(l.Opens)
		}
		if at != len(text) {
			t.Fatalf("%q ends at %d", text, at)
		}
	})
}

// Marks alone take linear time.
func TestTime(t *testing.T) {
	if must.RaceEnabled {
		t.Skip("the race detector makes it ten times slower")
	}
	for _, marks := range []string{
		"!!! a\n", ":::a\n", "<A>", "<A>\n", "<A\n", "</A>", "<A></A>", "{{< a >}}", "{{< a", "{% a ", "{% a %}\n", "> [!A]\n", "```{note}\n", "    ", "\t\n", "> ", "<A \"", "<A b='", "- ", "<!--\n",
	} {
		for _, end := range []string{"", "</A>{{< /a >}}{% enda %}"} {
			text := strings.Repeat(marks, 1<<18/len(marks)) + end
			begin, n := time.Now(), 0
			for range Lines(text) {
				n++
			}
			if took := time.Since(begin); took > 20*time.Second {
				t.Errorf("%q takes %v", marks, took)
			}
		}
	}
	deep := ""
	for i := range 1000 {
		deep += strings.Repeat("    ", i) + "!!! a\n"
	}
	for range Lines(deep) {
	}
}
