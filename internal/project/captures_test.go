package project

import (
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
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
		must.Write(t, filepath.Join(dir, "mcp-docs-server.json"), `{"search": `+search+`}`)
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
	finds(t, l, "walrus")
	capture("the walrus")
	finds(t, l, "walrus", "memory://cleaned/page: the walrus")
	capture("the seal")
	finds(t, l, "seal", "memory://cleaned/page: the seal")
	finds(t, l, "walrus")
	config(`{}`)
	finds(t, l, "seal")
}

// finds waits until a query finds these places, each with its text.
func finds(t *testing.T, l *Live, query string, want ...string) {
	t.Helper()
	var got []string
	must.Until(t, query, func() bool {
		hits, _, err := must.Get(l.documents.Load(t.Context()))(t).Search(t.Context(), query, 10)
		must.Do(t, err)
		got = nil
		for _, h := range hits {
			got = append(got, h.Path+h.URI+": "+h.Snippet)
		}
		return len(got) == len(want)
	})
	if !slices.Equal(got, want) {
		t.Errorf("%q finds %q, want %q", query, got, want)
	}
}

// Resources and prompts are searched unless the settings say otherwise and the project has documents. A search reads their current version, and only texts.
func TestSearchedResources(t *testing.T) {
	const on, off = `{"docsResources": true}`, `{"search": {"resources": false}}`
	dir := given.Folder(t, "mcp-docs-server.json="+on, "docs/walrus.md=# Walrus\n\nThe walrus of the documents.\n", "resources/zoo/a b.yaml=# the walrus\nkind: Walrus\n",
		"resources/zoo/picture.png=\x89PNG\r\n\x1a\n\x00walrus", "resources/zoo/bytes.txt=walrus\x00\xff")
	write := given.In(t, dir).Write
	l := follow(t, dir, LiveOptions{})
	finds(t, l, "walrus", "docs/walrus.md: The walrus of the documents.", "zoo://a%20b.yaml: # the walrus\nkind: Walrus")
	finds(t, l, "walrus path:resources/zoo", "zoo://a%20b.yaml: # the walrus\nkind: Walrus")
	finds(t, l, "walrus path:resources/*.json")
	finds(t, l, "picture")
	write("prompts/ask.md", "Ask about a tusk.\n")
	finds(t, l, "tusk", "prompt://ask: Ask about a tusk.")
	finds(t, l, "bytes", "zoo://bytes.txt: ") // only by its name
	write("resources/zoo/a b.yaml", "kind: Narwhal\n")
	finds(t, l, "narwhal", "zoo://a%20b.yaml: kind: Narwhal")
	write("mcp-docs-server.json", off)
	finds(t, l, "narwhal")
	write("mcp-docs-server.json", on)
	finds(t, l, "narwhal", "zoo://a%20b.yaml: kind: Narwhal")
	write("mcp-docs-server.json", off)
	finds(t, l, "narwhal")
	must.Do(t, os.Remove(filepath.Join(dir, "docs/walrus.md")))
	finds(t, l, "narwhal", "zoo://a%20b.yaml: kind: Narwhal") // without documents, there is nothing else to search
}
