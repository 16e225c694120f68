package docs

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// A library of PDF files with one text.
type onePDF string

func (p onePDF) Text(PDF) (string, bool)         { return string(p), true }
func (p onePDF) Has(PDF) bool                    { return p != "" }
func (p onePDF) Failed(PDF) bool                 { return false }
func (p onePDF) Make(context.Context, PDF) error { return nil }

// A hit in a PDF file names its page and the heading of its section, which may begin on an earlier page.
func TestPDF(t *testing.T) {
	const text = "# m.pdf\n\n## Page 1\n\nThe cover.\n\n### Animals\n\nThe aardvark digs.\n\n## Page 2\n\nThe bilby hops.\n\n### Plants\n\n## Page 3\n\nThe cactus stings.\n&lt;!-- &lt;pre>\n{{ gecko }}\n\n## Page 4\n\n\\!!! The dingo.\n"
	l := must.Get(Detect(t.Context(), fstest.MapFS{"docs/m.pdf": {Data: []byte("%PDF-")}}, Reading{PDFs: onePDF(text)}))(t)
	for query, want := range map[string]string{"cover": "Page 1", "aardvark": "Page 1: Animals", "bilby": "Page 2: Animals", "cactus": "Page 3: Plants", "gecko": "Page 3: Plants", "dingo": "Page 4: Plants"} {
		hits, _, err := l.Search(t.Context(), query, 1)
		if err != nil || len(hits) != 1 || hits[0].Heading != want || hits[0].name() != "docs/m.pdf#page="+want[5:6] {
			t.Errorf("%s: %+v, %v, want %s", query, hits, err, want)
		}
	}
	for section, want := range map[string]string{"Animals": "### Animals\n\nThe aardvark digs.\n\n## Page 2\n\nThe bilby hops.\n", "page=2": "## Page 2\n\nThe bilby hops.\n\n### Plants\n"} {
		answer, err := l.Answer(t.Context(), Request{Paths: []string{"m.pdf"}, Section: section})
		if err != nil || len(answer) != 1 || !strings.HasSuffix(strings.TrimSpace(answer[0])+"\n", "\n"+want) {
			t.Errorf("the section %s goes to %q, %v, want %q", section, answer, err, want)
		}
	}
}

// Until the texts of PDF files are made, an answer without a passage says so.
func TestPDFWithoutText(t *testing.T) {
	l := must.Get(Detect(t.Context(), fstest.MapFS{"docs/m.pdf": {Data: []byte("%PDF-")}}, Reading{PDFs: onePDF("")}))(t)
	if got := answer(t, l, Request{Query: "aardvark"})[0]; got != "[The texts of 1 PDF files are still being read. Ask again in some seconds.]\nNo passage has these words.\n" {
		t.Errorf("%q", got)
	}
}
