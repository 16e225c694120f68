package docs

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
)

// corpus makes documents of some bytes each: headings, paragraphs, and words that are as frequent
// as in a language (Zipf).
func corpus(n, size int) []string {
	random := rand.New(rand.NewPCG(1, 2))
	vocabulary := make([]string, 30_000)
	for i := range vocabulary {
		var b strings.Builder
		for range 1 + random.IntN(4) {
			b.WriteByte("bcdfghklmnprstvw"[random.IntN(16)])
			b.WriteByte("aeiou"[random.IntN(5)])
		}
		b.WriteString([]string{"", "s", "ing", "ed", "ation", "er"}[random.IntN(6)])
		vocabulary[i] = b.String()
	}
	zipf := rand.NewZipf(random, 1.1, 2, uint64(len(vocabulary)-1))
	docs := make([]string, n)
	for i := range docs {
		var b strings.Builder
		fmt.Fprintf(&b, "# Document %d\n\n", i)
		for b.Len() < size {
			if random.IntN(6) == 0 {
				fmt.Fprintf(&b, "## %s %s\n\n", vocabulary[zipf.Uint64()], vocabulary[zipf.Uint64()])
			}
			for range 30 + random.IntN(60) {
				b.WriteString(vocabulary[zipf.Uint64()])
				b.WriteByte(' ')
			}
			b.WriteString("\n\n")
		}
		docs[i] = b.String()
	}
	return docs
}

// project writes a corpus of 2,000 documents, 10 MB, to the disk.
func project(b *testing.B) *rootfs.FS {
	dir := b.TempDir()
	for i, text := range corpus(2000, 5000) {
		folder := filepath.Join(dir, "docs", fmt.Sprintf("part-%d", i%40))
		must.Do(b, os.MkdirAll(folder, 0o700))
		must.Write(b, filepath.Join(folder, fmt.Sprintf("chapter-%d.md", i)), text)
	}
	fsys := must.Get(rootfs.Open(dir))(b)
	b.Cleanup(func() { fsys.Close() })
	return fsys
}

// What does the index of 2,000 documents, 10 MB, take, compared with reading the files?
func BenchmarkIndex(b *testing.B) {
	fsys := project(b)
	measure := func(name string, do func(l *Library)) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				l := scan(b, fsys, "docs", nil)
				b.StartTimer()
				do(l)
			}
		})
	}
	measure("read", func(l *Library) {
		for _, d := range l.docs {
			f := must.Get(l.openAgain(l.fileOf(d)))(b)
			must.Get(io.Copy(io.Discard, f))(b)
			f.Close()
		}
	})
	measure("index", func(l *Library) { must.Do(b, l.Index(b.Context())) })
}
