package webpage

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// TestPieces compares a page that is converted in pieces with the conversions of its parts.
func TestPieces(t *testing.T) {
	if must.RaceEnabled {
		t.Skip("one goroutine converts a large page: it runs without the race detector")
	}
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
