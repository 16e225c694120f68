package store

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// entries returns the number of captures in benchmarks.
func entries(b *testing.B) int {
	if text := os.Getenv("STORE_BENCH_ENTRIES"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			b.Fatal(err)
		}
		return n
	}
	return 1000
}

func roomy(s *Settings) { s.MaxItems, s.MaxBytes = 1_000_000, 1<<40 }

// many makes a folder of captures without fsync.
func many(b *testing.B, n int) (dir string, keys []string) {
	dir = b.TempDir()
	for i := range n {
		u := fmt.Sprintf("https://docs.example.com/guides/section-%d/page-%d", i%100, i)
		m, contents := page(b, u, "A text of "+u)
		c := &Capture{Meta: m}
		c.Meta.Parts = make(map[Tier]Part)
		for tier, data := range contents {
			c.Meta.Parts[tier] = partOf("text/markdown", data)
		}
		c.Meta.Created = time.Now()
		c.Meta.TTL = 24 * time.Hour
		keys = append(keys, m.Key)
		micro := strconv.FormatInt(time.Now().UnixMicro(), 32)
		version := "000000000000"[len(micro):] + micro + "aaaaaa"
		folder := filepath.Join(dir, folderName(m.Key, version))
		if err := os.Mkdir(folder, 0o700); err != nil {
			b.Fatal(err)
		}
		meta, err := encodeMeta(&c.Meta)
		if err != nil {
			b.Fatal(err)
		}
		modTime := timeOf(version)
		for name, data := range map[string][]byte{metaFile: meta, "cleaned.md": append(frontMatter(&c.Meta, Cleaned), contents[Cleaned]...), "raw.md": contents[Raw]} {
			name = filepath.Join(folder, name)
			if err := os.WriteFile(name, data, 0o600); err != nil {
				b.Fatal(err)
			}
			if err := os.Chtimes(name, modTime, modTime); err != nil {
				b.Fatal(err)
			}
		}
	}
	return dir, keys
}

// How long does a start take?
func BenchmarkOpen(b *testing.B) {
	dir, keys := many(b, entries(b))
	for b.Loop() {
		if n, _ := openFolder(b, dir, roomy).Totals(); n != len(keys) {
			b.Fatalf("there are %d", n)
		}
	}
}

// How long does it take to find a capture, and to read it, compared with reading a file of that size?
func BenchmarkGet(b *testing.B) {
	dir, keys := many(b, entries(b))
	s := openFolder(b, dir, roomy)
	i := 0
	next := func() string { i = (i + 7919) % len(keys); return keys[i] }
	b.Run("get", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Get(b.Context(), next()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("miss", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Get(b.Context(), next()+"x"); err == nil {
				b.Fatal("it is there")
			}
		}
	})
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			c, err := s.Get(b.Context(), next())
			if err != nil {
				b.Fatal(err)
			}
			if _, err := c.Content(b.Context(), Cleaned); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("file", func(b *testing.B) {
		name := filepath.Join(dir, "file")
		if err := os.WriteFile(name, make([]byte, 400), 0o600); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if _, err := os.ReadFile(name); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("listing after a change", func(b *testing.B) {
		for b.Loop() {
			s.mu.Lock()
			for _, l := range s.index.lists {
				l.listing()
				l.unshare()
			}
			s.mu.Unlock()
		}
	})
}

// How long does a Put take, compared with writing a file with fsync?
func BenchmarkPut(b *testing.B) {
	for _, kind := range []string{Memory, Files} {
		b.Run(kind, func(b *testing.B) {
			s := memoryStore(b, nil)
			if kind == Files {
				s = openFolder(b, b.TempDir(), nil)
			}
			i := 0
			for b.Loop() {
				i++
				put(b, s, fmt.Sprintf("https://example.com/%d", i), "a text", nil)
			}
		})
	}
}
