package webpage

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// A sample is a page, with the Markdown expected from it.
type sample struct{ name, html, markdown string }

// samples reads a file of samples. A sample begins with a line "== name", and its Markdown after a line "-- Markdown". An
// empty line ends the Markdown.
func samples(t *testing.T, file string) (list []sample) {
	t.Helper()
	text := string(must.Get(os.ReadFile(file))(t))
	for _, part := range strings.Split("\n"+text, "\n== ")[1:] {
		name, rest, _ := strings.Cut(part, "\n")
		html, markdown, _ := strings.Cut(rest, "\n-- Markdown\n")
		list = append(list, sample{name, repeat(t, html), markdown})
	}
	if len(list) == 0 {
		t.Fatal(file, "has no samples")
	}
	return list
}

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

// repeat writes the text out where a page has, for example, {{12 sentences}}.
func repeat(t *testing.T, html string) string {
	return repetition.ReplaceAllStringFunc(html, func(s string) string {
		m := repetition.FindStringSubmatch(s)
		text, ok := repeated[m[2]]
		if !ok {
			t.Fatalf("%s: there is no such text", s)
		}
		return strings.Repeat(text, must.Get(strconv.Atoi(m[1]))(t))
	})
}

// TestMarkdown converts pages, and compares the whole Markdown.
func TestMarkdown(t *testing.T) {
	files, _ := filepath.Glob("testdata/markdown/*.txt")
	if len(files) == 0 {
		t.Fatal("there are no samples")
	}
	for _, file := range files {
		for _, s := range samples(t, file) {
			t.Run(filepath.Base(file)+"/"+s.name, func(t *testing.T) {
				must.Equal(t, s.markdown, readHTML(t, s.html).Markdown(nil))
			})
		}
	}
}
