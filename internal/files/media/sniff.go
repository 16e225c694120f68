package media

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"slices"
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
	return slices.ContainsFunc([]string{"%PDF-", "\n%PDF-", "\ufeff%PDF-", "!<arch>\n", "GIF87a", "GIF89a"}, func(s string) bool {
		return len(head) >= len(s) && string(head[:len(s)]) == s
	})
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

// binarySuffixes are structured syntaxes that are archives, compressed, or binary (RFC 6839, RFC 8949).
var binarySuffixes = []string{"zip", "gzip", "zstd", "cbor", "cbor-seq", "der", "ber", "wbxml", "fastinfoset", "sqlite3", "dotlottie"}

// binaryFamilies are the beginnings of subtypes of documents that only one program can read.
var binaryFamilies = []string{"vnd.openxmlformats-officedocument.", "vnd.oasis.opendocument.", "vnd.sun.xml.", "vnd.ms-excel", "vnd.ms-powerpoint", "vnd.ms-word"}

// Binary reports whether files of a type are never text, so that even a file of letters is a blob.
// Parameters are allowed. Unknown types and application/octet-stream do not count as binary: for
// these the bytes decide, and bytes that are not text become a blob without an entry in the table.
func Binary(mime string) bool {
	mime, _, _ = strings.Cut(mime, ";")
	mime = strings.ToLower(strings.TrimSpace(mime))
	if binary, known := types().binary[mime]; known {
		return binary
	}
	top, sub, _ := strings.Cut(mime, "/")
	suffix := sub[strings.LastIndexByte(sub, '+')+1:]
	switch top {
	case "image", "audio", "video":
		return len(suffix) == len(sub) || suffix != "xml" && suffix != "json"
	case "font":
		return true
	case "application", "model":
		return len(suffix) < len(sub) && slices.Contains(binarySuffixes, suffix) ||
			slices.ContainsFunc(binaryFamilies, func(family string) bool { return strings.HasPrefix(sub, family) })
	}
	return false
}

// Visible reports whether language models take images of a type. Some clients cannot continue after an image of another type.
func Visible(mime string) bool {
	return slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, mime)
}

// What APIs of language models take. After a larger image, some clients cannot continue a conversation.
const (
	maxSide    = 8000      // pixels
	maxEncoded = 5_000_000 // characters of base64
)

// Showable reports whether language models take the bytes of an image, whose type is by [Examine]: it is PNG, JPEG, GIF
// or WebP, its header gives a width and a height, and it is not too large.
func Showable(mime string, data []byte) bool {
	if base64.StdEncoding.EncodedLen(len(data)) > maxEncoded || picture(data) != mime {
		return false
	}
	var c image.Config
	var err error
	switch r := bytes.NewReader(data); mime {
	case "image/png":
		c, err = png.DecodeConfig(r)
	case "image/jpeg":
		c, err = jpeg.DecodeConfig(r)
	case "image/gif":
		c, err = gif.DecodeConfig(r)
	case "image/webp":
		c.Width, c.Height = sizeOfWebP(data)
	}
	return err == nil && min(c.Width, c.Height) > 0 && max(c.Width, c.Height) <= maxSide
}

// picture returns the type of an image that language models take by its signature, or "".
func picture(head []byte) string {
	for _, s := range [...]struct{ start, mime string }{
		{"\x89PNG\r\n\x1a\n", "image/png"}, {"\xff\xd8\xff", "image/jpeg"}, {"GIF87a", "image/gif"}, {"GIF89a", "image/gif"},
	} {
		if len(head) >= len(s.start) && string(head[:len(s.start)]) == s.start {
			return s.mime
		}
	}
	if len(head) >= 12 && string(head[:4]) == "RIFF" && string(head[8:12]) == "WEBP" {
		return "image/webp"
	}
	return ""
}

// sizeOfWebP returns the size of an image (RFC 9649), or 0.
func sizeOfWebP(data []byte) (width, height int) {
	if len(data) < 30 {
		return 0, 0
	}
	first, rest := string(data[12:16]), data[20:]
	switch small := binary.LittleEndian; {
	case first == "VP8X":
		return int(small.Uint32(rest[4:])&0xffffff) + 1, int(small.Uint32(rest[6:])>>8) + 1
	case first == "VP8L" && rest[0] == 0x2f:
		bits := small.Uint32(rest[1:])
		return int(bits&0x3fff) + 1, int(bits>>14&0x3fff) + 1
	case first == "VP8 " && string(rest[3:6]) == "\x9d\x01\x2a":
		return int(small.Uint16(rest[6:]) & 0x3fff), int(small.Uint16(rest[8:]) & 0x3fff)
	}
	return 0, 0
}

// MaxPointer is the size below which all pointers of Git LFS are, in bytes.
const MaxPointer = 1024

// Pointer reports whether a file is a pointer of Git LFS: git puts it in the place of a file that was not fetched.
func Pointer(data []byte) bool {
	return len(data) < MaxPointer && bytes.HasPrefix(data, []byte("version https://git-lfs.github.com/spec/"))
}

// NotFetched says what a pointer of Git LFS is.
const NotFetched = "is a Git LFS pointer: the file itself was not fetched"
