package page

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/contents"
)

// TestRenderingIsBounded renders texts that make Markdown libraries slow. Texts that would take
// seconds are refused; otherwise the test would not end in time.
func TestRenderingIsBounded(t *testing.T) {
	if must.RaceEnabled {
		t.Skip("one goroutine reads megabytes: it runs without the race detector")
	}
	for name, source := range map[string]string{
		"quotes": strings.Repeat(">", 80_000), "numbers": strings.Repeat("1. ", 30_000), "brackets": strings.Repeat("[", 100_000), "images": strings.Repeat("![", 50_000),
		"links": strings.Repeat("[a](", 30_000), "stars": strings.Repeat("*a **a ", 20_000), "ticks": strings.Repeat("`a``", 30_000), "tags": strings.Repeat("<a ", 40_000),
		"nested": strings.Repeat("- ", 500) + "x", "lists": strings.Repeat("- a\n", 80_000), "deeper": deeper(400), "table": strings.Repeat("|", 60_000) + "\n" + strings.Repeat("|-", 60_000) + "\n",
		"rows": "|a|b|\n|-|-|\n" + strings.Repeat("|a|b|\n", 40_000), "references": strings.Repeat("[a]: b\n", 40_000), "footnotes": strings.Repeat("[^1]", 40_000) + "\n\n[^1]: x", "tildes": strings.Repeat("~~a ~a", 20_000),
		"urls": strings.Repeat("www.a.b/(", 20_000), "entities": strings.Repeat("&a", 100_000), "headings": strings.Repeat("# a\n", 60_000), "shortLines": strings.Repeat("*a\n[b\n", 40_000), "escapes": strings.Repeat("\\", 200_000), "parens": "[a](" + strings.Repeat("(", 100_000),
	} {
		_, _, err := renderMarkdown(t.Context(), source, nil, nil)
		if linear := slices.Contains([]string{"lists", "rows", "urls", "entities", "headings", "escapes", "parens", "table"}, name); linear != (err == nil) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func deeper(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat("  ", i) + "- a\n")
	}
	return b.String()
}

// Tags that browsers do not know are omitted, and programs.
func TestTags(t *testing.T) {
	html, _, err := renderMarkdown(t.Context(), "---\na: b\n---\nReview <b>this</b> *now*.\n\n<doc id=\"1\">\n</doc>\n\n<script>\nalert(1)\n\n</script>\n", nil, nil)
	if err != nil || strings.Contains(string(html), "doc") || strings.Contains(string(html), "alert") || !strings.Contains(string(html), "Review <b>this</b> <em>now</em>.") {
		t.Errorf("%q, %v", html, err)
	}
}

// A link without a target becomes text, not a link to the page itself.
func TestDeadLinks(t *testing.T) {
	links := func(destination string, image bool) string {
		if destination == "there" {
			return "/there"
		}
		return ""
	}
	html, _, err := renderMarkdown(t.Context(), "[*a* b](none) [c](javascript:x) ![d](none) ![](none) [![e](https://x.example/e.png)](there) [f](there) ![g](https://x.example/g.png)\n", links, nil)
	want := `<p><em>a</em> b c d (missing: none) image (missing: none) <a href="/there">e</a> <a href="/there">f</a> <a href="https://x.example/g.png" rel="nofollow noreferrer">g</a></p>`
	if err != nil || strings.TrimSpace(string(html)) != want {
		t.Errorf("%q, %v", html, err)
	}
}

// Rendering waits until the viewer gets a processor.
func TestRenderingTakesTurns(t *testing.T) {
	ctx, leave, err := contents.NewMemory().Enter(t.Context(), "greedy")
	must.Do(t, err)
	defer leave()
	for range runtime.GOMAXPROCS(0) {
		done := must.Get(contents.Turn(ctx))(t)
		defer done()
	}
	ctx, cancel := context.WithCancel(ctx)
	cancel()
	if b := textBody(ctx, "{}", "application/json", "a.json", nil, nil); b.Kind != "none" || b.Note == "" {
		t.Errorf("%+v", b)
	}
	if b := textBody(t.Context(), "{}", "application/json", "a.json", nil, nil); b.Kind != "data" {
		t.Errorf("%+v", b)
	}
}
