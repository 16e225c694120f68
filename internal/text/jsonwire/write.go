// Package jsonwire reads and writes the JSON of a protocol: messages of megabytes that consist
// mostly of strings, in one pass and without reflection. [Members] and [Entries] read, and a [Writer]
// writes in pieces. It does not interpret the values; package jsondoc reads files that people write.
package jsonwire

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"math/bits"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/segmentio/asm/base64"
)

const hexDigits = "0123456789abcdef"

// AppendString appends s as a JSON string. Bytes that are not UTF-8 become U+FFFD.
func AppendString(dst []byte, s string) []byte {
	return append(appendEscaped(append(dst, '"'), s), '"')
}

// appendEscaped is AppendString without the quotes.
func appendEscaped(dst []byte, s string) []byte {
	start := 0
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if !special[c] {
				i++
				continue
			}
			dst = appendEscape(append(dst, s[start:i]...), c)
			i++
			start = i
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			dst = append(append(dst, s[start:i]...), "\ufffd"...)
			start = i + n
		case r == lineSeparator || r == paragraphSeparator:
			dst = append(append(append(dst, s[start:i]...), `\u202`...), hexDigits[r&0xf])
			start = i + n
		}
		i += n
	}
	return append(dst, s[start:]...)
}

// The characters that some readers treat as line ends.
const (
	lineSeparator      = '\u2028'
	paragraphSeparator = '\u2029'
)

// special marks the ASCII bytes that a string must escape.
var special = func() (t [utf8.RuneSelf]bool) {
	for c := range byte(' ') {
		t[c] = true
	}
	t['"'], t['\\'] = true, true
	return t
}()

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf])
}

// MaxEscaped is the maximum number of bytes that one byte of text takes in a string.
const MaxEscaped = 6

// EscapedLen returns the number of bytes that text, which must be UTF-8, takes in a JSON string,
// without the quotes.
func EscapedLen(text []byte) int {
	n := len(text)
	for i := 0; i < len(text); {
		if i = skipPlain(text, i); i == len(text) {
			break
		}
		switch c := text[i]; {
		case c == 0xE2:
			if separator(text, i) {
				n += 3
			}
		case c == '"', c == '\\', c == '\n', c == '\r', c == '\t', c == '\b', c == '\f':
			n++
		default:
			n += 5
		}
		i++
	}
	return n
}

// skipPlain returns the index of the first byte from i on that may need an escape.
func skipPlain(text []byte, i int) int {
	for i+8 <= len(text) {
		w := binary.LittleEndian.Uint64(text[i:])
		if found := escaped(w); found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
		i += 8
	}
	for i < len(text) && text[i] != 0xE2 && (text[i] >= utf8.RuneSelf || !special[text[i]]) {
		i++
	}
	return i
}

const ones, tops = 0x0101010101010101, 0x8080808080808080

// marks sets the top bit of each byte of w that is a quote, a backslash or below 0x20. A borrow can
// set more of these bits after the first one. So only the first bit is reliable, and whether any
// bit is set.
func marks(w uint64) uint64 {
	// With this bit inverted, a quote becomes 0x20, and bytes below 0x20 stay below 0x20.
	low := w ^ ones*('"'^0x20)
	return ((low-ones*0x21)&^low | zeros(w^(ones*'\\'))) & tops
}

// zeros sets the top bit of each byte of w that is zero, with the same restriction.
func zeros(w uint64) uint64 { return (w - ones) &^ w }

// escaped is marks, and also sets the top bit of bytes that are 0xE2.
func escaped(w uint64) uint64 { return marks(w) | zeros(w^(ones*0xE2))&tops }

// separator reports whether text[i:] begins with U+2028 or U+2029.
func separator(text []byte, i int) bool {
	return i+2 < len(text) && text[i+1] == 0x80 && text[i+2]&^1 == 0xA8
}

// A Writer writes JSON in pieces of a fixed size. If the output fails, [Writer.Flush] returns the
// error.
type Writer struct {
	out     io.Writer
	buf     []byte
	flushed int64 // bytes that were written to out
	err     error
}

// bufferSize is the capacity of a Linux pipe.
const bufferSize = 64 << 10

// NewWriter returns a Writer to out.
func NewWriter(out io.Writer) *Writer { return &Writer{out: out, buf: make([]byte, 0, bufferSize)} }

