package docs

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/race"
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
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(index{}, IndexedPassage{}, naming{}), cmp.Comparer(func(a, b *document) bool { return a.path == b.path })); diff != "" {
			t.Fatalf("round %d (-at once +after changes):\n%.2000s", round, diff)
		}
		last = next
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
