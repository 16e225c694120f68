package prose

import (
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/cost"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

func TestText(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"inline elements", "<span class=\"n\">registered</span><b>_as_of</b> x<sup>2</sup> <abbr title=\"Hyper\">HTML</abbr>\n", "registered_as_of x2 HTML\n"},
		{"cells and items", "<table><tr><td>a</td><td>b</td></tr></table>\n<ul><li>c</li><li>d</li></ul>\na<br>b<br/>\n", "a b\nc d\na b\n"},
		{"entities", "a&nbsp;b &lt;T&gt; &#x20;c &amp;&shy; `&lt;` AT&T &copy=1 \\&lt;\n", "a b <T>  c & `&lt;` AT&T &copy=1 \\&lt;\n"},
		{"a tag of several lines", "a\n<div\n  class=\"x > y\"\n>text</div>\n", "a\n\n\ntext\n"},
		{"comments", "a <!-- b --> c\n<!--\nd\n\n# e\n-->\nf\n<!-- open\n", "a  c\n\n\n\n\n\nf\n<!-- open\n"},
		{"placeholders and generics", "Vec<T> Map<K, V> <your-name> <name> a < b > c <my-el a=\"b\">d</my-el>\n", "Vec<T> Map<K, V> <your-name> <name> a < b > c d\n"},
		{"code", "`<b>{{x}}</b>` ``a`<i>``\n\n```html {1}\n<b>&amp;</b>\n```\n\n    <b>&amp;</b>\n\n> ```\n> <b>\n> ```\n", "`<b>{{x}}</b>` ``a`<i>``\n\n```html\n<b>&amp;</b>\n```\n\n    <b>&amp;</b>\n\n> ```\n> <b>\n> ```\n"},
		{"pre", "<pre><code class=\"x\"># a &lt;b&gt;\n# c <T>\n\n    <span>d</span>\n</code></pre>\n# e\n", "    # a <b>\n    # c <T>\n\n        d\n\n# e\n"},
		{"script and style", "<style>\n.a {}\n</style>\nb<script>x</script>c\n", "\n\n\nb c\n"},
		{"images", "![the logo](a.png \"x\") ![](b.png) <img src=\"c.png\" alt=\"the  map\"> [![d](e.png)](f.md)\n", "the logo  the map [d](f.md)\n"},
		{"headings", "# A {#a .b}\n## B {/* #b */}\n### C <a id=\"c\"></a>\n## D [#d]\n## E :id=e\n## F { #f }\n", "# A {#a}\n## B {#b}\n### C {#c}\n## D {#d}\n## E {#e}\n## F {#f}\n"},
		{"templates", "a {{ site.x }} {% raw %}b{% endraw %} {{< param \"v\" >}}c {{ open\n\nd }}\n", "a  b c {{ open\n\nd }}\n"},
		{"attributes", "text {: .note #n } [a](b){target=_blank} { .x } {x} {a: 1} :material-check: :smile:\n", "text  [a](b)  {x} {a: 1}  :smile:\n"},
		{"MDX", "import A from './a.mdx'\nimport {\n  B\n} from 'b'\n\nexport const x = {\n  a: [1],\n\n    b: '}'\n}\n\n# T\n\nexport function Y() {\n  return <b>no</b>\n\n    // }\n}\n\ntext {/* a\nb */} more{\" \"}\nimport a thing from the shop\n",
			"\n\n\n\n\n\n\n\n\n\n\n# T\n\n\n\n\n\n\n\ntext\n more\nimport a thing from the shop\n"},
		{"arrays and objects of JSX", "<Tabs\n  values={[\n    {label: 'a', value: '>'},\n  ]}>\nb\n\n{[\n  'c',\n].map((x) => <li>{x}</li>)}\n\n<p style={{color: 'red'}}>d</p>\n", "\n\n\n\nb\n\n\n\n\n\nd\n"},
		{"strings in arrays that a page shows", "<Table\n  content={[\n    {\n      name: 'initialState',\n      description: 'Where it all begins, `now`.',\n    },\n  ]}\n/>\nb\n", "\n\n\ninitialState\nWhere it all begins, `now`.\n\n\n\nb\n"},
		{"headings of HTML", "<section>\n    <a href=\"#x\"><h3 id=\"x\">Git</h3></a>\n  a <h4>b</h4>\n<h1>\n c\n</h1>\n<h2><img src=\"d.png\"></h2>\n", "\n### Git {#x}\n  a b\n\n c\n\n\n"},
		{"descriptions", "<head>\n<title>A</title>\n<meta name=\"description\" content=\"B c.\"><meta charset=\"d\">\n</head>\n", "\nA\nB c.\n\n"},
		{"titles", "<Card title=\"One\" href=\"x\">a</Card> b <Card title='Two' />\n\n<TabItem label=\"npm\">\n\nc\n\n</TabItem>\n!!! note \"N\"\n    d\n", "One a  b Two\n\nnpm\n\nc\n\n\nN\nd\n"},
		{"abbreviations", "*[HTML]: Hyper Text\ntext\n", "\ntext\n"},
		{"a long line", strings.Repeat("<b>", 2000) + "\n", strings.Repeat("<b>", 2000) + "\n"},
	} {
		must.Equal(t, test.want, Text(test.text), test.name)
	}
}

