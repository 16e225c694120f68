package matcher

import (
	"fmt"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

// benchmarkTemplates returns templates with the shapes that people write: for each collection a
// template for one kind of file, a template for a folder, and a template for all other files.
func benchmarkTemplates(b *testing.B, n int) []templates.Entry {
	var list []string
	for i := 0; len(list) < n; i++ {
		list = append(list,
			fmt.Sprintf("docs%d://{version}/{+path}.md", i),
			fmt.Sprintf("docs://collection%d/{name}.json", i),
			fmt.Sprintf("docs://{version}/item%d-{name}.txt", i),
			fmt.Sprintf("docs://{version}/files/{name}.x%d", i),
		)
	}
	return entriesOf(b, list[:n]...)
}

var benchmarkURIs = []string{
	"docs1://v2/guides/getting-started/intro.md",
	"docs://collection1/schema.json",
	"docs://v3/item2-report.txt",
	"docs://v3/files/table.x1",
	"docs://other/file/nobody/wants.bin",
}

// What does a file cost, and how much more does it cost with a hundred times as many templates?
func BenchmarkFind(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		entries := benchmarkTemplates(b, n)
		ix, _ := New("templates.json", entries)
		b.Run(fmt.Sprintf("index/templates=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				ix.Find(benchmarkURIs[i%len(benchmarkURIs)])
			}
		})
		b.Run(fmt.Sprintf("scan/templates=%d", n), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				u := benchmarkURIs[i%len(benchmarkURIs)]
				for _, entry := range ix.ranked {
					if ix.patterns[entry].Matches(u) {
						break
					}
				}
			}
		})
	}
}

func BenchmarkNew(b *testing.B) {
	entries := benchmarkTemplates(b, 1000)
	for b.Loop() {
		New("templates.json", entries)
	}
}
