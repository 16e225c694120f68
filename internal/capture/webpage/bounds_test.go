package webpage

import (
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// TestLinksDoNotMakeAPageHuge has many short links, each of which becomes as long as the URL of its
// page.
func TestLinksDoNotMakeAPageHuge(t *testing.T) {
	if must.RaceEnabled {
		t.Skip("one goroutine writes a hundred megabytes: it runs without the race detector")
	}
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
		if strings.Count(got, "line") != 20 {
			t.Errorf("%s:\n%s", tag, got)
		}
	}
}
