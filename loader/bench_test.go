package loader

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
)

// benchmarkTree is a project on disk with 100 folders of 100 files. With -short it has 10 folders,
// which is enough to see that the benchmarks run.
func benchmarkTree(b *testing.B) *rootfs.FS {
	dir := b.TempDir()
	folders := 100
	if testing.Short() {
		folders = 10
	}
	for d := range folders {
		folder := filepath.Join(dir, fmt.Sprintf("resources/docs/v%d/guides/part-%d", d%3, d))
		must.Do(b, os.MkdirAll(folder, 0o700))
		for f := range 100 {
			must.Write(b, filepath.Join(folder, fmt.Sprintf("chapter %d.md", f)), "# Chapter\n")
		}
	}
	fsys := must.Get(rootfs.Open(dir))(b)
	b.Cleanup(func() { fsys.Close() })
	return fsys
}

const benchmarkTemplates = `[{"uriTemplate": "docs://{version}/{+path}", "name": "docs"}, {"uriTemplate": "docs://{version}/guides/{part}/{name}.md", "name": "guides"}]`

// What does reading the tree cost, compared with walking it with the standard library?
func BenchmarkScan(b *testing.B) {
	fsys := benchmarkTree(b)
	opts := Options{Templates: index(b, benchmarkTemplates)}
	b.Run("Scan", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			scan(b, fsys, opts)
		}
	})
	b.Run("Rescan one folder", func(b *testing.B) {
		c := scan(b, fsys, opts)
		for b.Loop() {
			must.Get(Rescan(context.Background(), c, Changes{Dirs: []string{"resources/docs/v0/guides/part-0"}}))(b)
		}
	})
	b.Run("WalkDir with Info", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			must.Do(b, fs.WalkDir(fsys, Resources, func(_ string, d fs.DirEntry, err error) error {
				if err == nil {
					_, err = d.Info()
				}
				return err
			}))
		}
	})
}

// A grid is a made-up project of folders with 1,000 files each, for trees that are too large to
// make on disk.
type grid struct{ folders int }

const gridFiles = 1000

type gridEntry struct {
	fs.FileInfo // nil
	name        string
	dir         bool
}

func (e gridEntry) Name() string               { return e.name }
func (e gridEntry) IsDir() bool                { return e.dir }
func (e gridEntry) Size() int64                { return 1000 }
func (e gridEntry) ModTime() time.Time         { return time.Unix(1e9, 0) }
func (e gridEntry) Info() (fs.FileInfo, error) { return e, nil }
func (e gridEntry) Mode() fs.FileMode          { return e.Type() }
func (e gridEntry) Type() fs.FileMode {
	if e.dir {
		return fs.ModeDir
	}
	return 0
}

func (g grid) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

func (g grid) ReadDir(name string) ([]fs.DirEntry, error) {
	var out []fs.DirEntry
	add := func(n int, pattern string, dir bool) {
		for i := range n {
			out = append(out, gridEntry{name: fmt.Sprintf(pattern, i), dir: dir})
		}
	}
	switch strings.Count(name, "/") {
	case 0:
		add(1, "docs%d", true)
	case 1:
		add(1, "v%d", true)
	case 2:
		add(g.folders, "folder-%05d", true)
	default:
		add(gridFiles, "chapter %05d.md", false)
	}
	return out, nil
}

// What does a change in one folder of 1,000 files cost in trees of different sizes, compared with
// reading everything again?
func BenchmarkChange(b *testing.B) {
	sizes := []int{1000, 100_000, 1_000_000}
	if testing.Short() {
		sizes = sizes[:1]
	}
	for _, files := range sizes {
		fsys := grid{files / gridFiles}
		opts := Options{Templates: index(b, benchmarkTemplates)}
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		c := scan(b, fsys, opts)
		runtime.GC()
		runtime.ReadMemStats(&after)
		if c.Len() != files {
			b.Fatal(c.Len())
		}
		b.Run(fmt.Sprintf("Rescan/files=%d", files), func(b *testing.B) {
			for b.Loop() {
				next, err := Rescan(context.Background(), c, Changes{Dirs: []string{"resources/docs0/v0/folder-00000"}})
				if err != nil || next.ListChanged(c) {
					b.Fatal("the list changes", err)
				}
			}
			b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(files), "B/file")
		})
		b.Run(fmt.Sprintf("Scan/files=%d", files), func(b *testing.B) {
			for b.Loop() {
				scan(b, fsys, opts)
			}
		})
	}
}

// What does finding a file cost, compared with a map of all URIs?
func BenchmarkLookup(b *testing.B) {
	c := scan(b, benchmarkTree(b), Options{})
	all := uris(c)
	b.Run("Catalog", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if _, ok := c.Lookup(all[i%len(all)]); !ok {
				b.Fatal(all[i%len(all)])
			}
		}
	})
	b.Run("map", func(b *testing.B) {
		m := make(map[string]Resource, len(all))
		for r := range c.All() {
			m[r.URI()] = r
		}
		for i := 0; b.Loop(); i++ {
			if _, ok := m[all[i%len(all)]]; !ok {
				b.Fatal(all[i%len(all)])
			}
		}
	})
}

func BenchmarkContent(b *testing.B) {
	fsys := benchmarkTree(b)
	c := scan(b, fsys, Options{})
	r, _ := c.Lookup("docs://v0/guides/part-0/chapter%200.md")
	b.Run("Catalog", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, _, err := c.Content(r, 1<<20); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("fs.ReadFile", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			must.Get(fs.ReadFile(fsys, r.Path()))(b)
		}
	})
}
