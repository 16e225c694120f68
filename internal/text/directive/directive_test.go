package directive

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// shown returns the lines of a text, each after the number of blocks around it and what it is.
func shown(text string) string {
	var b strings.Builder
	for l := range Lines(text) {
		fmt.Fprintf(&b, "%d%c", l.Depth, ":{.i"[l.Code])
		for _, o := range l.Opens {
			fmt.Fprintf(&b, "<%s|%s>", o.Kind, o.Title)
		}
		if !l.Marker {
			b.WriteString(l.Text)
		} else if l.Opens == nil {
			b.WriteString("/")
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestLines(t *testing.T) {
	for _, c := range given.Cases(t, "lines.txt") {
		must.Equal(t, c.Files["LINES"], shown(c.Text+"\n"), c.Name)
	}
}

// Blocks nest, and each line of a text is one line of the result.
func FuzzLines(f *testing.F) {
	f.Add("!!! note \"a\"\n    <Tab>\n  b</Tab>\n::: c\n> [!D]\n> {{< e >}}\n\tx\n```{note}\n{{< /e >}}\n")
	f.Fuzz(func(t *testing.T, text string) {
		at, depth := 0, 0
		for l := range Lines(text) {
			raw := strings.TrimRight(text[l.Start:l.End], "\r\n")
			if l.Start != at || l.End <= at || l.Depth > maxDepth || raw[l.Cut:] != l.Text || strings.Trim(raw[:l.Cut], "> \t") != "" {
				t.Fatalf("%q has the line %+v at %d", text, l, at)
			}
			if at = l.End; l.Depth > depth {
				t.Fatalf("%q: no block begins before the line %+v", text, l)
			}
			depth = l.Depth
			depth += len(l.Opens)
		}
		if at != len(text) {
			t.Fatalf("%q ends at %d", text, at)
		}
	})
}

// Marks alone take linear time.
func TestTime(t *testing.T) {
	must.SkipUnderRace(t)
	for _, marks := range []string{
		"!!! a\n", ":::a\n", "<A>", "<A>\n", "<A\n", "</A>", "<A></A>", "{{< a >}}", "{{< a", "{% a ", "{% a %}\n", "> [!A]\n", "```{note}\n", "    ", "\t\n", "> ", "<A \"", "<A b='", "- ", "<!--\n",
	} {
		for _, end := range []string{"", "</A>{{< /a >}}{% enda %}"} {
			text := strings.Repeat(marks, 1<<18/len(marks)) + end
			begin, n := time.Now(), 0
			for range Lines(text) {
				n++
			}
			if took := time.Since(begin); took > 20*time.Second {
				t.Errorf("%q takes %v", marks, took)
			}
		}
	}
	deep := ""
	for i := range 1000 {
		deep += strings.Repeat("    ", i) + "!!! a\n"
	}
	for range Lines(deep) {
	}
}
