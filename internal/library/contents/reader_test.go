package contents

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"
	"unicode/utf16"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
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
	must.Equal(f.t, Usage{}, f.memory.Usage(), "in use")
	if !f.memory.bytes.TryAcquire(memoryBudget) || !f.memory.disk.TryAcquire(maxAtDisk) {
		f.t.Error("some of the memory was not given back")
	}
	f.memory.bytes.Release(memoryBudget)
	f.memory.disk.Release(maxAtDisk)
}

// One wait is enough for all files of a folder that changed just now, and it holds no memory.
func TestReadOfFilesThatChangedJustNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tree := fstest.MapFS{}
		for i := range 200 {
			tree[fmt.Sprintf("resources/x/h/%d", i)] = &fstest.MapFile{Data: []byte("1"), ModTime: time.Now()}
		}
		f := start(t, tree)
		began := time.Now()
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			if items, err := f.read("x://h"); err != nil || len(items) != 200 {
				t.Errorf("%d files, %v", len(items), err)
			}
		}()
		synctest.Wait() // it waits
		select {
		case <-ended:
			t.Error("it does not wait")
		default:
		}
		f.idle()
		<-ended
		if took := time.Since(began); took > 100*time.Millisecond {
			t.Errorf("it takes %v", took)
		}
	})
}

// A file that never stops changing is an error on systems where reads cannot wait for writes, whether
// it is held or not.
func TestReadOfAFileThatKeepsChanging(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, size := range []int{1, 2 * whole} {
			tree := &watched{MapFS: given.Resources("x/h/a=")}
			tree.open = func(_ string, times int) error {
				tree.MapFS["resources/x/h/a"] = &fstest.MapFile{Data: []byte(strings.Repeat(string(rune('a'+times%26)), size)), ModTime: time.Now()}
				return nil
			}
			f := start(t, tree)
			if _, err := f.read("x://h/a"); !errors.Is(err, loader.ErrChanging) {
				t.Errorf("%d bytes: %v", size, err)
			}
			f.idle()
		}
	})
}

// wide returns a text in UTF-16 with a byte order mark.
func wide(text string) []byte {
	b := []byte{0xFF, 0xFE}
	for _, unit := range utf16.Encode([]rune(text)) {
		b = binary.LittleEndian.AppendUint16(b, unit)
	}
	return b
}

// The text of a file in UTF-16 is counted in addition to the file: it can take half as much again.
func TestTextOfUTF16IsCounted(t *testing.T) {
	text := strings.Repeat("漢字𝄞 and more\n", 50_000)
	data := wide(text)
	f := start(t, fstest.MapFS{"resources/x/h/a.txt": {Data: data}, "resources/x/h/plain.txt": {Data: []byte(text)}})
	// Less than the size of a file and its text together.
	f.SetLimits(Limits{ReadBytes: int64(len(data)), FrameBytes: 1 << 30})
	for _, kind := range []string{"file", "other"} {
		var read *Contents
		var err error
		if kind == "file" {
			read, err = f.ReadWhole(t.Context(), f.catalog, "x://h/a.txt", f.find("x://h/a.txt")[0])
		} else {
			read, err = f.ReadOther(t.Context(), "x://o", &view.Resource{URI: "x://o", Name: "o.txt", MIMEType: "text/plain", Size: -1, Read: view.Bytes(data)}, true)
		}
		if err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		if got := read.Files[0].Text(); strings.TrimPrefix(got, "\ufeff") != text {
			t.Errorf("%s: the text has %d bytes, want %d", kind, len(got), len(text))
		}
		if held, need := f.memory.Usage().Bytes, int64(len(data)+len(text)); held < need || held > need+2*itemCost+3 {
			t.Errorf("%s: %d bytes are accounted for, %d are held", kind, held, need)
		}
		read.Release()
		f.idle()
	}
	f.SetLimits(large)
	read := must.Get(f.ReadWhole(t.Context(), f.catalog, "x://h/plain.txt", f.find("x://h/plain.txt")[0]))(t)
	if held, need := f.memory.Usage().Bytes, int64(len(text)); held > need+itemCost {
		t.Errorf("of UTF-8, %d bytes are accounted for, %d are held", held, need)
	}
	read.Release()
	f.idle()
}
