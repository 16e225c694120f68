package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/postgres"
)

// entries returns the number of captures in benchmarks.
func entries(b *testing.B) int {
	if text := os.Getenv("STORE_BENCH_ENTRIES"); text != "" {
		return must.Get(strconv.Atoi(text))(b)
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
		must.Do(b, os.Mkdir(folder, 0o700))
		meta := must.Get(encodeMeta(&c.Meta))(b)
		modTime := timeOf(version)
		for name, data := range map[string][]byte{metaFile: meta, "cleaned.md": append(frontMatter(&c.Meta, Cleaned), contents[Cleaned]...), "raw.md": contents[Raw]} {
			name = filepath.Join(folder, name)
			must.Write(b, name, string(data))
			must.Do(b, os.Chtimes(name, modTime, modTime))
		}
	}
	return dir, keys
}

// benchURL returns the URL of the database for benchmarks: the one in STORE_BENCH_URL, which can be configured to write
// as safely as in production, or else a database of the tests.
func benchURL(b testing.TB) string {
	url := os.Getenv("STORE_BENCH_URL")
	if url == "" {
		return postgres.URL(b)
	}
	query(b, url, "DROP SCHEMA IF EXISTS mcp_docs CASCADE")
	return url
}

// manyRows puts captures into a database.
func manyRows(b testing.TB, n int) (url string, keys []string) {
	url = benchURL(b)
	openReplica(b, url, nil).db.Close() // makes the schema
	conn := must.Get(pgx.Connect(b.Context(), url))(b)
	defer conn.Close(context.Background())
	var captures, parts [][]any
	for i := range n {
		u := fmt.Sprintf("https://docs.example.com/guides/section-%d/page-%d", i%100, i)
		m, contents := page(b, u, "A text of "+u)
		m.Created, m.TTL, m.Parts = time.Now(), 24*time.Hour, make(map[Tier]Part)
		for tier, data := range contents {
			m.Parts[tier] = partOf("text/markdown", data)
			parts = append(parts, []any{"project", m.Key, fmt.Sprint(i), string(tier), 0, data})
		}
		meta := must.Get(encodeMeta(&m))(b)
		keys = append(keys, m.Key)
		captures = append(captures, []any{"project", m.Key, fmt.Sprint(i), meta, time.Now()})
	}
	fill := func(table string, rows [][]any, columns ...string) {
		must.Get(conn.CopyFrom(b.Context(), pgx.Identifier{"mcp_docs", table}, columns, pgx.CopyFromRows(rows)))(b)
	}
	fill("captures", captures, "project", "key", "version", "meta", "used")
	fill("capture_parts", parts, "project", "key", "version", "tier", "part", "data")
	query(b, url, "ANALYZE")
	return url, keys
}

// How long does a start take?
func BenchmarkOpen(b *testing.B) {
	b.Run(Files, func(b *testing.B) {
		dir, keys := many(b, entries(b))
		for b.Loop() {
			if n, _ := openFolder(b, dir, roomy).Totals(); n != len(keys) {
				b.Fatalf("there are %d", n)
			}
		}
	})
	b.Run(Postgres, func(b *testing.B) {
		url, keys := manyRows(b, entries(b))
		for b.Loop() {
			if n, _ := openReplica(b, url, roomy).Totals(); n != len(keys) {
				b.Fatalf("there are %d", n)
			}
		}
	})
}