func TestClean(t *testing.T) {
	text := "import A from 'a'\n\n# T {/*t*/}\n\n<div style={{a: 1}} class=\"x\">a&nbsp;b</div> {{ x }} :material-a: {.c}\n<!-- d -->\n![e](f.png)\n*[g]: h\n"
	want := "\n\n# T  {#t}\n\n<div class=\"x\">a&nbsp;b</div>   \n<!-- d -->\n![e](f.png)\n*[g]: h\n"
	must.Equal(t, want, Clean(text))
}

// The result has the lines of the text, and no tag of it.
func FuzzText(f *testing.F) {
	for _, seed := range []string{"<div\na>b</div>\n\n{{ x }}{% y %}{/* z */}", "export const a = {\n\n}\n<pre>\n&lt;\n</pre>", "<a {#a}![x](y)`<b>`\n# h {#i}", "<!--\n\n-->\r\n<script>\n</script>"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for name, convert := range map[string]func(string) string{"Text": Text, "Clean": Clean} {
			got := convert(text)
			if strings.Count(got, "\n") != strings.Count(text, "\n") {
				t.Errorf("%s(%q) is %q", name, text, got)
			}
			if len(got) > 6*len(text)+100 {
				t.Errorf("%s: %d bytes of %d", name, len(got), len(text))
			}
		}
	})
}

func TestCost(t *testing.T) {
	cost.Readers(t, []string{
		"{{{%%}", "<a {#a}", "{/*{.a}", "{id=\"a\"", "<!--", "-->", "<a \"", "<A b={", "{[", "{\"", "`", "``a", "<pre>", "</pre>", "<script>", "export const a = {\n", "import {\n", "\n", "\n\n", "&lt;", "![", "](", "{% ", "}}", "<T\n", ":a:", "# ", "> ", "    ",
	}, map[string]func(string){"Text": func(text string) { Text(text) }, "Clean": func(text string) { Clean(text) }})
}

func FuzzCost(f *testing.F) {
	f.Add("", "<a {", "\n")
	f.Add("export {\n", "{{", "a\n\n")
	f.Fuzz(func(t *testing.T, first, a, b string) {
		cost.Repeated(t, first, a+b, func(text string) { Text(text); Clean(text) })
	})
}

// A page finds the blocks of a document again: what is inside of one stays indented, code too.
func TestCleanKeepsBlocks(t *testing.T) {
	const blocks = "=== \"npm\"\n    one\n\n    ```sh\n    a\n      b\n    ```\n\n=== \"yarn\"\n    two\n\n!!! note\n    hi\n"
	if got := Clean(blocks); got != blocks {
		t.Errorf("got %q", got)
	}
}
