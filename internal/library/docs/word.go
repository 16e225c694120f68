package docs

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxWord is the maximum length of a word in bytes; longer runs (base64, minified code) are not
// words.
const maxWord = 64

// A splitter finds the words of texts. It is not safe for concurrent use.
type splitter struct {
	part, whole [maxWord + 2*utf8.UTFMax]byte
}

// words calls yield with each word of text, in lower case, and with its offset. yield must not keep
// the word.
func (s *splitter) words(text string, yield func(word []byte, offset int)) {
	for i := 0; i < len(text); {
		i = s.next(text, i, yield)
	}
}

// next yields the words at i: none, one, or several words of one identifier. It returns where the
// text continues.
func (s *splitter) next(text string, i int, yield func(word []byte, offset int)) int {
	c := text[i]
	if c < utf8.RuneSelf && classes[c] == 0 {
		return i + 1
	}
	r, size := rune(c), 1
	if c >= utf8.RuneSelf {
		r, size = utf8.DecodeRuneInString(text[i:])
	}
	switch {
	case spaceless(r):
		return s.pairs(text, i, yield)
	case isWord(r):
		return s.run(text, i, yield)
	}
	return i + size
}

// normalized returns a text in the form in which words are compared: a letter with an accent is one
// character, and letters of full width equal the usual ones (Unicode's form NFKC).
func normalized(text string) string { return norm.NFKC.String(text) }

const (
	small = 1 << iota
	capital
	digit
)

// classes holds the class of each ASCII character, and 0 for other bytes.
var classes = func() (c [256]byte) {
	for r := byte('a'); r <= 'z'; r++ {
		c[r], c[r-'a'+'A'] = small, capital
	}
	for r := '0'; r <= '9'; r++ {
		c[r] = digit
	}
	return c
}()

// class returns the class of any character, 0 for characters outside words.
func class(r rune) byte {
	switch {
	case r < utf8.RuneSelf:
		return classes[r]
	case unicode.IsUpper(r):
		return capital
	case unicode.IsLetter(r), unicode.IsMark(r):
		return small
	case unicode.IsDigit(r):
		return digit
	}
	return 0
}

func isWord(r rune) bool { return class(r) != 0 }

// spaceless reports whether r belongs to a script that does not separate words by spaces.
func spaceless(r rune) bool {
	return r >= 0x0e00 && (r <= 0x0eff || // Thai, Lao
		r >= 0x1000 && r <= 0x109f || r >= 0x1780 && r <= 0x17ff || // Myanmar, Khmer
		r >= 0x3040 && r <= 0x30ff && r != '・' || // Hiragana, Katakana
		r >= 0x3400 && r <= 0x9fff || r >= 0xac00 && r <= 0xd7af || r >= 0xf900 && r <= 0xfaff || r >= 0x20000 && r <= 0x3ffff)
}

// pairs yields each pair of adjacent characters of a text in such a script, or a single character
// if it stands alone.
func (s *splitter) pairs(text string, i int, yield func([]byte, int)) int {
	last, n := i, 0
	for i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		if !spaceless(r) {
			break
		}
		if n > 0 {
			yield(append(s.part[:0], text[last:i+size]...), last)
		}
		last, i, n = i, i+size, n+1
	}
	if n == 1 {
		yield(append(s.part[:0], text[last:i]...), last)
	}
	return i
}

// run yields the words of an identifier: its parts, which begin at capitals and after "_", "-" and
// "'", and the whole identifier if it has several parts. A dot belongs to a number ("1.2.3").
func (s *splitter) run(text string, i int, yield func([]byte, int)) int {
	begin, start, parts := i, i, 0
	whole, part := s.whole[:0], s.part[:0]
	flush := func(next int) {
		if n := len(part); n > 0 && n <= maxWord {
			yield(part, start)
			parts++
		}
		part, start = part[:0], next
	}
	var last byte // class of the previous character
	for i < len(text) {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
			if spaceless(r) {
				break
			}
		}
		c := class(r)
		if c == 0 {
			next := byte(0)
			if i+1 < len(text) && text[i+1] < utf8.RuneSelf {
				next = classes[text[i+1]]
			}
			if (r == '_' || r == '-') && next != 0 {
				i++
				flush(i)
				last = 0
				continue
			}
			if r == '.' && last == digit && next == digit {
				if len(part) <= maxWord && len(whole) <= maxWord {
					part, whole = append(part, '.'), append(whole, '.')
				}
				i++
				continue
			}
			if r == '\'' || r == '’' {
				i = ending(text, i+size)
			}
			break
		}
		if c == capital {
			after := byte(0)
			if i+1 < len(text) && text[i+1] < utf8.RuneSelf {
				after = classes[text[i+1]]
			}
			if last == small || last == digit && len(part) > 0 && after == small || last == capital && after == small {
				flush(i)
			}
			r = unicode.ToLower(r)
		}
		last = c
		if len(part) <= maxWord { // a longer part is too long
			part = utf8.AppendRune(part, r)
		}
		if len(whole) <= maxWord {
			whole = utf8.AppendRune(whole, r)
		}
		i += size
	}
	flush(i)
	if parts > 1 && len(whole) <= maxWord {
		yield(whole, begin)
	}
	return i
}

// ending skips the ending of a word after an apostrophe: "'s", "'t", "'re".
func ending(text string, i int) int {
	n := i
	for n < len(text) && text[n] < utf8.RuneSelf && classes[text[n]] == small {
		n++
	}
	if n-i <= 2 {
		return n
	}
	return i
}
