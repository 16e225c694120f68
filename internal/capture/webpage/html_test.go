package webpage

import (
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	goldmarktext "github.com/yuin/goldmark/text"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

func at(t testing.TB, s string) *url.URL {
	t.Helper()
	return must.Get(url.Parse(s))(t)
}

// readHTML reads a page.
func readHTML(t testing.TB, body string) *Page {
	t.Helper()
	source := Source{at(t, "https://docs.example.com/guide/page?x=1"), "text/html; charset=utf-8", []byte(body)}
	return must.Get(Choice{}.Read(source))(t)
}

// prose is text that readability takes for an article.
var prose = strings.Repeat(paragraph, 8)

func TestADocumentationPage(t *testing.T) {
	p := readHTML(t, samples(t, "layouts/documentation.txt")[0].Text)
	must.Equal(t, "Install & run", p.Title)
	got := p.Markdown(nil)
	must.Contain(t, got,
		"# Install & run\n", "## With Go\n", "[the API](https://docs.example.com/api/)", "[here](https://docs.example.com/guide/page?x=1#go)",
		"a trap and [mail](mailto:a@example.com)", "```python\nimport os\nprint(1 < 2)\n```\n",
		"````go\nfunc main() {\n\tfmt.Println(\"```\")\n}\n````\n", "```sh\ngo install\ngo run .\n```\n",
		"| Name | Meaning |", "- one\n", "  - inner", "**two** and *three*", "](https://docs.example.com/i/a%20%281%29.png)",
		"https://docs.example.com/guide/lazy.png", "> quoted")
	for _, unwanted := range []string{"Home", "Copyright", "alert", "javascript", "data:", "¶", "Copy", ".invalid", "[picture]"} {
		if strings.Contains(got, unwanted) {
			t.Errorf("%q is there", unwanted)
		}
	}
	if t.Failed() {
		t.Log(got)
	}
	must.Equal(t, 1, strings.Count("\n"+got, "\n# "), "titles")
	got = p.Markdown(func(r Reference) string {
		switch {
		case r.Image:
			return "picture.png"
		case r.URL.Path == "/api/":
			return "../api/index.md"
		}
		return ""
	})
	if !strings.Contains(got, "[the API](../api/index.md)") || strings.Count(got, "](picture.png)") != 2 {
		t.Errorf("rewritten:\n%s", got)
	}
}

// unsafeLinks returns the links in Markdown with schemes other than http, https and mailto, and the
// HTML in it.
func unsafeLinks(markdown string) (list []string) {
	source := []byte(markdown)
	doc := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough)).Parser().Parse(goldmarktext.NewReader(source))
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		target := ""
		switch n := n.(type) {
		case *ast.Link:
			target = string(n.Destination)
		case *ast.Image:
			target = string(n.Destination)
		case *ast.AutoLink:
			target = string(n.URL(source))
			if n.AutoLinkType == ast.AutoLinkEmail {
				target = ""
			}
		case *ast.RawHTML, *ast.HTMLBlock:
			if entering {
				list = append(list, "HTML")
			}
		}
		if scheme := schemeOf(strings.TrimSpace(target), true); entering && scheme != "" && !safeSchemes[scheme] {
			list = append(list, target)
		}
		return ast.WalkContinue, nil
	})
	return list
}

// traps returns attempts of a page to get its own link, HTML or front matter into the Markdown. Each line of testdata/traps.txt is one.
func traps(t testing.TB) []string {
	lines := strings.Split(strings.TrimSuffix(string(must.Get(os.ReadFile("testdata/traps.txt"))(t)), "\n"), "\n")
	return append(lines,
		"<img src=\"https://i.example/x\" alt=\"a\n# heading [b](javascript:c)\">",
		"<pre>x\n```\n[y](javascript:x)\n</pre>", "<pre>~~~\n````\n</pre>[y](javascript:x)",
		"<pre><code class=\"language-go\n```\n[y](javascript:x)\">a</code></pre>",
		"<table><tr><td><pre>x\n[y](javascript:x)</pre></td></tr></table>")
}

func FuzzNoPageHasALinkOrHTMLOfItsOwn(f *testing.F) {
	for _, trap := range traps(f) {
		f.Add(trap)
	}
	f.Fuzz(func(t *testing.T, body string) {
		if len(body) > 2000 {
			return
		}
		for _, around := range []string{"%s", "<main>" + prose + "%s</main>", "<ul><li>%s</li></ul>", "<blockquote>%s</blockquote>"} {
			body := strings.Replace(around, "%s", body, 1)
			p, err := Choice{}.Read(Source{at(t, "https://docs.example.com/guide/page?x=1"), "text/html; charset=utf-8", []byte(body)})
			if err != nil {
				return
			}
			if got := p.Markdown(nil); len(unsafeLinks(got)) > 0 || strings.Contains(got, p.Marked.Mark) {
				t.Errorf("%s\nhas %q, or a mark:\n%s", body, unsafeLinks(got), got)
			}
		}
	})
}

