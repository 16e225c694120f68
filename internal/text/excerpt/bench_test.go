package excerpt

import (
	"strings"
	"testing"

	"github.com/yuin/goldmark/text"
)

// What do the headings of a text cost, compared with goldmark? The time of goldmark is quadratic in
// the marks of a line, so a line of 80 KB takes seconds, and for some texts it uses over a hundred
// bytes of memory per byte.
func BenchmarkHeadings(b *testing.B) {
	for _, test := range []struct{ name, unit string }{
		{"prose", "## A heading\n\nSome words of a paragraph that is neither long nor short,\nwith a second line.\n\n- an item\n- another\n\n```sh\ncode\n```\n\n"},
		{"marks", "> "}, {"numbers", "1. "}, {"items", "- a\n"},
	} {
		source := strings.Repeat(test.unit, 20_000/len(test.unit))
		b.Run(test.name+"/ours", func(b *testing.B) {
			b.SetBytes(int64(len(source)))
			b.ReportAllocs()
			for b.Loop() {
				Headings(source)
			}
		})
		b.Run(test.name+"/goldmark", func(b *testing.B) {
			b.SetBytes(int64(len(source)))
			b.ReportAllocs()
			for b.Loop() {
				blocks.Parse(text.NewReader([]byte(source)))
			}
		})
	}
}
