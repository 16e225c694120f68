package site

import (
	"strings"
	"testing"
)

// PDF files are documents after all others, and published only from a folder that somebody names. Nothing of them is read.
func TestPDFs(t *testing.T) {
	code := map[string]string{"go.mod": "", "a.go": "", "docs/a.md": "# A\n", "docs/m.pdf": "x", "docs/n.docx": "", "test/x.pdf": "x"}
	notes := map[string]string{"README.md": "# R\n", "a.pdf": "x", "papers/b.pdf": "x", "papers/fr/c.PDF": "x"}
	for _, c := range []struct {
		files map[string]string
		o     Options
		want  string
	}{
		{code, Options{}, "docs/a.md main, docs/m.pdf other"},
		{code, Options{Published: true}, "docs/a.md main"},
		{code, Options{Published: true, Chosen: "docs"}, "docs/a.md main, docs/m.pdf other"},
		{notes, Options{}, "README.md main, a.pdf other, papers/b.pdf other, papers/fr/c.PDF other"},
		{notes, Options{Published: true}, "README.md main"},
		{notes, Options{Published: true, Chosen: "."}, "README.md main, a.pdf other, papers/b.pdf other, papers/fr/c.PDF other"},
	} {
		var got []string
		for _, p := range loadWith(t, c.files, c.o).Pages(true) {
			got = append(got, p.File+" "+p.Class.String())
		}
		if got := strings.Join(got, ", "); got != c.want {
			t.Errorf("%+v: %s, want %s", c.o, got, c.want)
		}
	}
}