// TestPagesThatTakeLong converts pages whose shape costs a converter more than their size suggests.
func TestPagesThatTakeLong(t *testing.T) {
	for name, body := range map[string]string{
		"depth":          strings.Repeat("<div>", 2500) + "deep" + strings.Repeat("</div>", 2500),
		"depth of lists": strings.Repeat("<ul><li>", 1250) + "deep",
		"quotes":         strings.Repeat("<blockquote>", 1250) + "deep",
		"tables":         strings.Repeat("<table><tr><td>", 375) + "deep",
		"formatting":     strings.Repeat("<b><i><p>", 1_000) + "deep",
		"width":          strings.Repeat("<p>x</p>", 2500),
		"links":          strings.Repeat(`<a href="/x">x</a>`, 2500),
		"unclosed links": strings.Repeat(`<a href="/x">x`, 625),
		"attributes":     "<p " + strings.Repeat("a b=c ", 2500) + ">x",
		"spans":          "<table>" + strings.Repeat(`<tr><td rowspan="65534" colspan="1000">x</td></tr>`, 300) + "</table>",
		"brackets":       strings.Repeat("[", 6250),
		"backticks":      "<code>" + strings.Repeat("`", 6250) + "</code>",
		"entities":       strings.Repeat("&amp;lt;", 3750),
		"spaces":         "<p>" + strings.Repeat(" \n", 6250) + "x</p>",
		"breaks":         "<p>" + strings.Repeat("<br>", 2500) + "</p>",
		"stars":          strings.Repeat("* ", 6250),
		"underscores":    strings.Repeat("_a ", 6250),
		"dashes":         strings.Repeat("- ", 6250) + "x",
		"bangs":          strings.Repeat("![", 6250),
		"parentheses":    strings.Repeat("](", 6250),
		"ampersands":     strings.Repeat("&", 12500),
		"list items":     "<ol>" + strings.Repeat("<li>x", 1250) + "</ol>",
		"rows":           "<table>" + strings.Repeat("<tr><td>x<td>y", 1250) + "</table>",
		"columns":        "<table><tr>" + strings.Repeat("<td colspan=100000>x", 1_000) + "</table>",
		"code":           strings.Repeat("<code>x</code>", 1250),
		"pre":            strings.Repeat("<pre>x</pre>", 625),
		"headings":       strings.Repeat("<h2>x</h2>", 1250),
		"comments":       strings.Repeat("<!-- x -->", 2500),
		"one line":       "<p>" + strings.Repeat("word ", 12500) + "</p>",
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			p, err := Choice{}.Read(Source{at(t, "https://docs.example.com/"), "text/html", []byte(body)})
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("%v for %d bytes", took, len(body))
			} else {
				t.Logf("%v for %d bytes, %v", took, len(body), err)
			}
			if err == nil && p.Markdown(nil) == "" && name != "comments" && name != "breaks" {
				t.Error("nothing is left")
			}
		})
	}
}

// TestLargePages reads pages that are large, or deep in a way that the parser refuses.
func TestLargePages(t *testing.T) {
	must.SkipUnderRace(t)
	var misnested strings.Builder // each paragraph opens all of the elements again
	for i := range 400 {
		fmt.Fprintf(&misnested, "<p><b id=%d>", i)
	}
	for name, c := range map[string]struct {
		body string
		cut  bool
	}{
		"misnested": {misnested.String() + strings.Repeat("<p>x", 100_000), true},
		"tags":      {strings.Repeat("<b>x</b>", 100_001), false},
		"bytes":     {strings.Repeat("x ", (5<<20)/2), false},
		"nested":    {strings.Repeat("<div>x ", 50_000), true},
		"text":      {strings.Repeat("x</x>", 50_000), false}, // the parser appends to one text bit by bit
	} {
		t.Run(name, func(t *testing.T) {
			p := readHTML(t, c.body)
			if (len(p.Notes) > 0) != c.cut || len(p.Markdown(nil)) < 10_000 {
				t.Error(p.Notes)
			}
		})
	}
}

// TestABaseThatIsTooLong: such a base is ignored, because each link would contain it.
func TestABaseThatIsTooLong(t *testing.T) {
	for n, want := range map[int]string{2000: "https://docs.example.com/guide/" + strings.Repeat("a/", 2000) + "b", 1_250_000: "https://docs.example.com/guide/b"} {
		p := readHTML(t, "<base href="+strings.Repeat("a/", n)+"><main><a href=b>x</a></main>")
		if got := p.References[0].URL.String(); got != want {
			t.Errorf("a base of %d folders: a link of %d bytes, %.100s", n, len(got), got)
		}
	}
}

