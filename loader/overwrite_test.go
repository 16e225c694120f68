package loader_test

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// overwrites can be raised for a soak test: go test ./loader -run Overwritten -overwrites 10000 -v
var overwrites = flag.Int("overwrites", 16, "how often TestReadWhileOverwritten reads each file")

// No read returns parts of two writes while another program overwrites the file in place without a
// pause: such a read is refused.
func TestReadWhileOverwritten(t *testing.T) {
	for _, size := range []int{5_000, 1_000_000} {
		dir := t.TempDir()
		path := filepath.Join(dir, "resources", "x", "h", "a")
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o700))
		versions := [2][]byte{bytes.Repeat([]byte("a"), size), bytes.Repeat([]byte("b"), size)}
		must.Write(t, path, string(versions[0]))
		fsys := must.Get(rootfs.Open(dir))(t)
		defer fsys.Close()
		c := must.Get(loader.Scan(t.Context(), fsys, loader.Options{}))(t)
		r, ok := c.Lookup("x://h/a")
		if !ok {
			t.Fatal("the file is not there")
		}
		var stop atomic.Bool
		var writes int
		var writer, readers sync.WaitGroup
		writer.Go(func() {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				t.Error(err)
				return
			}
			defer f.Close()
			for ; !stop.Load(); writes++ {
				if _, err := f.WriteAt(versions[writes%2], 0); err != nil {
					t.Error(err)
					return
				}
			}
		})
		var left, whole, changing, torn atomic.Int64
		left.Store(int64(*overwrites))
		for range 8 {
			readers.Go(func() {
				for left.Add(-1) >= 0 {
					switch _, data, err := c.Content(r, 1<<20); {
					case errors.Is(err, loader.ErrChanging):
						changing.Add(1)
					case err != nil:
						t.Error(err)
					case bytes.Equal(data, versions[0]), bytes.Equal(data, versions[1]):
						whole.Add(1)
					default:
						torn.Add(1)
					}
				}
			})
		}
		readers.Wait()
		stop.Store(true)
		writer.Wait()
		t.Logf("%d bytes: %d writes, %d reads whole, %d torn, %d refused as changing", size, writes, whole.Load(), torn.Load(), changing.Load())
		if torn.Load() > 0 {
			t.Errorf("%d of %d reads of %d bytes are torn", torn.Load(), *overwrites, size)
		}
		if _, data, err := c.Content(r, 1<<20); err != nil || !bytes.Equal(data, versions[(writes+1)%2]) {
			t.Errorf("when it has stopped, the last version is not read: %v", err)
		}
	}
}
