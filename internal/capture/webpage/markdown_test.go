package webpage

import (
	"bytes"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	goldmarkhtml "github.com/yuin/goldmark/renderer/html"
	"golang.org/x/net/html"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
)

// liveLinks converts Markdown, with the HTML in it, to HTML as a browser would read it, and returns
// the links with schemes other than http, https and mailto.
func liveLinks(t testing.TB, markdown string) (list []string) {
	t.Helper()
	var b bytes.Buffer
	renderer := goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithRendererOptions(goldmarkhtml.WithUnsafe()))
	must.Do(t, renderer.Convert([]byte(markdown), &b))
	doc := must.Get(html.Parse(&b))(t)
	for n := range doc.Descendants() {
		for _, a := range n.Attr {
			if !slices.Contains([]string{"href", "src", "action", "formaction"}, a.Key) {
				continue
			}
			target := strings.TrimLeftFunc(a.Val, func(r rune) bool { return r <= ' ' })
			target = strings.NewReplacer("\t", "", "\r", "", "\n", "").Replace(target)
			if u, err := url.Parse(target); err == nil && u.Scheme != "" && !safeSchemes[u.Scheme] {
				list = append(list, target)
			} else if scheme, _, _ := strings.Cut(strings.ToLower(target), ":"); err != nil && (scheme == "javascript" || scheme == "data" || scheme == "vbscript") {
				list = append(list, target)
			}
		}
	}
	return list
}

// markdownTraps are unsafe links in Markdown that a server sends.
var markdownTraps = []string{
	"[a](javascript:alert(1))", "[a](\njavascript:alert(1))", "<javascript:alert(1)>", "[a]\n\n[a]: javascript:alert(1)",
	"> [a](\n> javascript:alert(1))", "> [a](\n>javascript:alert(1))", "> > [a](<\n> > javascript:alert(1))", "> [a]:\n> javascript:alert(1)\n\n[a]",
	"[<b](javascript:alert(1))", "[href=x](javascript:alert(1))", "[<a]: javascript:alert(1)\n\n[<a]", "foo]: [click](javascript:alert(1))",
	"[x]:[y](javascript:alert(1))", "[x](<[y](javascript:alert(1))", "[src=](javascript:alert(1))", "<b <javascript:alert(1)>",
	"<a href=\"java\tscript:alert(1)\">x</a>", "<a href='java\nscript:alert(1)'>x</a>", "<a href=\"\n j\na\tv&Tab;ascript:alert(1)\">x</a>",
	"<a href=\"java\r\nscript:alert(1)\">x</a>", "> <a href=\"java\n> script:alert(1)\">x</a>", "> y <a href\n> =\n> 'java\n>   script&colon;alert(1)'>x</a>",
	"<a href=&#0000106avascript:alert(1)>x</a>", "<a href=\" &#1; javascript:alert(1)\">x</a>", "<a title='>' href=javascript:alert(1)>x</a>",
	"<a href=\" &#1javascript:x\">x</a>", "<a href=\"&#x9javascript:x\">x</a>", "<a href='&#106avascript:x'>x</a>",
	"[a](java&#115;cript&colon;x)", "![a](data:text/html,x)", "[a](<javascript:alert(1)>)", "[a](&#32;javascript:x)", "<a href=javascript&#58;x>x</a>",
	"- [a]:\n  javascript:x\n\n  [a]", "[a\\]: b]: javascript:x\n\n[a\\]: b]", "<form action=javascript:x><button formaction='&Tab;javascript:y'>",
}

func TestSafeLinksOfMarkdownStay(t *testing.T) {
	for _, good := range []string{
		"[a](https://a.example/?b=javascript:c) <https://b.example> [c](mailto:x@example.com) [d](#e:f)\n",
		"> [a](\n> https://a.example/)\n", "a < b: c\n", "x[1]: `y`\n", "<a href=\"https://a.example/\">&amp; b: c</a>\n",
	} {
		p, err := Choice{}.Read(Source{at(t, "https://docs.example.com/a.md"), "text/markdown", []byte(good)})
		if err != nil || p.Markdown(nil) != good {
			t.Errorf("%q becomes %q, %v", good, p.Markdown(nil), err)
		}
	}
}

func FuzzMarkdownHasNoUnsafeLinks(f *testing.F) {
	for _, trap := range markdownTraps {
		f.Add(trap)
	}
	f.Fuzz(func(t *testing.T, body string) {
		if len(body) > 2000 {
			return
		}
		p, err := Choice{}.Read(Source{at(t, "https://docs.example.com/a.md"), "text/markdown", []byte(body)})
		if err != nil {
			return
		}
		if bad := liveLinks(t, p.Markdown(nil)); len(bad) > 0 {
			t.Errorf("%q: %q", bad, p.Markdown(nil))
		}
	})
}

