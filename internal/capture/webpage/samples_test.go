package webpage

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

const (
	sentence  = "<p>A sentence, which has commas, and is about rules of the language.</p>"
	paragraph = "<p>A paragraph of the article, long enough that it counts, with commas, and with sentences. It goes on a little.</p>\n"
)

var (
	repetition = regexp.MustCompile(`\{\{(\d+) ([a-z ]+)\}\}`)
	repeated   = map[string]string{
		"sentences":  sentence,
		"paragraphs": paragraph,
		"keep":       "keep ",
		"stops":      "<p>A tram of line seven stops here.</p>",
		"links":      `<li><a href="x.html">leave</a></li>`,
		"kept links": `<li><a href="x.html">keep</a></li>`,
	}
)

// samples reads a file of pages in testdata. Where a page has, for example, {{12 sentences}}, the text stands that often.
func samples(t *testing.T, file string) []given.Case {
	t.Helper()
	cases := given.Cases(t, file)
	if len(cases) == 0 {
		t.Fatalf("%s has no pages", file)
	}
	for i := range cases {
		cases[i].Text = repetition.ReplaceAllStringFunc(cases[i].Text, func(s string) string {
			m := repetition.FindStringSubmatch(s)
			text, ok := repeated[m[2]]
			if !ok {
				t.Fatalf("%s: there is no such text", s)
			}
			return strings.Repeat(text, must.Get(strconv.Atoi(m[1]))(t))
		})
	}
	return cases
}

// TestMarkdown converts pages, and compares the whole Markdown.
func TestMarkdown(t *testing.T) {
	files, _ := filepath.Glob("testdata/markdown/*.txt")
	if len(files) == 0 {
		t.Fatal("there are no samples")
	}
	for _, file := range files {
		file = "markdown/" + filepath.Base(file)
		for _, s := range samples(t, file) {
			t.Run(file+"/"+s.Name, func(t *testing.T) {
				must.Equal(t, s.Files["Markdown"], readHTML(t, s.Text).Markdown(nil))
			})
		}
	}
}
