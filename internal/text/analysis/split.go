// Package analysis splits texts into the words by which a search compares them, and knows the words that say little.
//
// Words are compared in lower case, in Unicode's form NFKC, without the marks of Latin, Greek and Cyrillic letters, and, in ASCII,
// reduced to their stem as English (Porter's second algorithm); v1.2 is 1.2. Identifiers are found by their parts and as a whole, in any
// style: readFile, read_file and read-file are the same. Scripts without spaces are cut into pairs of characters.
package analysis

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
	"golang.org/x/text/unicode/norm"
)

// MaxWord is the maximum length of a word in characters; longer runs (base64, minified code) are not
// words.
const MaxWord = 64

// A Splitter finds the words of texts. It is not safe for concurrent use.
type Splitter struct {
	buffer [2 * (MaxWord + 2) * utf8.UTFMax]byte // for an identifier and one long part
	// offset of the end of the word that Words yields
	End int
}

// Words calls yield with each word of text, folded, and with its offset. A word with marks comes twice: folded, and then only in lower
// case. yield must not keep the word.
func (s *Splitter) Words(text string, yield func(word []byte, offset int)) {
	for i := 0; i < len(text); {
		// Most words are small letters and digits that nothing joins to others: an identifier would take longer.
		end := i
		for end < len(text) && classes[text[end]]&(small|digit) != 0 {
			end++
		}
		if n := end - i; n > 0 && n <= MaxWord && end < len(text) && text[end] < utf8.RuneSelf && classes[text[end]] == 0 && strings.IndexByte("'_-.", text[end]) < 0 {
			s.End = end
			yield(append(s.buffer[:0], text[i:end]...), i)
			i = end + 1
			continue
		}
		i = s.next(text, i, yield)
	}
}

// next yields the words at i: none, one, or several words of one identifier. It returns where the
// text continues.
func (s *Splitter) next(text string, i int, yield func(word []byte, offset int)) int {
	c := text[i]
	if c < utf8.RuneSelf && classes[c] == 0 {
		return i + 1
	}
	r, size := rune(c), 1
	if c >= utf8.RuneSelf {
		r, size = utf8.DecodeRuneInString(text[i:])
	}
	switch {
	case Spaceless(r):
		return s.pairs(text, i, yield)
	case IsWord(r):
		return s.run(text, i, yield)
	}
	return i + size
}

// Normalize returns a text in the form in which words are compared: a letter with an accent is one
// character, and letters of full width equal the usual ones (Unicode's form NFKC).
func Normalize(text string) string { return norm.NFKC.String(text) }

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

func IsWord(r rune) bool { return class(r) != 0 }

// Spaceless reports whether r belongs to a script that does not separate words by spaces.
func Spaceless(r rune) bool {
	return r >= 0x0e00 && (r <= 0x0eff || // Thai, Lao
		r >= 0x1000 && r <= 0x109f || r >= 0x1780 && r <= 0x17ff || // Myanmar, Khmer
		r >= 0x3040 && r <= 0x30ff && r != '・' || // Hiragana, Katakana
		r >= 0x3400 && r <= 0x9fff || r >= 0xac00 && r <= 0xd7af || r >= 0xf900 && r <= 0xfaff || r >= 0x20000 && r <= 0x3ffff)
}

// pairs yields each pair of adjacent characters of a text in such a script, or a single character
// if it stands alone.
func (s *Splitter) pairs(text string, i int, yield func([]byte, int)) int {
	last, n := i, 0
	for i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		if !Spaceless(r) {
			break
		}
		if s.End = i + size; n > 0 {
			yield(append(s.buffer[:0], text[last:i+size]...), last)
		}
		last, i, n = i, i+size, n+1
	}
	if n == 1 {
		yield(append(s.buffer[:0], text[last:i]...), last)
	}
	return i
}

