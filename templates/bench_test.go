package templates

import (
	"testing"

	"github.com/yosida95/uritemplate/v3"
)

const benchTemplate = "docs://{product}/{version}/guides/{+path}.{language}{?q,page*}"

// BenchmarkParse asks whether Parse costs more than the parser clients use.
func BenchmarkParse(b *testing.B) {
	b.Run("templates", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := Parse(benchTemplate); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("yosida95", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := uritemplate.New(benchTemplate); err != nil {
				b.Fatal(err)
			}
		}
	})
}