// TestTablesAreNotPadded: in Markdown, a padded row is as long as the longest one, whatever it
// holds.
func TestTablesAreNotPadded(t *testing.T) {
	for name, table := range map[string]string{
		"ragged":       "<tr>" + strings.Repeat("<td>x", 500) + strings.Repeat("<tr><td>x", 500),
		"ragged spans": "<tr>" + strings.Repeat("<td>x", 500) + strings.Repeat("<tr><td colspan=500>x", 500),
		"row spans":    strings.Repeat("<tr>"+strings.Repeat("<td rowspan=50>x", 25), 50),
	} {
		body := "<table>" + table + "</table>"
		got := readHTML(t, body).Markdown(nil)
		if len(got) > 20*len(body) || strings.Count(got, "x") != strings.Count(body, "x") {
			t.Errorf("%s: %d bytes become %d", name, len(body), len(got))
		}
	}
	got := readHTML(t, "<table><tr><th colspan=9>Group"+strings.Repeat("<tr>"+strings.Repeat("<td>x", 9), 9)+"</table>").Markdown(nil)
	if !strings.Contains(got, "| Group |") || strings.Count(got, "\n") != 11 {
		t.Errorf("a table with a long cell:\n%s", got)
	}
}

func ExamplePage_Markdown() {
	u, _ := url.Parse("https://example.com/a/")
	p, err := Choice{}.Read(Source{u, "text/html", []byte(`<title>Title</title><p>See <a href="b">the other</a> page.</p>`)})
	if err != nil {
		panic(err)
	}
	fmt.Print(p.Markdown(nil))
	// Output:
	// # Title
	//
	// See [the other](https://example.com/a/b) page.
}

// TestLinksDoNotMakeAPageHuge has many short links, each of which becomes as long as the URL of its
// page.
func TestLinksDoNotMakeAPageHuge(t *testing.T) {
	must.SkipUnderRace(t)
	u := at(t, "https://docs.example.com/"+strings.Repeat("x", 4000)+"/")
	for contentType, link := range map[string]string{"text/markdown": "[a](b) ", "text/html": "<a href=b>a</a> "} {
		for n, cut := range map[int]bool{9000: true, 100: false} {
			p, err := Choice{}.Read(Source{u, contentType, []byte(strings.Repeat(link, n))})
			if err != nil || (len(p.Notes) == 1) != cut || len(p.Markdown(nil)) > maxMarkdown+8<<10 {
				t.Errorf("%s, %d links: %v, %+v", contentType, n, err, p)
			}
		}
	}
	p := readHTML(t, strings.Repeat("<img src=/b>", 9000))
	long := strings.Repeat("x", 4000)
	got := p.Markdown(func(Reference) string { return long })
	if len(got) > maxMarkdown+p.linked+len(p.Marked.Markdown) || !strings.HasSuffix(got, "![](https://docs.example.com/b)\n") {
		t.Errorf("%d bytes that end in %q", len(got), got[len(got)-100:])
	}
}

func TestDeepListsAndQuotes(t *testing.T) {
	for _, tag := range []string{"<blockquote>", "<ul><li>", "<ol><li>x", "<ul><li><blockquote>"} {
		got := readHTML(t, "<main>"+strings.Repeat(tag, 60)+strings.Repeat("line<br>", 20)+"</main>").Markdown(nil)
		for line := range strings.Lines(got) {
			if before, _, found := strings.Cut(line, "line"); found && len(before) > 5*maxNesting {
				t.Errorf("%s: %q", tag, line)
				break
			}
		}
		must.Equal(t, 20, strings.Count(got, "line"), tag)
	}
}

// TestPieces compares a page that is converted in pieces with the conversions of its parts.
func TestPieces(t *testing.T) {
	must.SkipUnderRace(t)
	var page, want strings.Builder
	page.WriteString("<main>text <b>bold</b> ")
	want.WriteString("text **bold** text\n\n")
	for i := range 2 * pieceNodes {
		if i == 0 {
			page.WriteString("<i></i>text")
		}
		fmt.Fprintf(&page, "<section><div><p>%d <a href=/x>a</a>.</div> text <code>c</code><ul><li>b</ul></section>", i)
		fmt.Fprintf(&want, "%d [a](https://docs.example.com/x).\n\ntext `c`\n\n- b\n\n", i)
	}
	list := strings.Repeat("<li>x</li>", 2*pieceNodes)
	page.WriteString("<ol>" + list + "</ol>" + strings.Repeat("<b>y</b> z ", 2*pieceNodes) + "</main>")
	for i := range 2 * pieceNodes {
		fmt.Fprintf(&want, "%05d. x\n", i+1)
	}
	want.WriteString("\n" + strings.TrimSpace(strings.Repeat("**y** z ", 2*pieceNodes)) + "\n")
	p := must.Get(Choice{}.Read(Source{at(t, "https://docs.example.com/"), "text/html", []byte(page.String())}))(t)
	got := p.Markdown(nil)
	for at := 0; at < max(len(got), want.Len()) && got != want.String(); at += 1000 {
		part := func(s string) string { return s[min(at, len(s)):min(at+1000, len(s))] }
		if diff := cmp.Diff(part(want.String()), part(got)); diff != "" {
			t.Fatalf("from byte %d: %s", at, diff)
		}
	}
}
