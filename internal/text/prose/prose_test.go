package prose

import (
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/cost"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

func TestText(t *testing.T) {
	for _, c := range given.Cases(t, "prose.txt") {
		must.Equal(t, c.Files["PROSE"], Text(c.Text+"\n"), c.Name)
	}
	long := strings.Repeat("<b>", 2000) + "\n"
	must.Equal(t, long, Text(long), "a long line")
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
	must.Equal(t, blocks, Clean(blocks))
}
