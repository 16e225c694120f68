package webpage

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestFormulas compares formulas with an expression that finds the same, in quadratic time.
func TestFormulas(t *testing.T) {
	const begun = `(?s)\\\(.+?\\\)|\\\[.+?\\\]|\\begin` + environment + `.+?\\end` + environment
	oracle, oracleDollars := regexp.MustCompile(begun), regexp.MustCompile(begun+`|\$\$.+?\$\$|\$[^\s$][^$]*\$`)
	tokens := []string{`\(`, `\)`, `\[`, `\]`, "$", "$$", "a", "é", " ", "\n", `\`, `\begin{align}`, `\end{align*}`, `\end{gather}`}
	for range 20_000 {
		var b strings.Builder
		for range rand.IntN(9) {
			b.WriteString(tokens[rand.IntN(len(tokens))])
		}
		for written, want := range map[*regexp.Regexp]*regexp.Regexp{begins(): oracle, dollars(): oracleDollars} {
			var bounds [][2]int
			for _, m := range want.FindAllStringIndex(b.String(), -1) {
				bounds = append(bounds, [2]int(m))
			}
			if got := formulas(b.String(), written); !slices.Equal(got, bounds) {
				t.Fatalf("%q: %v, want %v", b.String(), got, bounds)
			}
		}
	}
	for _, mark := range tokens { // in quadratic time, this takes minutes
		formulas(strings.Repeat(mark+`\[a`, 100_000), dollars())
	}
}
