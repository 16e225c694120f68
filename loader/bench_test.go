package loader

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

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
