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

// BenchmarkExpand asks the same of Expand.
func BenchmarkExpand(b *testing.B) {
	text := map[string]string{
		"product": "server", "version": "1.0", "path": "install/linux and mac", "language": "en", "q": "a b",
	}
	ours, theirs := Values{"page": List("1", "2")}, uritemplate.Values{"page": uritemplate.List("1", "2")}
	for name, s := range text {
		ours[name], theirs[name] = String(s), uritemplate.String(s)
	}
	b.Run("templates", func(b *testing.B) {
		tmpl, err := Parse(benchTemplate)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for b.Loop() {
			if _, err := tmpl.Expand(ours); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("yosida95", func(b *testing.B) {
		tmpl := uritemplate.MustNew(benchTemplate)
		b.ReportAllocs()
		for b.Loop() {
			if _, err := tmpl.Expand(theirs); err != nil {
				b.Fatal(err)
			}
		}
	})
}
