package docs

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

func (l *Library) document(t *testing.T, path string) Document {
	t.Helper()
	for _, d := range l.Documents() {
		if d.Path == path {
			return d
		}
	}
	t.Fatalf("there is no document %s", path)
	return Document{}
}

func TestMetadata(t *testing.T) {
	fsys := given.Texts(map[string]string{
		"docs/index.md": "---\ndescription: The start.\n---\n# Welcome\n\n[a](guides/a.md#x) [b](guides/b) [g](guides/) [self](index.md) [out](../README.md) " +
			"[none](missing.md) [a](./guides/a.md) [web](https://example.org/x#y) [root](/guides/my%20file.md) `[code](c.md)`\n",
		"docs/guides/index.md":   "# Guides\n\n[up](../index.md?x=1)\n",
		"docs/guides/a.md":       "no heading\n",
		"docs/guides/b.mdx":      "# B\n",
		"docs/guides/my file.md": "",
		"docs/guides/c.txt":      "[a](a.md)",
	})
	l := scan(t, fsys, "docs", nil)
	got := make(map[string]Metadata)
	for _, d := range l.Documents() {
		got[d.Path] = d.Metadata()
	}
	want := map[string]Metadata{
		"index.md":          {"Welcome", "The start.", []string{"guides/a.md", "guides/b.mdx", "guides/index.md", "guides/my file.md", "https://example.org/x"}},
		"guides/index.md":   {"Guides", "", []string{"index.md"}},
		"guides/a.md":       {Title: "A"},
		"guides/c.txt":      {Title: "C"},
		"guides/b.mdx":      {Title: "B"},
		"guides/my file.md": {Title: "My file"},
	}
	must.Equal(t, want, got)

	// Facts are kept for unchanged documents, but the targets of their links are resolved again.
	delete(fsys, "docs/guides/b.mdx")
	next := scan(t, fsys, "docs", l)
	fsys["docs/index.md"].Data = []byte("# Changed since the scan\n")
	if got := next.document(t, "index.md").Metadata(); slices.Contains(got.Links, "guides/b.mdx") || got.Title != "Welcome" {
		t.Errorf("%+v", got)
	}
	fsys["docs/late.md"] = &fstest.MapFile{Data: []byte("# Late\n")}
	last := scan(t, fsys, "docs", next)
	fsys["docs/late.md"] = &fstest.MapFile{Data: []byte("# Later than the scan\n")}
	if got := last.document(t, "late.md").Metadata(); got.Title != "" {
		t.Errorf("%+v", got)
	}
}

// Head does not split a character.
func TestAbout(t *testing.T) {
	fsys := given.Texts(map[string]string{
		"docs/long.md": strings.Repeat("\u00e9", 1000), "docs/short.md": "# Short", "docs/latin.md": "latin \xe9", "docs/x.txt": "x",
		"docs/wide.md": "\xff\xfe#\x00 \x00a\x00a\x00a\x00\n\x00" + strings.Repeat("a\x00", 10_000),
	})
	l := scan(t, fsys, "docs", nil)
	for path, want := range map[string]string{"long.md": "Long", "short.md": "Short", "wide.md": "aaa", "x.txt": "X", "gone.md": "", "": ""} {
		if got, _ := l.About(path); got != want {
			t.Errorf("%s: %q", path, got)
		}
	}
}

// TestCapturedPage: what a captured page names is neither in its answers nor readable because of it, and a search does not find it there.
func TestCapturedPage(t *testing.T) {
	const lines = "# Captured page\n\n{!../../src/app.py!}\n\n--8<-- \"src/app.py\"\n\n![[app]] [[app.py]]\n\n[source](../../src/app.py) [own](own.bin)\n\n`/data/private.png` ![](../../data/private.png)\n"
	front := "---\nurl: \"https://a.example/x\"\nsha256: \"9c56\"\nassets:\n  - \"ab12 web/own.bin\"\n---\n\n"
	files := map[string]string{"docs/web/x.md": front + lines, "docs/web/own.bin": "own bytes\n", "src/app.py": "zebra = 'PRIVATE'\n", "data/private.png": "PRIVATE"}
	read := func() (answers string) {
		l := must.Get(Detect(t.Context(), given.Texts(files), Reading{}))(t)
		for _, path := range []string{"docs/web/x.md", "src/app.py", "app.py", "data/private.png"} {
			answers += strings.Join(answer(t, l, Request{Paths: []string{path}}), "\n")
		}
		answers += strings.Join(answer(t, l, Request{Query: "zebra"}), "\n")
		published := must.Get(l.Published(t.Context()))(t)
		for _, f := range published {
			if !strings.HasPrefix(f.Name, "docs/") {
				answers += "PRIVATE file " + f.Name
			}
		}
		return answers
	}
	if got := read(); strings.Contains(got, "PRIVATE") || !strings.Contains(got, "{!../../src/app.py!}") {
		t.Errorf("a captured page: %s", got)
	}
	files["docs/web/x.md"] = lines
	if got := read(); !strings.Contains(got, "PRIVATE") {
		t.Errorf("a page of the author: %s", got)
	}
}

// TestAttachments: a file that is not a document is served if a document links to it.
func TestAttachments(t *testing.T) {
	var picture bytes.Buffer
	must.Do(t, png.Encode(&picture, image.NewGray(image.Rect(0, 0, 2, 2))))
	files := map[string]string{
		"docs/a.md": "# A\n\n![plan](../img/plan.png) [data](data/x%20y.csv) ![[board.png]] [key](../.env)\n", "docs/b.md": "# B\n",
		"img/plan.png": picture.String(), "img/other.png": picture.String(), "docs/data/x y.csv": "one,two\n", "docs/data/other.csv": "secret\n", "notes/board.png": picture.String(), ".env": "A=1\n",
	}
	l := must.Get(Detect(t.Context(), given.Texts(files), Reading{}))(t)
	for path, want := range map[string]string{"../img/plan.png": "img/plan.png", "docs/data/x y.csv": "one,two", "img/other.png": "not found", "docs/data/other.csv": "not found", "../.env": "Invalid path", ".env": "not found", "board.png": "notes/board.png"} {
		r := Request{Paths: []string{path}}
		got := answer(t, l, r)[0]
		images := must.Get(l.ImagesOf(t.Context(), r))(t)
		if i, ok := images[0]; ok {
			got = i.Path
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	if images, _ := l.ImagesOf(t.Context(), Request{Paths: []string{"img/plan.png"}, Query: "plan"}); len(images) > 0 {
		t.Errorf("a query shows images: %v", images)
	}
}

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
