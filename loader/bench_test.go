package loader

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/rootfs"
)

const benchmarkFiles = 10_000

// benchmarkTree is a project on disk with 100 folders of 100 files.
func benchmarkTree(b *testing.B) *rootfs.FS {
	dir := b.TempDir()
	for d := range 100 {
		folder := filepath.Join(dir, fmt.Sprintf("resources/docs/v%d/guides/part-%d", d%3, d))
		if err := os.MkdirAll(folder, 0o700); err != nil {
			b.Fatal(err)
		}
		for f := range benchmarkFiles / 100 {
			if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("chapter %d.md", f)), []byte("# Chapter\n"), 0o600); err != nil {
				b.Fatal(err)
			}
		}
	}
	fsys, err := rootfs.Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { fsys.Close() })
	return fsys
}

const benchmarkTemplates = `[{"uriTemplate": "docs://{version}/{+path}", "name": "docs"}, {"uriTemplate": "docs://{version}/guides/{part}/{name}.md", "name": "guides"}]`

// What does reading the tree cost beside walking it with the standard library?
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
			if _, err := Rescan(context.Background(), c, []string{"resources/docs/v0/guides/part-0"}, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("WalkDir with Info", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			err := fs.WalkDir(fsys, Resources, func(_ string, d fs.DirEntry, err error) error {
				if err == nil {
					_, err = d.Info()
				}
				return err
			})
			if err != nil {
				b.Fatal(err)
			}
		}
	})
}

// What does finding a file cost beside a map of all URIs?
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
			if _, err := fs.ReadFile(fsys, r.Path()); err != nil {
				b.Fatal(err)
			}
		}
	})
}
