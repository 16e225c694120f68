package docs

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/dependencies"
)

// read returns dependencies with an index that data may hold, and the number of documents that were read for it.
func read(t *testing.T, data []byte, pages ...dependencies.Document) (*Dependencies, int) {
	t.Helper()
	set := dependencies.New([]*dependencies.Package{{Ecosystem: "npm", Name: "a", Version: "1.0.0", Direct: true, Documents: pages}})
	d, err := ReadDependencies(t.Context(), set, nil)
	if err != nil {
		t.Fatal(err)
	}
	d.Restore(data)
	if err := d.Index(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
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
		if hits, _, err := scan(t, tree(nil), "docs", nil).WithDependencies(d).Search(context.Background(), query, 5); err != nil || len(hits) != want {
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

func FuzzRestore(f *testing.F) {
	f.Add([]byte("\x01"))
	f.Fuzz(func(t *testing.T, data []byte) {
		sealed := seal(append([]byte(indexFormat), data...))
		restore(sealed, func(d savedDocument) *document { return &document{path: d.Path} }) // must not panic
	})
}
