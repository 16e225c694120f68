package media

import (
	"bytes"
	"iter"
	"unicode/utf16"
	"unicode/utf8"

	asm "github.com/segmentio/asm/utf8"
)

// formOf returns the form of bytes that are not known to be binary.
func formOf(data []byte) (Form, Rule) {
	if IsText(data) {
		return UTF8, ValidUTF8
	}
	if _, ok := sizeUTF16(data, byteOrder(data)); ok {
		return UTF16, ValidUTF16
	}
	return Blob, Other
}

// DecodedLen returns the length in UTF-8 of the text in data, which has the form [UTF16].
func DecodedLen(data []byte) int {
	size, _ := sizeUTF16(data, byteOrder(data))
	return size
}

// Decode returns the text in data, which has the form [UTF16], as UTF-8. The text is stored in buf,
// which must be utf8.UTFMax bytes longer than the text.
func Decode(data, buf []byte) []byte {
	for text := range Decoded(data, buf) {
		return text // buf has room for the whole text
	}
	return nil
}

// Decoded yields the text in data, which has the form [UTF16], as UTF-8 in parts that end between
// characters. Each part is stored in buf, which must have room for one character, and is valid
// until the next part.
func Decoded(data, buf []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		text := buf[:0]
		for r := range runes(data, byteOrder(data)) {
			if len(text)+utf8.UTFMax > len(buf) {
				if !yield(text) {
					return
				}
				text = buf[:0]
			}
			text = utf8.AppendRune(text, r)
		}
		if len(text) > 0 {
			yield(text)
		}
	}
}

// textual reports whether data is text. With partial, data is the start of a longer file, and an
// incomplete character at its end is allowed.
func textual(data []byte, partial bool) bool {
	order := byteOrder(data)
	if partial {
		data = data[:wholeCharacters(data, order)]
	}
	form, _ := formOf(data)
	return form != Blob
}

// IsText reports whether data is UTF-8 without NUL. It searches for NUL first: that is faster, and
// ends early on nearly every binary file.
func IsText(data []byte) bool {
	// five times as fast as unicode/utf8 on text that is not only ASCII
	return bytes.IndexByte(data, 0) < 0 && asm.Valid(data)
}

// sizeUTF16 returns the length in UTF-8 of text in UTF-16, mark included. It returns false for data
// without a mark, of odd length, with unpaired surrogates or with U+0000.
func sizeUTF16(data []byte, order order) (size int, ok bool) {
	if order != utf16LE && order != utf16BE || len(data)%2 != 0 {
		return 0, false
	}
	for r := range runes(data, order) {
		if r <= 0 {
			return 0, false
		}
		size += utf8.RuneLen(r)
	}
	return size, true
}

// runes yields the characters of UTF-16 of even length, and -1 for a surrogate without its other half.
func runes(data []byte, order order) iter.Seq[rune] {
	return func(yield func(rune) bool) {
		for i := 0; i < len(data); i += 2 {
			r := unit(data[i:], order)
			if utf16.IsSurrogate(r) {
				// DecodeRune returns U+FFFD only for a bad pair: U+FFFD is below the supplementary
				// planes, so a valid pair cannot decode to it.
				if i += 2; i == len(data) {
					r = -1
				} else if r = utf16.DecodeRune(r, unit(data[i:], order)); r == utf8.RuneError {
					r = -1
				}
			}
			if !yield(r) {
				return
			}
		}
	}
}

// unit returns the first code unit.
func unit(data []byte, order order) rune {
	if order == utf16LE {
		return rune(data[0]) | rune(data[1])<<8
	}
	return rune(data[1]) | rune(data[0])<<8
}

// wholeCharacters returns where to cut data so that it does not end inside a
// character.
func wholeCharacters(data []byte, order order) int {
	end := len(data)
	if order == utf16LE || order == utf16BE {
		end -= end % 2
		if r := unit(data[end-2:], order); 0xd800 <= r && r < 0xdc00 {
			end -= 2
		}
		return end
	}
	for i := end - 1; i >= 0 && i > end-utf8.UTFMax; i-- {
		if utf8.RuneStart(data[i]) {
			if !utf8.FullRune(data[i:]) {
				return i
			}
			break
		}
	}
	return end
}
