package webpage

import (
	"bytes"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	goldmarkhtml "github.com/yuin/goldmark/renderer/html"
	"golang.org/x/net/html"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
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

func TestMarkdownHasNoUnsafeLinks(t *testing.T) {
	for _, trap := range markdownTraps {
		if len(liveLinks(t, trap)) == 0 {
			t.Logf("%q is not a link", trap)
		}
		p := must.Get(Read(Source{at(t, "https://docs.example.com/a.md"), "text/markdown", []byte(trap)}))(t)
		if bad := liveLinks(t, p.Markdown(nil)); len(bad) > 0 {
			t.Errorf("%q has %q: %q", trap, bad, p.Markdown(nil))
		}
	}
	for _, good := range []string{
		"[a](https://a.example/?b=javascript:c) <https://b.example> [c](mailto:x@example.com) [d](#e:f)\n",
		"> [a](\n> https://a.example/)\n", "a < b: c\n", "x[1]: `y`\n", "<a href=\"https://a.example/\">&amp; b: c</a>\n",
	} {
		p, err := Read(Source{at(t, "https://docs.example.com/a.md"), "text/markdown", []byte(good)})
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
		p, err := Read(Source{at(t, "https://docs.example.com/"), "text/markdown", []byte(body)})
		if err != nil {
			return
		}
		if bad := liveLinks(t, p.Markdown(nil)); len(bad) > 0 {
			t.Errorf("%q: %q", bad, p.Markdown(nil))
		}
	})
}
