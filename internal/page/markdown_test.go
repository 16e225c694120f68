package page

import (
	"slices"
	"strings"
	"testing"
)

// TestRenderingIsBounded renders what makes Markdown libraries slow. What would take seconds is
// refused; the test would not end in its time otherwise.
func TestRenderingIsBounded(t *testing.T) {
	for name, source := range map[string]string{
		"quotes": strings.Repeat(">", 80_000), "numbers": strings.Repeat("1. ", 30_000), "brackets": strings.Repeat("[", 100_000), "images": strings.Repeat("![", 50_000),
		"links": strings.Repeat("[a](", 30_000), "stars": strings.Repeat("*a **a ", 20_000), "ticks": strings.Repeat("`a``", 30_000), "tags": strings.Repeat("<a ", 40_000),
		"nested": strings.Repeat("- ", 500) + "x", "lists": strings.Repeat("- a\n", 80_000), "deeper": deeper(400), "table": strings.Repeat("|", 60_000) + "\n" + strings.Repeat("|-", 60_000) + "\n",
		"rows": "|a|b|\n|-|-|\n" + strings.Repeat("|a|b|\n", 40_000), "references": strings.Repeat("[a]: b\n", 40_000), "footnotes": strings.Repeat("[^1]", 40_000) + "\n\n[^1]: x", "tildes": strings.Repeat("~~a ~a", 20_000),
		"urls": strings.Repeat("www.a.b/(", 20_000), "entities": strings.Repeat("&a", 100_000), "headings": strings.Repeat("# a\n", 60_000), "shortLines": strings.Repeat("*a\n[b\n", 40_000), "escapes": strings.Repeat("\\", 200_000), "parens": "[a](" + strings.Repeat("(", 100_000),
	} {
		_, _, err := renderMarkdown(t.Context(), source, nil)
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
