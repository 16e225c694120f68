package docs

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// ordered returns an index whose postings are sorted by passage within each term.
func ordered(x *index) *index {
	out := *x
	out.where, out.weights = slices.Clone(x.where), slices.Clone(x.weights)
	for i := range x.terms {
		begin, end := x.starts[i], x.starts[i+1]
		weights := make(map[uint32]uint8)
		for j := begin; j < end; j++ {
			weights[x.where[j]] = x.weights[j]
		}
		slices.Sort(out.where[begin:end])
		for j := begin; j < end; j++ {
			out.weights[j] = weights[out.where[j]]
		}
	}
	return &out
}

// An index that follows changes of documents equals an index that is built at once.
func TestIndexAfterChanges(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	texts := corpus(60, 300)
	fsys, modTime := fstest.MapFS{}, time.Unix(1e9, 0)
	name := func() string { return fmt.Sprintf("docs/part-%d/chapter-%d.md", random.IntN(3), random.IntN(20)) }
	var last *Library
	for round := range 25 {
		for range 1 + random.IntN(10) {
			if random.IntN(3) == 0 {
				delete(fsys, name())
			} else {
				modTime = modTime.Add(time.Second)
				fsys[name()] = &fstest.MapFile{Data: []byte(texts[random.IntN(len(texts))]), ModTime: modTime}
			}
		}
		next, fresh := scan(t, fsys, "docs", last), scan(t, fsys, "docs", nil)
		for _, l := range []*Library{next, fresh} {
			if err := l.Index(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if len(next.docs) == 0 {
			last = next
			continue
		}
		got, want := ordered(next.index.Load()), ordered(fresh.index.Load())
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(index{}, passage{}, naming{}), cmp.Comparer(func(a, b *document) bool { return a.path == b.path })); diff != "" {
			t.Fatalf("round %d (-at once +after changes):\n%.2000s", round, diff)
		}
		last = next
	}
}

func TestSmaller(t *testing.T) {
	terms := []string{"b", "d", "f", "h", "j", "l", "n", "p", "r"}
	for n := range len(terms) + 1 {
		for letter := 'a'; letter < 't'; letter++ {
			want, _ := slices.BinarySearch(terms[:n], string(letter))
			if got := smaller(terms[:n], string(letter)); got != want {
				t.Errorf("%d of %q are smaller than %q, want %d", got, terms[:n], letter, want)
			}
		}
	}
}
