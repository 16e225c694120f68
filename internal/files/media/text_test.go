package media

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

// The validation with wide registers agrees with unicode/utf8, wherever a character lies in a
// block.
func FuzzIsText(f *testing.F) {
	for _, s := range []string{"", "a", "é", "€", "𝄞", "\x80", "\xc3", "\xe2\x82", "\xf0\x9d\x84", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc0\xaf", "\xff"} {
		for _, pad := range []int{0, 1, 15, 16, 31, 32, 33, 63, 64, 100} {
			f.Add([]byte(strings.Repeat("-", pad) + s))
			f.Add([]byte(strings.Repeat("-", pad) + s + strings.Repeat("é", pad)))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if got, want := IsText(data), utf8.Valid(data) && bytes.IndexByte(data, 0) < 0; got != want {
			t.Errorf("%q: %v, want %v", data, got, want)
		}
	})
}
