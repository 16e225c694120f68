package webpage

import (
	"context"
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

// A counter is a context that counts the calls of Err.
type counter struct {
	context.Context
	looks int
}

func (c *counter) Err() error { c.looks++; return c.Context.Err() }

// TestStepsGrowWithThePage checks that reading the links of a page of twice the size takes about twice the steps,
// whatever its shape.
func TestStepsGrowWithThePage(t *testing.T) {
	if must.RaceEnabled {
		t.Skip("one goroutine converts fifty large pages: it runs without the race detector")
	}
	steps := func(contentType, body string) int {
		ctx := &counter{Context: t.Context()}
		source := Source{at(t, "https://docs.example.com/"), contentType, []byte(body)}
		must.Get(ReadLeads(ctx, source, nil, ""))(t)
		return ctx.looks
	}
	const n = 1000
	for name, body := range map[string]func(n int) string{
		"paragraphs": func(n int) string { return strings.Repeat("<p>x <b>y</b>", n) },
		"long base": func(n int) string {
			return "<base href=" + strings.Repeat("a/", n) + ">" + strings.Repeat("<a href=b>c</a>", n)
		},
		"misnested": func(n int) string { return strings.Repeat("<b><i>x</b></i><p>", n) },
		"looks":     func(n int) string { return strings.Repeat("<p><b class=x><i>", n) + strings.Repeat("<p>x", n) },
		"nested":    func(n int) string { return strings.Repeat("<div>", n) + strings.Repeat("<p>x", n) },
		"lists":     func(n int) string { return strings.Repeat("<ul><li>x", n) },
		"tables":    func(n int) string { return strings.Repeat("<table><tr><td>x", n/10) + strings.Repeat("<tr><td>x", n) },
		"cells":     func(n int) string { return "<table>" + strings.Repeat("<tr><td>x<td rowspan=9>y", n) },
		"in a cell": func(n int) string { return "<table><td>a<td>" + strings.Repeat("<div><p>x</div>", n) },
		"code":      func(n int) string { return strings.Repeat("<pre><code class=language-go>x</code></pre>", n) },
		"headings":  func(n int) string { return strings.Repeat("<h2 id=x>y<a href=#x>#</a></h2>", n) },
		"images":    func(n int) string { return strings.Repeat("<img src=x alt=y>", n) },
	} {
		if once, twice := steps("text/html", body(n)), steps("text/html", body(2*n)); once < 1 || 10*twice > 25*once {
			t.Errorf("%s: %d steps, and %d for twice as much", name, once, twice)
		}
	}
	for name, part := range map[string]string{
		"links": "[a](b) ", "lines": "[a](b)\n", "definitions": "[a]: b\n", "open": "](", "brackets": "[a](", "tags": "<a href=b:c>", "unsafe": "[a](javascript:b) ",
	} {
		if once, twice := steps("text/markdown", strings.Repeat(part, n)), steps("text/markdown", strings.Repeat(part, 2*n)); once < 1 || 10*twice > 25*once {
			t.Errorf("Markdown of %s: %d steps, and %d for twice as much", name, once, twice)
		}
	}
}