// run yields the words of an identifier: its parts, which begin at capitals and after "_", "-" and
// "'", and the whole identifier if it has several parts. A dot belongs to a number ("1.2.3"). It is one loop, whose state is what
// is known of the identifier.
func (s *Splitter) run(text string, i int, yield func([]byte, int)) int {
	begin, start, parts := i, i, 0
	whole, from := s.buffer[:0], 0 // from: of the part
	length, total := 0, 0          // characters of the part and of the whole
	flush := func(next int) {
		if s.End = i; 0 < length && length <= MaxWord {
			yield(whole[from:], start)
			parts++
		}
		if total > MaxWord { // only parts are words
			whole = whole[:0]
		}
		start, from, length = next, len(whole), 0
	}
	// joins: marks of the script of the last letter are left out
	marked, joins := false, false
	read := i     // the end of the last letter or mark
	var last byte // class of the previous character
	for i < len(text) {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
			if Spaceless(r) {
				break
			}
		}
		c, next := class(r), byte(0)
		if i+1 < len(text) && text[i+1] < utf8.RuneSelf {
			next = classes[text[i+1]]
		}
		switch {
		case invisible(r) || joins && 0x300 <= r && r < 0x370:
			marked = marked || c != 0
			i += size
			if c != 0 {
				read = i
			}
			continue
		case (r == '_' || r == '-') && next != 0:
			i++
			flush(i)
			last = 0
			continue
		case c == 0 && (r != '.' || last != digit || next != digit):
			if r == '\'' || r == '’' {
				i = ending(text, i+size)
			}
			size = 0
		case c == capital:
			if last == small || last == digit && len(whole) > from && next == small || last == capital && next == small {
				flush(i)
			}
			r = unicode.ToLower(r)
		}
		if size == 0 {
			break
		}
		if r != '.' {
			last, joins = c, true
		}
		if length > MaxWord { // too long for a word
		} else if r < utf8.RuneSelf {
			whole = append(whole, byte(r))
		} else {
			var letters string
			letters, joins = fold(r)
			marked = marked || letters != string(r)
			whole = append(whole, letters...)
		}
		length, total, i = length+1, total+1, i+size
		read = i
	}
	flush(i)
	switch {
	case total > MaxWord:
	case parts > 1:
		yield(whole, begin)
	case marked && parts == 1: // with its marks
		yield(norm.NFC.AppendString(s.buffer[:0], strings.Map(func(r rune) rune {
			switch c := class(r); {
			case c == capital:
				return unicode.ToLower(r)
			case c == 0 && r != '.':
				return -1
			}
			return r
		}, text[begin:read])), begin)
	}
	return i
}

// invisible reports whether a character inside a word makes no other word: soft hyphens, characters without width, and the points of
// Arabic and Hebrew.
func invisible(r rune) bool {
	return r >= 0xad && (r == 0xad || r >= 0x591 && r <= 0x5c7 && r != 0x5be && r != 0x5c0 && r != 0x5c3 && r != 0x5c6 || r >= 0x64b && r <= 0x65f || r == 0x670 ||
		r >= 0x200b && r <= 0x200d || r == 0x2060 || r == 0xfeff)
}

// fold returns a small letter that is not in ASCII without its marks if it is Latin, Greek or Cyrillic: in other scripts, marks make other
// words.
func fold(r rune) (letters string, known bool) {
	if r < 0x2000 && folds()[r] != "" {
		return folds()[r], true
	}
	return string(r), false
}

// folds is a pointer: a copy of the table for each character would take most of the time of an index.
var folds = sync.OnceValue(func() *[0x2000]string {
	folds := new([0x2000]string)
	others := map[rune]string{'ß': "ss", 'ø': "o", 'ł': "l", 'æ': "ae", 'œ': "oe", 'đ': "d", 'ı': "i", 'ς': "σ"}
	for r := rune(utf8.RuneSelf); int(r) < len(folds); r++ {
		if !unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic) || !unicode.IsLetter(r) {
			continue
		}
		if folds[r] = others[r]; folds[r] == "" {
			folds[r] = strings.Map(func(r rune) rune {
				if unicode.Is(unicode.Mn, r) {
					return -1
				}
				return r
			}, norm.NFD.String(string(r)))
		}
	}
	return folds
})

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

// Stem reduces an English word in lower case to its stem, as Porter's second algorithm ("Porter2", see
// https://snowballstem.org/algorithms/english/stemmer.html) describes. Words with characters other than a to z are not changed, but a
// version is a number: v3.7 is 3.7. A stem takes about 1.5 µs, so an index stems each of its words once.
func Stem(word string) string {
	switch {
	case len(word) <= 2:
		return word
	case word[0] == 'v' && classes[word[1]] == digit && strings.Contains(word, "."):
		return word[1:]
	case strings.ContainsFunc(word, func(r rune) bool { return r < 'a' || r > 'z' }):
		return word
	}
	return english.Stem(word, true)
}
