package webui

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/microcosm-cc/bluemonday"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// policy of bluemonday with the rules of sanitize.
func oracle() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	elements := []string{"p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "ul", "ol", "li", "strong", "em", "del", "code", "pre",
		"table", "thead", "tbody", "tfoot", "caption", "tr", "th", "td", "sup", "sub", "section", "div", "span", "details", "summary",
		"b", "i", "u", "s", "kbd", "mark", "small", "ins", "abbr", "dfn", "cite", "q", "samp", "var", "dl", "dt", "dd", "figure", "figcaption"}
	p.AllowElements(elements...)
	p.AllowAttrs("id").Matching(regexp.MustCompile(`^[^"'<>\s]+$`)).OnElements(append(elements, "a")...)
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^[a-z0-9]{1,4}$|^code$|^footnotes?$|^footnote-(ref|backref)$|^(label|fold|tab( first)?|notice (note|tip|important|warning|caution))$`)).OnElements("pre", "code", "span", "div", "section", "a", "p", "details")
	p.AllowAttrs("name").Matching(regexp.MustCompile(`^t[0-9]+$`)).OnElements("details")
	p.AllowAttrs("open").OnElements("details")
	p.AllowAttrs("align").Matching(regexp.MustCompile(`^(left|right|center)$`)).OnElements("th", "td", "p", "div", "h1", "h2", "h3")
	p.AllowAttrs("colspan", "rowspan").Matching(bluemonday.Integer).OnElements("th", "td")
	p.AllowAttrs("width", "height").Matching(bluemonday.Integer).OnElements("img")
	p.AllowAttrs("start").Matching(bluemonday.Integer).OnElements("ol")
	p.AllowAttrs("href").OnElements("a")
	p.AllowAttrs("title").OnElements("a", "img", "abbr", "dfn")
	p.AllowAttrs("src", "alt").OnElements("img")
	p.AllowURLSchemes("http", "https", "mailto")
	p.AllowRelativeURLs(true)
	p.RequireParseableURLs(true)
	p.RequireNoReferrerOnFullyQualifiedLinks(true)
	p.RequireNoFollowOnFullyQualifiedLinks(true)
	return p
}

// TestSanitizeAsBluemonday compares the results of both for HTML that comes from Markdown. Bluemonday leaves elements open.
func TestSanitizeAsBluemonday(t *testing.T) {
	sources := []string{hostileMarkdown}
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(files) == 0 {
		t.Fatal("no documents: ", err)
	}
	for _, f := range files {
		text := must.Get(os.ReadFile(f))(t)
		sources = append(sources, string(text))
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var b strings.Builder
		for range 40 {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		sources = append(sources, b.String())
	}
	policy := oracle()
	ends := regexp.MustCompile(`</[a-z0-9]+>| id="s-q"`) // and an id that is not the first
	for _, source := range sources {
		made, _, err := convert(t.Context(), source, func(destination string, _ bool) string { return destination }, nil)
		must.Do(t, err)
		if diff := cmp.Diff(ends.ReplaceAllString(policy.Sanitize(string(made)), ""), ends.ReplaceAllString(string(sanitize(made)), "")); diff != "" {
			t.Fatalf("of this Markdown:\n%s\n(-bluemonday +sanitize)\n%s", source, diff)
		}
	}
}

const hostileMarkdown = `# A <script>alert(1)</script> heading {#x onclick=alert(1)}

<script>alert(1)</script> <img src=x onerror=alert(1)> <svg/onload=alert(1)>

[a](javascript:alert(1)) [b](JaVaScRiPt:alert(1)) [c](data:text/html,x) [d](vbscript:x) [e](//host/path) [f](https://host "title\" onclick=\"x")
![i](javascript:x) ![j](data:image/svg+xml;base64,AAAA) <javascript:alert(1)> <https://a.b/"onclick=x>

| a<br> | b |
|:-:|--:|
| <b onclick=x> | &lt;script&gt; |

- [x] done[^1]

[^1]: A <a href="javascript:x">note</a>.

` + "```\"onclick=x\n<script>\n```\n"

// pieces are Markdown, and HTML that authors may write in it.
var pieces = []string{
	"# ", "\n", "\n\n", "- ", "1. ", "7) ", "> ", "| a | b |\n|---|:-:|\n| ", " |", "```go\n", "```\n", "`", "**", "*", "~~", "[", "](", ")", "![", "<", ">", "\"", "'",
	"https://example.org/?a=b&c", "www.example.org", "me@example.org", "javascript:alert(1)", "&lt;", "&#106;", "&", "\x00", "é", "a b", "[^1]", "[^1]: ", "    ", "---\n",
	"<script>", "</div>", "<a href=x onclick=y>", "<div align=center style=x>", "<td colspan=2 id=q>", "<img src=x onerror=y width=9>", "<Badge text='<b>' />", "<!--", "-->", "- [ ] ", "\\", "\t", "word ",
}

// FuzzSanitize asserts that bluemonday removes nothing from the result, and that
// the result closes what it opens and nothing else.
func FuzzSanitize(f *testing.F) {
	for _, seed := range []string{
		hostileMarkdown,
		`<p>a</div></p></section><a>b</a><a href="javascript:x">c</a><a href=" https://h/ ">d</a><img><img src="x" onerror=y alt='"'>`,
		`<table><tr><td align=left style="x">a<p id="s-a b"><h1 id=s-a class=code></h1><ol start=-1><ol start=3><li id="fn:1">`,
		`<textarea><script></textarea><style><b></style><title></p></title><plaintext></p><p>`,
		`<svg><p><style><a id="</style><img src=1 onerror=alert(1)>">`, `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">`,
		`<a href="//h" rel=x href="javascript:y">`, `<p/><br/></br></p></p>`, `<a href="&#106;avascript:x">`, "<a href=\"java\nscript:x\">", `<!doctype x><!--><p>-->`, `<`, `</`, `<p`,
	} {
		f.Add([]byte(seed))
	}
	policy := oracle()
	f.Fuzz(func(t *testing.T, source []byte) {
		got := string(sanitize(source))
		if diff := cmp.Diff(policy.Sanitize(got), got); diff != "" {
			t.Fatalf("of %q (-bluemonday +sanitize)\n%s", source, diff)
		}
		var open []string
		for _, tag := range regexp.MustCompile(`<(/?)([a-z0-9]+)`).FindAllStringSubmatch(got, -1) {
			switch {
			case tag[2] == "br" || tag[2] == "hr" || tag[2] == "img":
			case tag[1] == "":
				open = append(open, tag[2])
			case len(open) == 0 || open[len(open)-1] != tag[2]:
				t.Fatalf("of %q: %q closes %s", source, got, tag[2])
			default:
				open = open[:len(open)-1]
			}
		}
		if len(open) > 0 {
			t.Fatalf("of %q: %q does not close %q", source, got, open)
		}
	})
}
