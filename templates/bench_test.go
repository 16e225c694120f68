package templates

import (
	"testing"

	"github.com/yosida95/uritemplate/v3"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

const benchTemplate = "docs://{product}/{version}/guides/{+path}.{language}{?q,page*}"

// BenchmarkParse asks whether Parse costs more than the parser clients use.
func BenchmarkParse(b *testing.B) {
	b.Run("templates", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			must.Get(Parse(benchTemplate))(b)
		}
	})
	b.Run("yosida95", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			must.Get(uritemplate.New(benchTemplate))(b)
		}
	})
}
