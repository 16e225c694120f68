package docs

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// A writer that goes straight to plain words finds the words that a splitter finds, in their order,
// and numbers them by their stems.
func TestWriterWords(t *testing.T) {
	pieces := strings.Split("a|b|Z|HTTP|word|Word|readFile|9|42|.|-|_|'|’|s|ß|É|é| |\n|中|文|ไ|\u0301|ﬁ|Ｗ|ﾃ|\xff|/|(|x1|v2.0|"+strings.Repeat("long", 20), "|")
	random := rand.New(rand.NewPCG(5, 6))
	w := newWriter(0)
	for range 20_000 {
		var b strings.Builder
		for range 1 + random.IntN(8) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		var want, got []string
		new(splitter).words(normalized(b.String()), func(word []byte, _ int) { want = append(want, string(stem([]byte(string(word))))) })
		w.words(b.String(), func(n uint32) { got = append(got, w.stems[n&^stopBit]) })
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%q: %q, want %q", b.String(), got, want)
		}
	}
}

func TestTable(t *testing.T) {
	words := newTable()
	word := func(i int) []byte { return fmt.Append(nil, "word", i) }
	for i := range 10_000 {
		hash := words.hash(word(i))
		if i%3 == 0 {
			hash = 7 // many words of one hash are kept apart too
		}
		if s := words.find(word(i), hash); s.size > 0 {
			t.Fatalf("%q is there", word(i))
		}
		words.add(word(i), hash, uint32(i))
		if s := words.find(word(i), hash); s.number != uint32(i) || s.size == 0 {
			t.Fatalf("%q has the number %d", word(i), s.number)
		}
	}
	for i := range 10_000 {
		if i%3 > 0 && words.find(word(i), words.hash(word(i))).number != uint32(i) {
			t.Errorf("%q is lost", word(i))
		}
	}
}

// The number of processors, and which of them reads what, changes nothing in the results.
func TestIndexesAreAlike(t *testing.T) {
	files := make(map[string]string)
	for i, text := range corpus(200, 500) {
		files[fmt.Sprintf("docs/part-%d/chapter-%d.md", i%7, i)] = text
	}
	fsys := tree(files)
	one := scan(t, fsys, "docs", nil)
	w := newWriter(0)
	for _, d := range one.docs {
		one.write(w, d)
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
