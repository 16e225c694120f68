package media

import (
	"bytes"
	"strings"

	"github.com/gabriel-vasile/mimetype"
)

// The generic types of text and of bytes.
const (
	plain  = "text/plain"
	octets = Octets
)

// Octets is the type of bytes of an unknown kind.
const Octets = "application/octet-stream"

// SniffLen is the number of bytes of a file that [Sniff] reads. It is the limit of the detection
// library: below it, the library treats the bytes as a whole file and requires, for example, a
// complete JSON value.
const SniffLen = 4096

// Sniff returns the MIME type, without parameters, that the first bytes of a file look like:
// text/plain for text of an unknown kind, which includes an empty file, and
// application/octet-stream for unknown bytes. Bytes after the first [SniffLen] have no influence.
func Sniff(head []byte) string {
	head = head[:min(len(head), SniffLen)]
	switch byteOrder(head) {
	case utf32:
		return octets
	case utf16LE, utf16BE:
		// The library looks for the two-byte marks of sound files first.
		return plain
	}
	mime, _, _ := strings.Cut(mimetype.Detect(head).String(), ";")
	if Binary(mime) && printable(head) && !signed(head) {
		return plain
	}
	return mime
}

// signed reports whether the head starts with a signature that is long enough to be certain even if
// only printable text follows. PDF files and ar archives may contain only printable text; the other
// signatures do not occur in prose.
//
// Without this check, prose that begins with MZ would be a program, with BZh an archive and with
// FWS a film, and a text that quotes %PDF- in its first lines would be a PDF.
func signed(head []byte) bool {
	for _, s := range [...]string{"%PDF-", "\n%PDF-", "\ufeff%PDF-", "!<arch>\n", "GIF87a", "GIF89a"} {
		if len(head) >= len(s) && string(head[:len(s)]) == s {
			return true
		}
	}
	return false
}

// printable reports whether the head is UTF-8 without the control characters
// that the WHATWG's MIME Sniffing Standard calls binary data bytes. The last
// character may be cut off.
func printable(head []byte) bool {
	for _, c := range head {
		if c < 0x20 && c != '\t' && c != '\n' && c != '\f' && c != '\r' && c != 0x1b {
			return false
		}
	}
	return textual(head, true)
}

// order is the byte order by the mark at the start of a file.
type order uint8

const (
	unmarked order = iota
	utf16LE
	utf16BE
	utf32
)

// byteOrder reads the mark. FF FE 00 00 could also be UTF-16 whose first character is U+0000, which
// is not text either.
func byteOrder(data []byte) order {
	switch {
	case bytes.HasPrefix(data, []byte{0xff, 0xfe, 0, 0}), bytes.HasPrefix(data, []byte{0, 0, 0xfe, 0xff}):
		return utf32
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}):
		return utf16LE
	case bytes.HasPrefix(data, []byte{0xfe, 0xff}):
		return utf16BE
	}
	return unmarked
}
