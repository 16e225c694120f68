// Package tokens estimates how many tokens a text takes in the context of a model.
//
// The package estimates the count of o200k_base, whose vocabulary of 200,000 entries is too large for a program that only needs to keep a
// text below a bound. It was measured on 190 texts: prose in 50 languages, code, CSV, subtitles, GeoJSON, SVG, hexadecimal digits, base64,
// lock files, logs and tables. It was at most a tenth too low, and at most a third too high, for all kinds that documents have. Random
// letters, and a few languages whose words the vocabulary does not know, such as Swahili and Punjabi, were up to 28 % too low.
// [MaxAnswer] leaves room for that.
//
// testdata contains texts with their true counts. test/tokens.test.mjs checks these counts with the
// real vocabulary.
package tokens

import (
	"math"
	"sort"
	"strings"
	"unicode"
)

// MaxAnswer bounds the estimate of an answer of a tool. Clients cut answers at 25,000 tokens.
const MaxAnswer = 18_000

// Bound returns the greatest estimate of a text that takes at most n tokens.
func Bound(n int) int { return n * 9 / 10 }

// Estimate returns about how many tokens a text takes. It rounds up: the estimates of the lines of
// a text add up to at least the estimate of the text.
func Estimate(text string) int {
	sum, _ := scan(text, math.MaxInt)
	return (sum + 99) / 100
}

// Fit returns the length of the longest beginning of a text whose estimate is at most n tokens.
func Fit(text string, n int) int {
	_, end := scan(text, 100*n)
	return end
}

// free is how many characters may follow each other that take no tokens, such as spaces.
const free = 32

// scan returns the hundredths of tokens of the longest beginning of a text that takes at most most, and its length. The weights were
// fitted to the counts of 170 texts. It is one pass with a case for each kind of character: all share what is known of the last one.
func scan(text string, most int) (sum, end int) {
	// letters of a word, or digits of a number; consonants that follow each other
	length, consonants := 0, 0
	before, last := ' ', ' '
	idle, was := 0, 0 // characters that took nothing, and the sum before them
	for i, r := range text {
		if idle++; sum > was {
			idle = 0
		} else if idle == free {
			sum, idle = sum+100, 0
		}
		if was = sum; sum > most {
			return sum, end
		}
		end = i
		kind := kindOf(r)
		if kind != before {
			length, consonants = 0, 0
		}
		switch kind {
		case 'a':
			switch {
			// a sign and a word are often one token
			case length == 0 && (before == '.' || before == '0'):
				sum += 77
			case length == 0:
				sum += 112
			// a capital after a small letter begins another word
			case last >= 'a' && r < 'a':
				sum, length = sum+147, 0
			case r < 'a':
				sum += 22
			}
			if length++; length > 7 { // long words have several tokens
				sum += 25
			}
			consonants++
			if strings.ContainsRune("aeiouyAEIOUY", r) {
				consonants = 0
			} else if consonants > 3 { // no word: random letters, base64
				sum += 110
			}
		case '0':
			if length == 0 && before == ' ' { // the space is not a part of the token
				sum += 143
			} else if length == 0 {
				sum += 26
			}
			if length%3 == 0 {
				sum += 109
			}
			length++
		case '\n':
			if before == '.' {
				sum += 109
			} else if before != kind {
				sum += 162
			}
		case '.':
			switch {
			case before != kind:
				sum += 67
			case last != r:
				sum += 62
			default:
				sum += 13
			}
		case 'é':
			sum += scripts[sort.Search(len(scripts)-1, func(n int) bool { return r < scripts[n].end })].each
		}
		before, last = kind, r
	}
	if sum > most {
		return sum, end
	}
	return sum, len(text)
}

// scripts has the hundredths of tokens of each character before the end of a range. The vocabulary has few words of some scripts, and
// of others only the bytes.
var scripts = []struct {
	end  rune
	each int
}{
	{0x370, 100}, {0x400, 43}, {0x530, 34}, // Latin, Greek, Cyrillic
	{0x700, 43}, {0x900, 215}, // Armenian, Hebrew, Arabic; Syriac
	{0xd80, 44}, {0xe80, 57}, {0x1000, 190}, // India; Sinhala, Thai; Lao, Tibetan
	// Burmese; Georgian; Ethiopia
	{0x10a0, 80}, {0x1100, 33}, {0x1200, 313}, {0x1380, 234},
	// Cherokee; Khmer; Mongolian; Vietnamese
	{0x1780, 313}, {0x1800, 68}, {0x1e00, 313}, {0x2000, 140},
	{0x2800, 75}, {0x2900, 300}, {0x2e80, 75}, // punctuation, symbols; Braille
	{0xa000, 89}, {0xac00, 313}, {0x10000, 89}, // Chinese, Japanese; Yi; Korean
	{unicode.MaxRune, 225},
}

// kindOf returns a character that stands for all of the same kind.
func kindOf(r rune) rune {
	switch {
	case 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z':
		return 'a'
	case '0' <= r && r <= '9':
		return '0'
	case r == ' ' || r == '\t':
		return ' '
	case r == '\n' || r == '\r':
		return '\n'
	case r < 0x80:
		return '.'
	}
	return 'é'
}
