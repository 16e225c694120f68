package docs

import (
	"io/fs"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
)

// A document that takes too long to prepare is served, found by its path, and left out of the index, with a notice.
func TestSlowDocumentsAreServed(t *testing.T) {
	l, err := Detect(t.Context(), fstest.MapFS{"docs/slow.md": {Data: []byte("# S\n\nzebra\n")}}, Reading{})
	if err != nil {
		t.Fatal(err)
	}
	l.builder.most = -1
	if err := l.Index(t.Context()); err != nil {
		t.Fatal(err)
	}
	if hits, _, err := l.Search(t.Context(), "zebra", 5); err != nil || len(hits) > 0 {
		t.Errorf("%v, %v", hits, err)
	}
	if hits, _, err := l.Search(t.Context(), "slow", 5); err != nil || len(hits) == 0 {
		t.Errorf("it is not found by its path: %v", err)
	}
	if text, err := l.Documents()[0].Text(t.Context()); err != nil || !strings.Contains(text, "zebra") {
		t.Errorf("%q, %v", text, err)
	}
	if n := l.TakeNotices(); len(n) != 1 || !strings.Contains(n[0].Reason, "more than a second") {
		t.Errorf("%v", n)
	}
}

// A file that many documents include and that is not there is one notice.
func TestMissingIncludesAreOneNotice(t *testing.T) {
	const text = "--8<-- \"gone.md\"\n--8<-- \"gone.md\"\n"
	l, err := Detect(t.Context(), fstest.MapFS{"docs/a.md": {Data: []byte(text)}, "docs/b.md": {Data: []byte(text)}, "docs/c.md": {Data: []byte("--8<-- \"other.md\"\n")}}, Reading{})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Index(t.Context()); err != nil {
		t.Fatal(err)
	}
	n := l.TakeNotices()
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
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"docs/a.md", "docs/b.md", "part.txt"} {
		if n := files.times[name]; n != 1 {
			t.Errorf("%s is opened %d times", name, n)
		}
	}
	if hits, _, err := l.Search(t.Context(), "zebra", 5); err != nil || len(hits) != 1 || hits[0].Path != "docs/a.md" {
		t.Errorf("%v, %v", hits, err)
	}
}
