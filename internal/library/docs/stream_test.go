package docs

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/race"
)

// randomText is a text with headings of all kinds, code, long lines and long paragraphs.
func randomText(r *rand.Rand, size int) string {
	var b strings.Builder
	if r.IntN(2) == 0 {
		b.WriteString("---\ntitle: A title\n---\n")
	}
	for b.Len() < size {
		switch r.IntN(12) {
		case 0:
			fmt.Fprintf(&b, "%s heading %d\n", strings.Repeat("#", 1+r.IntN(4)), r.IntN(1000))
		case 1:
			fmt.Fprintf(&b, "underlined %d\n%s\n", r.IntN(1000), []string{"===", "---"}[r.IntN(2)])
		case 2:
			fmt.Fprintf(&b, "```\n# no heading %d\n```\n", r.IntN(1000))
		case 3:
			b.WriteString(strings.Repeat("long ", r.IntN(3000)))
		case 4:
			b.WriteString(strings.Repeat("a paragraph\n", r.IntN(1000)))
		case 5:
			b.WriteString("- an item\n\n  of é two\n")
		case 6:
			b.WriteString("設定を変更する。\n")
		default:
			for range r.IntN(60) {
				fmt.Fprintf(&b, "word%d ", r.IntN(2000))
			}
			b.WriteString(strings.Repeat("\n", r.IntN(3)))
		}
	}
	return b.String()
}

// A document that comes in pieces has the same passages, postings and headings as one that comes
// whole.
func TestStreamIsWhole(t *testing.T) {
	const piece = 80_000 // front matter fits
	for seed := range uint64(12) {
		text := randomText(rand.New(rand.NewPCG(seed, 0)), 500_000)
		switch seed % 3 {
		case 1:
			text = "---\ntitle: A title\n---\n\n# A heading\n\n" + text
		case 2:
			text = "---\ntitle: A title\ndescription: " + strings.Repeat("long ", 1000) + "\n---\n# A heading\n" + text
		}
		d := &document{path: "guides/a.md", size: int64(len(text))}
		whole, pieces := newWriter(), newWriter()
		whole.document(d, text)
		if err := pieces.stream(d, strings.NewReader(text), piece); err != nil {
			t.Fatal(err)
		}
		all := func(*document) bool { return true }
		want, got := merge(new(index), whole.runs(), all), merge(new(index), pieces.runs(), all)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(index{}, passage{}, naming{}), cmp.Comparer(func(a, b *document) bool { return a == b })); diff != "" {
			t.Fatalf("seed %d (-whole +pieces):\n%.2000s", seed, diff)
		}
	}
}

// A document whose parts are in several runs is one document in the index.
func TestManyPostings(t *testing.T) {
	if race.Enabled {
		t.Skip("one goroutine makes a million postings: it runs without the race detector")
	}
	var b strings.Builder
	for i := 0; b.Len() < 14<<20; i++ {
		for k := range 200 {
			fmt.Fprintf(&b, "w%d ", (i*7+k*13)%3000)
		}
		b.WriteString("\n\n")
	}
	l := scan(t, tree(map[string]string{"docs/big.md": b.String() + "# The end\n\na needle\n", "docs/small.md": "a needle"}), "docs", nil)
	hits := search(t, l, "needle")
	if len(hits) != 2 || hits[0].Path != "big.md" || hits[0].Heading != "The end" || hits[1].Path != "small.md" {
		t.Errorf("%+v", hits)
	}
	if x := l.index.Load(); len(x.docs) != 2 || len(x.where) <= maxPostings {
		t.Errorf("%d documents, %d postings", len(x.docs), len(x.where))
	}
}

func TestValidUTF8(t *testing.T) {
	long := strings.Repeat("é漢😀x", 20_000)
	for i := range 8 {
		if text := long[:0] + strings.Repeat("x", i) + long; !validUTF8(strings.NewReader(text)) {
			t.Errorf("shifted by %d it is not valid", i)
		}
	}
	for _, text := range []string{"\xff", long + "\xc3", long + "\x80" + long, strings.Repeat("\x80", 1<<17), "\xff\xfea\x00"} {
		if validUTF8(strings.NewReader(text)) {
			t.Errorf("%.10q is valid", text)
		}
	}
}

// The order of edits does not decide which of two documents comes first.
func TestEqualRanksHaveOneOrder(t *testing.T) {
	files := map[string]string{}
	for i := range 6 {
		files[fmt.Sprintf("docs/%c.md", 'a'+i)] = "the same needle"
	}
	order := func(l *Library) string {
		var paths []string
		for _, h := range search(t, l, "needle") {
			paths = append(paths, h.Path)
		}
		return strings.Join(paths, " ")
	}
	const want = "a.md b.md c.md d.md e.md f.md"
	fsys := tree(files)
	l := scan(t, fsys, "docs", nil)
	if got := order(l); got != want {
		t.Errorf("at first: %s", got)
	}
	for _, edited := range []string{"docs/d.md", "docs/a.md"} {
		fsys[edited] = &fstest.MapFile{Data: []byte("the same needle "), ModTime: fsys[edited].ModTime.Add(1)}
		l = scan(t, fsys, "docs", l)
		fsys[edited] = &fstest.MapFile{Data: []byte("the same needle"), ModTime: fsys[edited].ModTime.Add(1)}
		l = scan(t, fsys, "docs", l)
		if got := order(l); got != want {
			t.Errorf("after an edit of %s: %s", edited, got)
		}
	}
}
