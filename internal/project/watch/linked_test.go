//go:build unix

package watch

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// A file that changes under a name in another folder is reported.
func TestHardLinks(t *testing.T) {
	w := start(t, Options{})
	w.linkedInterval = 10 * time.Millisecond
	w.mkdir("a")
	w.write("a/f")
	other := filepath.Join(t.TempDir(), "other")
	if err := os.Link(filepath.Join(w.dir, "a", "f"), other); err != nil {
		t.Skip(err)
	}
	w.Add(".")
	w.Add("a")
	w.run()
	w.reportsOf("a") // it may have changed before it was found
	must.Write(t, other, "changed")
	if c := w.reportsOf("a"); !slices.Contains(c.Files, "a/f") || c.All() {
		t.Errorf("%+v", c)
	}
}

// Files that are gone or have one name are not checked any more, and others are found instead.
func TestManyHardLinks(t *testing.T) {
	w := start(t, Options{})
	elsewhere := t.TempDir()
	for i := range maxLinked + 5 {
		name := fmt.Sprintf("f%04d", i)
		w.write(name)
		if err := os.Link(filepath.Join(w.dir, name), filepath.Join(elsewhere, name)); err != nil {
			t.Skip(err)
		}
	}
	w.Add(".")
	w.pollLinked(t.Context())
	if len(w.linked) != maxLinked {
		t.Errorf("%d files are checked", len(w.linked))
	}
	must.Do(t, os.RemoveAll(elsewhere))
	w.pollLinked(t.Context())
	if len(w.linked) != 0 {
		t.Errorf("%d files are checked that have one name", len(w.linked))
	}
}
