package project

import (
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// captures is a source whose texts change.
type captures struct {
	changed chan struct{}

	mu    sync.Mutex
	files fstest.MapFS // guarded by mu; replaced with each change
}

func (c *captures) Name() string                                   { return "the captures" }
func (c *captures) Snapshot(*loader.Catalog, string) view.Snapshot { return nil }
func (c *captures) Notify(func(view.Change))                       {}
func (c *captures) Changed() <-chan struct{}                       { return c.changed }
func (c *captures) Texts() docs.Source {
	c.mu.Lock()
	defer c.mu.Unlock()
	return captureTexts{c.files}
}

type captureTexts struct{ files fstest.MapFS }

func (c captureTexts) Texts() iter.Seq[docs.Text] {
	return func(yield func(docs.Text) bool) {
		for name, f := range c.files {
			if !yield(docs.Text{URI: "memory://cleaned/" + name, Path: "captures/" + name, Size: int64(len(f.Data)), ModTime: f.ModTime.UnixNano()}) {
				return
			}
		}
	}
}

func (c captureTexts) Open(uri string) (fs.File, error) {
	return c.files.Open(filepath.Base(uri))
}

// Captures are searched as they arrive, while the settings say so.
func TestSearchedCaptures(t *testing.T) {
	dir := t.TempDir()
	config := func(search string) {
		t.Helper()
		text := `{"name": "a", "package": "a", "version": "1.0.0", "search": ` + search + `}`
		if err := os.WriteFile(filepath.Join(dir, "mcp-docs-server.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	config(`{"captures": true}`)
	c := &captures{changed: make(chan struct{}, 1)}
	capture := func(text string) {
		c.mu.Lock()
		c.files = fstest.MapFS{"page": {Data: []byte(text), ModTime: time.Now()}}
		c.mu.Unlock()
		c.changed <- struct{}{}
	}
	l := follow(t, dir, LiveOptions{Sources: []view.Source{c}})
	finds := func(query string, want int) {
		t.Helper()
		deadline := time.After(time.Until(lastMoment(t)))
		for {
			changed := l.documents.Changed()
			library, err := l.documents.Load(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			hits, _, err := library.Search(t.Context(), query, 10)
			if err != nil {
				t.Fatal(err)
			}
			if len(hits) == want {
				return
			}
			select {
			case <-changed:
			case <-deadline:
				t.Fatalf("%q finds %v, want %d", query, hits, want)
			}
		}
	}
	finds("walrus", 0)
	capture("the walrus")
	finds("walrus", 1)
	capture("the seal")
	finds("seal", 1)
	finds("walrus", 0)
	config(`{}`)
	finds("seal", 0)
}
