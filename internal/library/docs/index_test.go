package docs

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies"
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
			must.Do(t, l.Index(t.Context()))
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
	must.SkipUnderRace(t)
	var b strings.Builder
	for i := 0; b.Len() < 14<<20; i++ {
		for k := range 200 {
			fmt.Fprintf(&b, "w%d ", (i*7+k*13)%3000)
		}
		b.WriteString("\n\n")
	}
	l := scan(t, given.Texts(map[string]string{"docs/big.md": b.String() + "# The end\n\na needle\n", "docs/small.md": "a needle"}), "docs", nil)
	hits := search(t, l, "needle")
	if len(hits) != 2 || hits[0].Path != "big.md" || hits[0].Heading != "The end" || hits[1].Path != "small.md" {
		t.Errorf("%+v", hits)
	}
	if x := l.index.Load(); len(x.docs) != 2 || len(x.where) <= maxPostings {
		t.Errorf("%d documents, %d postings", len(x.docs), len(x.where))
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
	fsys := given.Texts(files)
	one := scan(t, fsys, "docs", nil)
	w := newWriter()
	for _, d := range one.docs {
		w.document(d, d.searchable(files["docs/"+d.path]))
	}
	one.index.Store(merge(w.indexes(), func(*document) bool { return true }))
	several := scan(t, fsys, "docs", nil)
	must.Do(t, several.Index(t.Context()))
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

// read returns dependencies with an index that data may hold, and the number of documents that were read for it.
func read(t *testing.T, data []byte, pages ...dependencies.Document) (*Dependencies, int) {
	t.Helper()
	set := dependencies.New([]*dependencies.Package{{Ecosystem: "npm", Name: "a", Version: "1.0.0", Direct: true, Documents: pages}})
	d := must.Get(ReadDependencies(t.Context(), set, nil))(t)
	d.Restore(data)
	must.Do(t, d.Index(t.Context(), nil))
	return d, d.library.builder.read
}

func TestSavedIndex(t *testing.T) {
	one, two := page("one.md", "# One\n\nThe walrus eats.\n\n```go\nf()\n```\n\n## Two\n\nIt sleeps.\n"), page("docs/two.md", "# Second\n\nA walrus swims.\n\n"+strings.Repeat("Some text.\n\n", 300)+"```go\n"+strings.Repeat("f()\n\n", 600)+"```\n")
	d, _ := read(t, nil, one, two)
	data := d.Save()
	if data == nil {
		t.Fatal("nothing is saved")
	}
	again, n := read(t, data, one, two)
	if n != 0 {
		t.Errorf("%d documents are read again", n)
	}
	if again.Save() != nil {
		t.Error("an index that did not change is saved again")
	}
	x, y := d.library.index.Load(), again.library.index.Load()
	for i := range x.docs {
		if x.docs[i].path != y.docs[i].path {
			t.Errorf("document %d is %s, was %s", i, y.docs[i].path, x.docs[i].path)
		}
	}
	x.docs, y.docs = nil, nil
	if !reflect.DeepEqual(x, y) {
		t.Errorf("the index is\n%+v, was\n%+v", y, x)
	}
	// Only a changed document is read again.
	changed := page("docs/two.md", "# Second\n\nThe seal swims farther.\n")
	d, n = read(t, data, one, changed)
	if n != 1 {
		t.Errorf("after a change, %d documents are read", n)
	}
	for query, want := range map[string]int{"walrus": 1, "seal": 1} {
		if hits, _, err := scan(t, given.Texts(nil), "docs", nil).WithDependencies(d).Search(context.Background(), query, 5); err != nil || len(hits) != want {
			t.Errorf("%q finds %v, %v", query, hits, err)
		}
	}
	if d.Save() == nil {
		t.Error("a changed index is not saved")
	}
}

func TestBrokenSavedIndex(t *testing.T) {
	one := page("one.md", "# One\n\nThe walrus eats.\n")
	d, _ := read(t, nil, one)
	data := d.Save()
	for i := range data {
		broken := append([]byte(nil), data...)
		broken[i] ^= 0x55
		if _, n := read(t, broken, one); n != 1 {
			t.Fatalf("an index with a wrong byte at %d is used", i)
		}
		if _, n := read(t, data[:i], one); n != 1 {
			t.Fatalf("an index of %d bytes is used", i)
		}
	}
}

// A document that takes too long to prepare is served, found by its path, and left out of the index, with a notice.
func TestSlowDocumentsAreServed(t *testing.T) {
	l := must.Get(Detect(t.Context(), fstest.MapFS{"docs/slow.md": {Data: []byte("# S\n\nzebra\n")}}, Reading{}))(t)
	l.builder.most = -1
	must.Do(t, l.Index(t.Context()))
	if hits, _, err := l.Search(t.Context(), "zebra", 5); err != nil || len(hits) > 0 {
		t.Errorf("%v, %v", hits, err)
	}
	if hits, _, err := l.Search(t.Context(), "slow", 5); err != nil || len(hits) == 0 {
		t.Errorf("it is not found by its path: %v", err)
	}
	if text, err := l.Documents()[0].Text(t.Context()); err != nil || !strings.Contains(text, "zebra") {
		t.Errorf("%q, %v", text, err)
	}
	if n := l.TakeWarnings(); len(n) != 1 || !strings.Contains(n[0].Reason, "more than a second") {
		t.Errorf("%v", n)
	}
}

// A file that many documents include and that is not there is one notice.
func TestMissingIncludesAreOneNotice(t *testing.T) {
	const text = "--8<-- \"gone.md\"\n--8<-- \"gone.md\"\n"
	l, err := Detect(t.Context(), fstest.MapFS{"docs/a.md": {Data: []byte(text)}, "docs/b.md": {Data: []byte(text)}, "docs/c.md": {Data: []byte("--8<-- \"other.md\"\n")}}, Reading{})
	must.Do(t, err)
	must.Do(t, l.Index(t.Context()))
	n := l.TakeWarnings()
	if len(n) != 2 || n[0].Reason != `line 1, and 1 more documents, include "gone.md", which is not there: check lists them` || n[1].Reason != `line 1 includes "other.md", which is not found` {
		t.Errorf("%v", n)
	}
}

// A counted is files that count how often each is opened.
type counted struct {
	fstest.MapFS
	mu    sync.Mutex // guards times
	times map[string]int
}

func (c *counted) Open(name string) (fs.File, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.times[name]++
	return c.MapFS.Open(name)
}

// A document is read once for its title and the index, and an included file once.
func TestDocumentsAreReadOnce(t *testing.T) {
	files := &counted{MapFS: fstest.MapFS{"docs/a.md": {Data: []byte("# A\n\n--8<-- \"part.txt\"\n")}, "docs/b.md": {Data: []byte("# B\n")}, "part.txt": {Data: []byte("zebra\n")}, "go.mod": {}, "a.go": {}}, times: make(map[string]int)}
	l, err := Detect(t.Context(), files, Reading{})
	if err == nil {
		err = l.Index(t.Context())
	}
	must.Do(t, err)
	for _, name := range []string{"docs/a.md", "docs/b.md", "part.txt"} {
		if n := files.times[name]; n != 1 {
			t.Errorf("%s is opened %d times", name, n)
		}
	}
	if hits, _, err := l.Search(t.Context(), "zebra", 5); err != nil || len(hits) != 1 || hits[0].Path != "docs/a.md" {
		t.Errorf("%v, %v", hits, err)
	}
}

func TestFigures(t *testing.T) {
	l := scan(t, given.Texts(map[string]string{"docs/a.md": "# What you get\n\n## Pages\n\nThe pages.\n", "docs/b.md": "# B\n"}), "docs", nil)
	if l.Indexed() || l.Figures() != (Figures{}) {
		t.Error("there are figures without an index")
	}
	must.Do(t, l.Index(t.Context()))
	if got := l.Figures(); !l.Indexed() || got.Documents != 2 || got.Passages != 3 {
		t.Errorf("%+v", got)
	}
	var none *Library
	if !none.Indexed() || none.Figures() != (Figures{}) || none.Documents() != nil {
		t.Error("a nil library has something")
	}
}

// corpus makes documents of some bytes each: headings, paragraphs, and words that are as frequent
// as in a language (Zipf).
func corpus(n, size int) []string {
	random := rand.New(rand.NewPCG(1, 2))
	vocabulary := make([]string, 30_000)
	for i := range vocabulary {
		var b strings.Builder
		for range 1 + random.IntN(4) {
			b.WriteByte("bcdfghklmnprstvw"[random.IntN(16)])
			b.WriteByte("aeiou"[random.IntN(5)])
		}
		b.WriteString([]string{"", "s", "ing", "ed", "ation", "er"}[random.IntN(6)])
		vocabulary[i] = b.String()
	}
	zipf := rand.NewZipf(random, 1.1, 2, uint64(len(vocabulary)-1))
	docs := make([]string, n)
	for i := range docs {
		var b strings.Builder
		fmt.Fprintf(&b, "# Document %d\n\n", i)
		for b.Len() < size {
			if random.IntN(6) == 0 {
				fmt.Fprintf(&b, "## %s %s\n\n", vocabulary[zipf.Uint64()], vocabulary[zipf.Uint64()])
			}
			for range 30 + random.IntN(60) {
				b.WriteString(vocabulary[zipf.Uint64()])
				b.WriteByte(' ')
			}
			b.WriteString("\n\n")
		}
		docs[i] = b.String()
	}
	return docs
}

// project writes a corpus of 2,000 documents, 10 MB, to the disk.
func project(b *testing.B) *rootfs.FS {
	dir := b.TempDir()
	for i, text := range corpus(2000, 5000) {
		folder := filepath.Join(dir, "docs", fmt.Sprintf("part-%d", i%40))
		must.Do(b, os.MkdirAll(folder, 0o700))
		must.Write(b, filepath.Join(folder, fmt.Sprintf("chapter-%d.md", i)), text)
	}
	fsys := must.Get(rootfs.Open(dir))(b)
	b.Cleanup(func() { fsys.Close() })
	return fsys
}

// What does the index of 2,000 documents, 10 MB, take, compared with reading the files?
func BenchmarkIndex(b *testing.B) {
	fsys := project(b)
	measure := func(name string, do func(l *Library)) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				l := scan(b, fsys, "docs", nil)
				b.StartTimer()
				do(l)
			}
		})
	}
	measure("read", func(l *Library) {
		for _, d := range l.docs {
			f := must.Get(l.openAgain(l.fileOf(d)))(b)
			must.Get(io.Copy(io.Discard, f))(b)
			f.Close()
		}
	})
	measure("index", func(l *Library) { must.Do(b, l.Index(b.Context())) })
}
