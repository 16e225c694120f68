package docs

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// A writer, which recognizes plain words by itself, finds the same words as a splitter, in the same
// order, and numbers them by their stems.
func TestWriterWords(t *testing.T) {
	pieces := strings.Split("a|b|Z|HTTP|word|Word|sixteen0letters0|Sixteen0Letters01|seventeenletters1|readFile|9|42|.|-|_|'|’|s|ß|É|é| |\n|中|文|ไ|\u0301|ﬁ|Ｗ|ﾃ|=|\u0338|\xff|/|(|x1|v2.0|"+strings.Repeat("long", 20), "|")
	random := rand.New(rand.NewPCG(5, 6))
	w := newWriter()
	for range 20_000 {
		var b strings.Builder
		for range 1 + random.IntN(8) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		var want, got []string
		new(splitter).words(normalized(b.String()), func(word []byte, _ int) { want = append(want, string(stem([]byte(string(word))))) })
		for _, n := range w.words(b.String()) {
			got = append(got, w.stems[n&^stopBit])
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%q: %q, want %q", b.String(), got, want)
		}
	}
}

// The results do not depend on the number of processors, on which of them reads which document, or
// on the reuse of buffers.
func TestIndexesAreAlike(t *testing.T) {
	files := make(map[string]string)
	for i, text := range corpus(200, 500) {
		if i%3 == 0 {
			text = fmt.Sprintf("---\ntitle: Title %d\n---\n%s", i, text)
		}
		files[fmt.Sprintf("docs/part-%d/chapter-%d.md", i%7, i)] = text
	}
	fsys := tree(files)
	one := scan(t, fsys, "docs", nil)
	w := newWriter()
	for _, d := range one.docs {
		w.document(d, d.searchable(files["docs/"+d.path]))
	}
	one.index.Store(merge(w.indexes(), func(*document) bool { return true }))
	several := scan(t, fsys, "docs", nil)
	if err := several.Index(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, term := range one.index.Load().terms {
		if i%17 > 0 {
			continue
		}
		query := term + " document " + fmt.Sprint(i)
		if got, want := fmt.Sprint(search(t, several, query)), fmt.Sprint(search(t, one, query)); got != want {
			t.Fatalf("%q: %s\nwant %s", query, got, want)
		}
	}
}