// Reset makes w a new Writer to out and keeps its memory.
func (w *Writer) Reset(out io.Writer) { *w = Writer{out: out, buf: w.buf[:0]} }

// Buffered returns the number of bytes that are not written to the output yet.
func (w *Writer) Buffered() int { return len(w.buf) }

// Flush writes the buffered bytes and returns the first error. After an error, the Writer writes
// nothing more.
func (w *Writer) Flush() error {
	if len(w.buf) > 0 {
		w.put(w.buf)
		w.buf = w.buf[:0]
	}
	return w.err
}

// Written returns the number of bytes written so far, including those in the buffer.
func (w *Writer) Written() int64 { return w.flushed + int64(len(w.buf)) }

// Cut removes what was written since Written was n. It returns false if a part of that has already
// gone to the output.
func (w *Writer) Cut(n int64) bool {
	if n < w.flushed || w.err != nil {
		return false
	}
	w.buf = w.buf[:n-w.flushed]
	return true
}

// Err returns the first error so far.
func (w *Writer) Err() error { return w.err }

func (w *Writer) put(p []byte) {
	w.flushed += int64(len(p))
	if w.err == nil {
		_, w.err = w.out.Write(p)
	}
}

// Raw writes JSON.
func (w *Writer) Raw(p []byte) {
	if len(w.buf)+len(p) > bufferSize {
		_ = w.Flush()
		if len(p) > bufferSize/2 {
			w.put(p)
			return
		}
	}
	w.buf = append(w.buf, p...)
}

// RawString writes JSON.
func (w *Writer) RawString(s string) {
	for len(s) > 0 {
		w.room(1)
		n := min(len(s), bufferSize-len(w.buf))
		w.buf = append(w.buf, s[:n]...)
		s = s[n:]
	}
}

// maxPiece is the size of the pieces in which a string is escaped, so that the buffer has room for
// them.
const maxPiece = bufferSize / MaxEscaped / 2

// String writes a string with its quotes. Bytes that are not UTF-8 become U+FFFD.
func (w *Writer) String(s string) {
	w.RawString(`"`)
	for len(s) > 0 {
		n := len(s)
		if n > maxPiece {
			n = maxPiece
			// do not split a character
			for n > maxPiece-utf8.UTFMax && !utf8.RuneStart(s[n]) {
				n--
			}
		}
		w.room(MaxEscaped * n)
		w.buf = appendEscaped(w.buf, s[:n])
		s = s[n:]
	}
	w.RawString(`"`)
}

// room makes room for n bytes in the buffer.
func (w *Writer) room(n int) {
	if len(w.buf)+n > bufferSize {
		_ = w.Flush()
	}
}

// Text writes a part of a string with escapes and without quotes. text must be UTF-8 and end
// between characters.
func (w *Writer) Text(text []byte) {
	for len(text) > 0 && w.err == nil {
		// Take as many bytes as fit even if each of them needs an escape, so that no check is
		// needed in between.
		n := (bufferSize - len(w.buf)) / MaxEscaped
		if n < minPiece {
			_ = w.Flush()
			n = bufferSize / MaxEscaped
		}
		if n < len(text) {
			for n > 1 && !utf8.RuneStart(text[n]) { // do not split a character
				n--
			}
		} else {
			n = len(text)
		}
		w.buf = AppendText(w.buf, text[:n]) // the buffer has room for it
		text = text[n:]
	}
}

// minPiece is the minimum room that is filled with text before the buffer is flushed.
const minPiece = 512

// AppendText appends text, which must be UTF-8, as a part of a string: with escapes and without
// quotes. It requires MaxEscaped bytes of room for each byte of text.
func AppendText(dst, text []byte) []byte {
	dst = slices.Grow(dst, MaxEscaped*len(text))
	start := len(dst)
	return dst[:start+putText(dst[start:start+MaxEscaped*len(text)], text)]
}

