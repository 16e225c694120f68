package contents

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// watched is a tree that counts opened files. A test can delay an open or make it fail.
type watched struct {
	fstest.MapFS
	mu     sync.Mutex
	opened map[string]int
	open   func(name string, times int) error
}

func (w *watched) Open(name string) (fs.File, error) {
	if f, ok := w.MapFS[name]; ok && !f.Mode.IsDir() {
		w.mu.Lock()
		if w.opened == nil {
			w.opened = map[string]int{}
		}
		w.opened[name]++
		n := w.opened[name]
		w.mu.Unlock()
		if w.open != nil {
			if err := w.open(name, n); err != nil {
				return nil, err
			}
		}
	}
	return w.MapFS.Open(name)
}

// whole is the greatest size of files that the reads of these tests hold: a few chunks.
const whole = 2*chunkSize + 1000

// large has limits that allow long files.
var large = Limits{ReadBytes: 64 << 20, FrameBytes: 256 << 20}

// A fixture is a reader of a tree.
type fixture struct {
	*Reader
	t       *testing.T
	catalog *loader.Catalog
	log     *bytes.Buffer
}

func start(t *testing.T, tree fs.FS) *fixture {
	t.Helper()
	catalog := must.Get(loader.Scan(t.Context(), tree, loader.Options{Mounts: []loader.Mount{{Dir: "skills", Scheme: "skill", Skills: true}}}))(t)
	log := new(bytes.Buffer)
	f := &fixture{NewReader(Options{Memory: NewMemory(), Limits: large, Logger: slog.New(slog.NewTextHandler(log, nil))}), t, catalog, log}
	f.whole = whole
	return f
}

// find returns the files that a URI names.
func (f *fixture) find(uri string) []loader.Resource {
	f.t.Helper()
	if r, ok := f.catalog.Lookup(uri); ok {
		return []loader.Resource{r}
	}
	folder, ok := f.catalog.LookupFolder(uri)
	if !ok {
		f.t.Fatalf("the catalog lacks %s", uri)
	}
	return folder.Files()
}

// open reads the files that a URI names, without writing them.
func (f *fixture) open(ctx context.Context, uri string) (*Contents, error) {
	f.t.Helper()
	return f.Read(ctx, f.catalog, uri, f.find(uri))
}

// An item is a file as it was written.
type item struct {
	URI, MIMEType string
	Text          *string
	Blob          []byte
}

// text is the text of a file, or "" for a blob.
func (i item) text() string {
	if i.Text == nil {
		return ""
	}
	return *i.Text
}

// read reads the files that a URI names, and writes them.
func (f *fixture) read(uri string) ([]item, error) {
	f.t.Helper()
	c, err := f.open(f.t.Context(), uri)
	if err != nil {
		return nil, err
	}
	return f.write(c)
}

func (f *fixture) must(uri string) []item {
	f.t.Helper()
	return must.Get(f.read(uri))(f.t)
}

// write writes contents and releases them.
func (f *fixture) write(c *Contents) ([]item, error) {
	f.t.Helper()
	defer c.Release()
	var b bytes.Buffer
	w := jsonwire.NewWriter(&b)
	w.RawString("{")
	if err := errors.Join(c.WriteJSON(w), w.Flush()); err != nil {
		return nil, err
	}
	b.WriteString("}")
	var answer struct{ Contents []item }
	must.Do(f.t, json.Unmarshal(b.Bytes(), &answer))
	return answer.Contents, nil
}

// idle reports memory that was not given back.
func (f *fixture) idle() {
	f.t.Helper()
	if u := f.memory.Usage(); u != (Usage{}) {
		f.t.Errorf("in use: %+v", u)
	}
	if !f.memory.bytes.TryAcquire(memoryBudget) || !f.memory.disk.TryAcquire(maxAtDisk) {
		f.t.Error("some of the memory was not given back")
	}
	f.memory.bytes.Release(memoryBudget)
	f.memory.disk.Release(maxAtDisk)
}
