package page

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/prose"
)

// shownBlocks returns the HTML of Markdown without line ends and attributes that do not matter here.
func shownBlocks(t *testing.T, source string) string {
	t.Helper()
	html, _, err := renderMarkdown(t.Context(), source, nil, nil)
	must.Do(t, err)
	return strings.NewReplacer("\n", "", ` tabindex="0"`, "").Replace(string(html))
}

func TestBlocks(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"MkDocs":         {"!!! warning \"A *b*\"\n    text\n\n    - c\n", `<section class="notice warning"><p class="label">A b</p><p>text</p><ul><li>c</li></ul></section>`},
		"folded":         {"??? note\n    a\n<details><summary>B</summary>\n\nc\n\n</details>\n", `<details class="fold"><summary>Note</summary><p>a</p></details><details class="fold"><summary>B</summary><p>c</p></details>`},
		"tabs":           {"=== \"A\"\n    a\n\n=== \"B\"\n    b\n", `<details class="tab first" name="t1" open=""><summary>A</summary><p>a</p></details><details class="tab" name="t1"><summary>B</summary><p>b</p></details>`},
		"two groups":     {"<Tabs>\n<TabItem label=\"A\">a</TabItem>\n</Tabs>\n\nx\n\n<Tab title=\"B\">b</Tab>\n", `<details class="tab first" name="t1" open=""><summary>A</summary><p>a</p></details><p>x</p><details class="tab first" name="t2" open=""><summary>B</summary><p>b</p></details>`},
		"Docusaurus":     {":::danger[No!]\na\n:::\n\nb\n", `<section class="notice caution"><p class="label">No!</p><p>a</p></section><p>b</p>`},
		"GitHub":         {"> [!TIP]\n> a\n> # b\n\n> c\n", `<section class="notice tip"><p class="label">Tip</p><p>a</p><h1 id="b">b</h1></section><blockquote><p>c</p></blockquote>`},
		"in a list":      {"1. a\n\n   :::note\n   b\n   :::\n\n2. c\n", `<ol><li><p>a</p><section class="notice note"><p class="label">Note</p><p>b</p></section></li><li><p>c</p></li></ol>`},
		"a group":        {":::code-group\n```js [a.js]\nx\n```\n:::\ny\n", `<details class="tab first" name="t1" open=""><summary>a.js</summary><pre class="code"><code>x</code></pre></details><p>y</p>`},
		"steps":          {"<Steps>\n<Step title=\"One\">\na\n</Step>\n</Steps>\n", `<p class="label">1. One</p><p>a</p>`},
		"HTML":           {"<p align=\"center\" class=\"top\" onclick=\"x()\">a <A HREF=\"https://x.example/\" id=\"Q\">b <img src=\"https://x.example/i.png\" alt=\"i\"></A></p>\n\n<iframe src=\"https://x.example/v\">c</iframe>\n\n<h2 id=\"x\">d</h2><form id=\"y\">e</form>\n\n## X\n", `<p align="center">a <a href="https://x.example/" id="s-q" rel="nofollow noreferrer">b i</a></p><a href="https://x.example/v" rel="nofollow noreferrer">https://x.example/v</a><h2 id="x">d</h2>e<h2>X</h2>`},
		"components":     {"<Card title=\"A\" href=\"https://x.example/\">\nb\n</Card>\n<LinkCard title=\"C\" description=\"d\" />\n\n<New>e</New> <Badge text=\"f\" />\n", `<p><strong><a href="https://x.example/" rel="nofollow noreferrer">A</a></strong></p><p>b</p><p class="label">C</p><p>d</p><p>e f</p>`},
		"one line":       {"<details><summary>A</summary>b</details>\nc\n", `<details class="fold"><summary>A</summary><p>b</p></details><p>c</p>`},
		"code":           {"```ts:line-numbers {1} [a.ts]\nlet\n```\n\n```{code-block} python\n:linenos:\n\ndef\n```\n", `<p class="label">a.ts</p><pre class="code"><code><span class="k">let</span></code></pre><pre class="code"><code><span class="k">def</span></code></pre>`},
		"definitions":    {"A\n: b\n\n==c== ++ctrl+d++ `==e==`\n", `<dl><dt>A</dt><dd>b</dd></dl><p><mark>c</mark> <kbd>ctrl+d</kbd> <code>==e==</code></p>`},
		"formulas":       {"x $a_1*b_2*c$ and $`d`$, $5 and $6\n\n$$\ne_1*f*\n$$\n", `<p>x <code class="math">a_1*b_2*c</code> and <code class="math">d</code>, $5 and $6</p><pre class="code"><code class="math">e_1*f*</code></pre>`},
		"alignment":      {"| a | b |\n|:-:|--:|\n| 1 | 2 |\n", `<table><thead><tr><th align="center">a</th><th align="right">b</th></tr></thead><tbody><tr><td align="center">1</td><td align="right">2</td></tr></tbody></table>`},
		"Mermaid":        {"```mermaid\na\n```\n", `<p class="label">diagram (Mermaid)</p><pre class="code"><code>a</code></pre>`},
		"titles of HTML": {":::note[<x onerror=y>\"&]\na\n:::\n", `<section class="notice note"><p class="label">&lt;x onerror=y&gt;&#34;&amp;</p><p>a</p></section>`},
		"ids":            {"# A\n## A\n## B {#Own}\n## Path\n## Main\n[c](#path) [d](#A)\n", `<h1 id="a">A</h1><h2 id="a-1">A</h2><h2 id="own">B</h2><h2 id="s-path">Path</h2><h2 id="s-main">Main</h2><p><a href="#s-path">c</a> <a href="#a">d</a></p>`},
	} {
		if got := shownBlocks(t, test.text); got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, test.want)
		}
	}
}

// What only the program of a site understands is left out.
func TestClean(t *testing.T) {
	text := "import {\n  A\n} from 'a'\n\nexport function B() {\n\n  return <i>b</i>\n\n}\n\n<script>\nimport {\n</script>\n\n<p style={{color: 'red'}}>e {/* f */}</p>\n"
	html, _, err := renderMarkdown(t.Context(), text, nil, prose.Clean)
	if want := "<p>e </p>\n"; err != nil || strings.TrimSpace(string(html)) != strings.TrimSpace(want) {
		t.Errorf("%q, %v", html, err)
	}
}

// TestOwnIDs has a document whose headings are called as the elements of the page are.
func TestOwnIDs(t *testing.T) {
	own := []string{"q", "q-key", "hits", "theme", "side", "main", "path", "uri", "endpoint", "answer", "answer-title", "problem", "token", "arg-x", "about-x", "command-x", "snippet-x"}
	html := shownBlocks(t, "## "+strings.Join(own, "\n## ")+"\n")
	for _, m := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(html, -1) {
		if ownIDs().MatchString(m[1]) {
			t.Errorf("the page has an element with the id %q already", m[1])
		}
	}
	names := must.Get(fs.Glob(files, "templates/*.html"))(t)
	found := 0
	for _, name := range names {
		text := must.Get(files.ReadFile(name))(t)
		for _, m := range regexp.MustCompile(`\bid="([\w-]+)(["{])`).FindAllStringSubmatch(string(text), -1) {
			if found++; !ownIDs().MatchString(m[1] + strings.TrimLeft(m[2], `"`)) {
				t.Errorf("%s: ownIDs lacks the id %q", name, m[1])
			}
		}
	}
	if found < len(own) {
		t.Errorf("the templates have %d ids", found)
	}
}
