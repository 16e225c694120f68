// Package tokens estimates how many tokens a text takes in the context of a model.
//
// The package estimates the count of o200k_base, whose vocabulary of 200,000 entries is too large for a
// program that only needs to keep a text below a bound. It was measured on texts in 14 languages, code, CSV, subtitles, GeoJSON,
// SVG, hexadecimal digits, base64 and lock files, where it was at most a tenth too low, and at most a third too high. [Bound] leaves
// room for that.
//
// testdata contains texts with their true counts. test/tokens.test.mjs checks these counts with the
// real vocabulary.
package tokens

import "math"

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

// scan returns the hundredths of tokens of the longest beginning of a text that takes at most most, and its length.
func scan(text string, most int) (sum, end int) {
	length := 0          // letters of a word, or digits of a number
	run, changes := 0, 0 // letters and digits that follow each other, and the changes of their case
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
			length = 0
		}
		if kind == 'a' || kind == '0' {
			if run++; 'a' <= last && 'A' <= r && r <= 'Z' || 'A' <= last && last <= 'Z' && 'a' <= r {
				changes++
			}
			if run > 24 && changes*5 > run { // base64 has fewer characters in a token than words have
				sum += 20
			}
		} else if r != '+' && r != '/' {
			run, changes = 0, 0
		}
		switch kind {
		case 'a':
			if length == 0 || last >= 'a' && r < 'a' { // a capital after a small letter begins another word
				sum, length = sum+104, 0
			}
			if length++; length > 7 { // long words have several tokens
				sum += 28
			}
		case '0':
			switch {
			case length == 0 && before == ' ': // the space is not a part of the token
				sum += 80
			case length == 0 && before == '.':
				sum += 12
			}
			if length%3 == 0 {
				sum += 120
			}
			length++
		case '\n':
			if kind != before {
				sum += 100
			}
		case '.':
			if kind != before {
				sum += 62
			} else if r != last {
				sum += 53
			}
		case ' ':
		default:
			sum += perCharacter[kind]
		}
		before, last = kind, r
	}
	if sum > most {
		return sum, end
	}
	return sum, len(text)
}

// perCharacter has hundredths of tokens by the kind of a character.
var perCharacter = map[rune]int{'é': 50, 'д': 35, 'क': 44, 'አ': 215, '中': 84, '😀': 220}

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
	case r >= 0x370 && r < 0x530: // Greek, Cyrillic
		return 'д'
	case r >= 0x900 && r < 0xe00: // India
		return 'क'
	case r >= 0x1200 && r < 0x13a0: // Ethiopia
		return 'አ'
	case r < 0x2e80: // other alphabets
		return 'é'
	case r < 0x10000: // Chinese, Japanese, Korean
		return '中'
	}
	return '😀'
}