// putText is AppendText to the start of dst, which must have room for everything. It returns the
// number of bytes written. It copies sixteen bytes at a time; if one of them needs an escape, the
// escape overwrites it and the bytes after it.
func putText(dst, text []byte) int {
	i, j := 0, 0
	for i+16 <= len(text) {
		from, to := text[i:i+16:i+16], dst[j:j+16:j+16]
		first, second := binary.LittleEndian.Uint64(from), binary.LittleEndian.Uint64(from[8:])
		binary.LittleEndian.PutUint64(to, first)
		binary.LittleEndian.PutUint64(to[8:], second)
		found, plain := escaped(first), 0
		if found == 0 {
			if found, plain = escaped(second), 8; found == 0 {
				i, j = i+16, j+16
				continue
			}
		}
		plain += bits.TrailingZeros64(found) / 8
		i, j = putCharacter(dst, text, i+plain, j+plain)
	}
	for i < len(text) {
		i, j = putCharacter(dst, text, i, j)
	}
	return j
}

// putCharacter writes the character at text[i], or its first byte, to dst[j]. It returns the
// indexes of the next character in text and in dst.
func putCharacter(dst, text []byte, i, j int) (int, int) {
	switch c := text[i]; {
	case c == '\n':
		dst[j], dst[j+1] = '\\', 'n'
		return i + 1, j + 2
	case c == '"', c == '\\':
		dst[j], dst[j+1] = '\\', c
		return i + 1, j + 2
	case c < utf8.RuneSelf && special[c]:
		return i + 1, j + len(appendEscape(dst[j:j], c))
	case c == 0xE2 && separator(text, i):
		j += copy(dst[j:], `\u202`)
		dst[j] = hexDigits[text[i+2]&0xf]
		return i + 3, j + 1
	// also another character with the same first byte, such as a typographic quote
	default:
		dst[j] = c
		return i + 1, j + 1
	}
}

// Base64 writes a part of a string: bytes in base64. Only the last part of a string may have a
// length that is not a multiple of three.
func (w *Writer) Base64(data []byte) {
	for len(data) > 0 && w.err == nil {
		w.room(4)
		n := min(len(data), (bufferSize-len(w.buf))/4*3)
		start := len(w.buf)
		w.buf = w.buf[:start+base64.StdEncoding.EncodedLen(n)]
		base64.StdEncoding.Encode(w.buf[start:], data[:n])
		data = data[n:]
	}
}

// Times appends times as RFC 3339 with nanoseconds, in UTC, as [time.Time.AppendFormat] does with
// [time.RFC3339Nano]. It caches the date of the last time, because the times in a list often fall
// on few days. The zero value is ready for use. It must not be used concurrently.
type Times struct {
	day  int64  // since 1970
	date []byte // date of the day, followed by T; nil: nothing is cached
}

const secondsOfDay = 24 * 60 * 60

// Append appends a time in nanoseconds since 1970.
func (t *Times) Append(b []byte, nano int64) []byte {
	second, fraction := nano/1e9, nano%1e9
	if fraction < 0 {
		second, fraction = second-1, fraction+1e9
	}
	day, rest := second/secondsOfDay, second%secondsOfDay
	if rest < 0 {
		day, rest = day-1, rest+secondsOfDay
	}
	if t.date == nil || day != t.day {
		t.day, t.date = day, time.Unix(second, 0).UTC().AppendFormat(t.date[:0], "2006-01-02T")
	}
	b = append(b, t.date...)
	clock, digits := uint32(rest), uint32(fraction)
	text := [18]byte{2: ':', 5: ':', 8: '.'}
	putTwo(text[0:2], clock/3600)
	putTwo(text[3:5], clock/60%60)
	putTwo(text[6:8], clock%60)
	if digits == 0 {
		return append(append(b, text[:8]...), 'Z')
	}
	text[9] = '0' + byte(digits/100_000_000)
	putTwo(text[10:12], digits/1_000_000%100)
	putTwo(text[12:14], digits/10_000%100)
	putTwo(text[14:16], digits/100%100)
	putTwo(text[16:18], digits%100)
	end := len(text)
	for text[end-1] == '0' {
		end--
	}
	return append(append(b, text[:end]...), 'Z')
}

// putTwo writes a number below 100.
func putTwo(b []byte, n uint32) { b[0], b[1] = '0'+byte(n/10), '0'+byte(n%10) }

// Encode is [json.Marshal] without the escapes for HTML, which JSON readers do not need.
func Encode(v any) ([]byte, error) { return encode(v, "") }

// EncodeFile is [Encode] for files: indented by two spaces, with a line end.
func EncodeFile(v any) ([]byte, error) {
	text, err := encode(v, "  ")
	if err != nil {
		return nil, err
	}
	return append(text, '\n'), nil
}

func encode(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
