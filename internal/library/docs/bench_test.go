package docs

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

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
		if err := os.MkdirAll(folder, 0o700); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("chapter-%d.md", i)), []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	fsys, err := rootfs.Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { fsys.Close() })
	return fsys
}

// naive finds the words of a query by reading all documents, as a server without an index would.
func naive(l *Library, query string) (found []string) {
	words := strings.Fields(strings.ToLower(query))
	for _, d := range l.docs {
		text, _, err := l.read(d, maxRead)
		if err != nil {
			continue
		}
		text = strings.ToLower(text)
		for _, w := range words {
			if strings.Contains(text, w) {
				found = append(found, d.path)
				break
			}
		}
	}
	return found
}

// What does a query over 10 MB cost, compared with reading all of it?
func BenchmarkSearch(b *testing.B) {
	l := scan(b, project(b), "docs", nil)
	if err := l.Index(context.Background()); err != nil {
		b.Fatal(err)
	}
	x := l.index.Load()
	frequent := x.terms[0] // of three letters or more
	most := uint32(0)
	for i, term := range x.terms {
		if n := x.starts[i+1] - x.starts[i]; n > most && len(term) > 2 {
			frequent, most = term, n
		}
	}
	for _, query := range []string{x.terms[len(x.terms)/2], "document 77 " + frequent, "how do I " + frequent + " the babing dosation in chapter tu"} {
		b.Run(fmt.Sprintf("index/%d words", len(strings.Fields(query))), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if hits := search(b, l, query); len(hits) == 0 {
					b.Fatal("nothing found")
				}
			}
		})
		b.Run(fmt.Sprintf("scan/%d words", len(strings.Fields(query))), func(b *testing.B) {
			for b.Loop() {
				naive(l, query)
			}
		})
	}
}

// What does building the index cost, whole and after a change, compared with walking the folder and
// reading all files?
func BenchmarkIndex(b *testing.B) {
	fsys := project(b)
	ctx := context.Background()
	b.Run("Scan", func(b *testing.B) {
		for b.Loop() {
			scan(b, fsys, "docs", nil)
		}
	})
	b.Run("read", func(b *testing.B) {
		l := scan(b, fsys, "docs", nil)
		for b.Loop() {
			naive(l, "")
		}
	})
	b.Run("Index", func(b *testing.B) {
		var bytes, kept float64
		for b.Loop() {
			b.StopTimer()
			l := scan(b, fsys, "docs", nil)
			before := heap()
			b.StartTimer()
			if err := l.Index(ctx); err != nil {
				b.Fatal(err)
			}
			b.StopTimer()
			bytes, kept = 0, heap()-before
			for _, d := range l.docs {
				bytes += float64(d.size)
			}
			b.StartTimer()
			runtime.KeepAlive(l)
		}
		b.ReportMetric(kept/bytes, "bytes/byte")
	})
	b.Run("Index after a change", func(b *testing.B) {
		l := scan(b, fsys, "docs", nil)
		if err := l.Index(ctx); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			b.StopTimer()
			next := scan(b, fsys, "docs", l)
			was := next.docs[0]
			changed := &document{path: was.path, lower: was.lower, size: was.size, modTime: was.modTime + 1}
			next.docs[0], next.files[changed.path] = changed, changed
			b.StartTimer()
			if err := next.Index(ctx); err != nil {
				b.Fatal(err)
			}
			l = next
		}
	})
}

func heap() float64 {
	runtime.GC()
	runtime.GC() // the first one only clears pools
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}
