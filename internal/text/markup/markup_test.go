package markup

import (
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

func outline(lines []Line) string {
	var b strings.Builder
	for _, l := range lines {
		if l.Level > 0 {
			b.WriteString(strings.Repeat("#", l.Level) + " " + l.Text + "\n")
		} else if l.Code {
			b.WriteString("." + l.Text + "\n")
		}
	}
	return b.String()
}

// Headings in code are code, and attributes that double stay short.
func TestLines(t *testing.T) {
	asciidoc := func(text string) []Line { lines, _ := AsciiDoc(text, make(map[string]string)); return lines }
	for text, test := range map[string]struct {
		read func(string) []Line
		want string
	}{
		"Title\n=====\n\nx::\n\n  ab\n  ==\n\nSub\n---\n":                        {RST, "# Title\n.\n.  ab\n.  ==\n.\n## Sub\n"},
		"= T\n:a: b\n\n== S {a}\n\n----\n== no\n----\n//// \n== no\n////\n":      {asciidoc, "# T\n## S b\n.\n.== no\n.\n.\n.\n.\n"},
		"#+title: T\n* A\n#+BEGIN_SRC\n* no\n#+END_SRC\n** [[https://x][B]] c\n": {Org, "# T\n# A\n.* no\n## B c\n"},
	} {
		must.Equal(t, test.want, outline(test.read(text)), text)
	}
	known := make(map[string]string)
	AsciiDoc(":a: aaaa\n"+strings.Repeat(":a: {a}{a}\n", 10_000), known)
	if len(known["a"]) > 2*maxValue {
		t.Errorf("a value has %d bytes", len(known["a"]))
	}
}
