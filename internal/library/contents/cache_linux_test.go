package contents

import (
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// impatient is a tree of the disk that identifies files much sooner after a change than it should,
// but still later than the coarsest clock of Linux ticks.
type impatient struct{ *rootfs.FS }

func (i impatient) IdentifyOpen(_ fs.File, before, after fs.FileInfo) (id [5]int64, ok bool) {
	x, y := before.Sys().(*syscall.Stat_t), after.Sys().(*syscall.Stat_t)
	identity := func(st *syscall.Stat_t) [5]int64 {
		return [5]int64{int64(st.Dev), int64(st.Ino), st.Size, st.Mtim.Nano(), st.Ctim.Nano()}
	}
	return identity(y), identity(x) == identity(y) && time.Since(time.Unix(y.Ctim.Unix())) > 50*time.Millisecond
}

// A read that begins after a change shows the change, while other reads use the cache. The file is
// overwritten, replaced, or in a folder that is replaced.
func TestCacheOfChangingFiles(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, "resources/x", name) }
	write := func(name string, version int) {
		if err := os.MkdirAll(filepath.Dir(path(name)), 0o700); err != nil {
			t.Error(err)
		}
		f, err := os.OpenFile(path(name), os.O_WRONLY|os.O_CREATE, 0o600)
		if err != nil {
			t.Error(err)
			return
		}
		defer f.Close()
		if _, err := fmt.Fprintf(f, "%08d", version); err != nil {
			t.Error(err)
		}
		old := time.Now().Add(-time.Hour)
		if err := os.Chtimes(path(name), old, old); err != nil { // old enough that no read waits
			t.Error(err)
		}
	}
	rename := func(from, to string) {
		if err := os.Rename(path(from), path(to)); err != nil {
			t.Error(err)
		}
	}
	changes := map[string]func(version int){
		"over/a": func(v int) { write("over/a", v) },
		"new/a":  func(v int) { write("tmp", v); rename("tmp", "new/a") },
		"dir/a": func(v int) {
			write("next/a", v)
			if err := os.RemoveAll(path("last")); err != nil {
				t.Error(err)
			}
			if v > 0 {
				rename("dir", "last")
			}
			rename("next", "dir")
		},
	}
	var committed sync.Map
	for name, change := range changes {
		must.Do(t, os.MkdirAll(filepath.Dir(path(name)), 0o700))
		if name == "dir/a" {
			os.Remove(path("dir"))
		}
		change(0)
		committed.Store(name, new(atomic.Int64))
	}
	tree := must.Get(rootfs.Open(dir))(t)
	defer tree.Close()
	catalog := must.Get(loader.Scan(t.Context(), impatient{tree}, loader.Options{}))(t)
	r := NewReader(Options{Memory: NewMemory(), Limits: large, Logger: slog.New(slog.DiscardHandler)})
	var writing, reading sync.WaitGroup
	var ended atomic.Bool
	for name, change := range changes {
		latest, _ := committed.Load(name)
		writing.Go(func() {
			for v := 1; v <= 12; v++ {
				time.Sleep(time.Duration(60+7*v) * time.Millisecond) // long enough for an identity
				change(v)
				latest.(*atomic.Int64).Store(int64(v))
			}
		})
		reading.Go(func() {
			file, ok := catalog.Lookup("x://" + name)
			if !ok {
				t.Errorf("the catalog lacks %s", name)
				return
			}
			for !ended.Load() {
				least := latest.(*atomic.Int64).Load()
				c, err := r.Read(t.Context(), catalog, "x://"+name, []loader.Resource{file})
				if err != nil { // between two renames, the folder is missing
					continue
				}
				var version int64
				if _, err := fmt.Sscanf(c.Files[0].Text(), "%d", &version); err != nil || version < least {
					t.Errorf("%s is read as %q after version %d was written", name, c.Files[0].Text(), least)
					c.Release()
					return
				}
				c.Release()
			}
		})
	}
	writing.Wait()
	ended.Store(true)
	reading.Wait()
	t.Logf("%+v", r.memory.CacheCounts())
}