func TestRelink(t *testing.T) {
	link := func(u *url.URL) string {
		if u.Host != "a.example" {
			return ""
		}
		if strings.Contains(u.Path, "(") != strings.Contains(u.EscapedPath(), "(") {
			return "" // the link leads to another page
		}
		return "to" + u.Path + ".md" + strings.TrimPrefix("#"+u.Fragment, "#")
	}
	for _, c := range given.Cases(t, "relink.txt") {
		for _, end := range []string{"", "\n"} {
			must.Equal(t, strings.TrimSuffix(c.Files["relinked"], "\n")+end, Relink(c.Text+end, link), c.Name)
		}
	}
	long := strings.Repeat("`[](https://a.example/b)``", 50_000)
	if got := Relink(long, link); len(got) > 2*len(long) {
		t.Errorf("%d bytes", len(got))
	}
}

func TestParenthesesInMarkdown(t *testing.T) {
	source := Source{URL: at(t, "https://a.example/wiki/"), ContentType: "text/markdown", Body: []byte("[a](Go_(language)) [![i](i.png)](b) ([c](d)) [e](f(g)h#(i) \"t\") [x](y[z](w))\n")}
	page := must.Get(Choice{}.Read(source))(t)
	want := "[a](https://a.example/wiki/Go_%28language%29) [![i](https://a.example/wiki/i.png)](https://a.example/wiki/b) ([c](https://a.example/wiki/d)) " +
		"[e](https://a.example/wiki/f%28g%29h#%28i%29 \"t\")"
	if got := page.Markdown(nil); !strings.HasPrefix(got, want) {
		t.Errorf("%s\nwant %s", got, want)
	}
	must.Equal(t, "/wiki/Go_(language)", ReadLeads(source, nil, "x").Links[0].URL.Path)
}

func TestAnchors(t *testing.T) {
	p := readHTML(t, `<!doctype html><title>T</title><main id=top><p id=lead>Before.</p>
		<section id=one><h2>One <a id=in></a></h2><p id=text>Text.</p><a name=two></a><h2 id=second>Two</h2><dl><dt id=term>t<dd>d</dl></section></main>`)
	got := make(map[string]int)
	for _, a := range p.Anchors {
		got[a.ID] = a.Heading
	}
	// The title became the heading number 0.
	for id, want := range map[string]int{"lead": 0, "one": 1, "in": 1, "text": 1, "two": 2, "second": 2, "term": 2} {
		if at, ok := got[id]; !ok || at != want {
			t.Errorf("%s: %d, %v, want %d\n%s", id, at, ok, want, p.Markdown(nil))
		}
	}
	if n := strings.Count(p.Markdown(nil), "# "); n != p.Headings || n != 3 {
		t.Errorf("%d headings, %d in\n%s", p.Headings, n, p.Markdown(nil))
	}
}

// TestAnchorsOfHeadingsInBlocks: headings in tables, lists and quotes are not always headings in Markdown. The number
// of an anchor is the number of the heading that readers find.
func TestAnchorsOfHeadingsInBlocks(t *testing.T) {
	p := readHTML(t, `<!doctype html><title>T</title><main><h1>T</h1>
		<table><tr><td><h2 id=cell>Cell</h2><td>b</table><blockquote><h2 id=quote>Quote</h2></blockquote>
		<ul><li><h2 id=item>Item</h2><p>text</ul><ol><li>text<h2 id=step>Step</h2></ol>
		<h2 id=last>Last<a class=mark href=#mark id=mark>#</a></h2><pre id=pre>a <b id=code>b</b></pre>
		<h2><a class=toc-backref href=#id1>With &#xe000;5&#xe001; contents</a></h2><p id=end>text</main>`)
	text := p.Markdown(nil)
	headings := excerpt.Headings(text)
	got := make(map[string]string)
	for _, a := range p.Anchors {
		got[a.ID] = headings[a.Heading].Text
	}
	want := map[string]string{"cell": "T", "quote": "T", "item": "Item", "step": "Step", "last": "Last", "mark": "Last", "pre": "Last", "code": "Last", "end": "With 5 contents"}
	if diff := cmp.Diff(want, got); diff != "" || len(headings) != p.Headings || strings.ContainsAny(text, "\ue000\ue001") {
		t.Errorf("%d headings: %s\n%s", p.Headings, diff, text)
	}
}
