// Package media determines the MIME type of a file, and whether a client gets the file as text or
// as bytes.
//
// The name of the file comes first. A table in the program maps extensions to types, as npm's
// mime-types does with mime-db, but with the types that are usual in a folder of documentation and
// source code (.ts is TypeScript and not a video), and with some whole names such as Makefile. The
// MIME files of the machine are never read. If the name is not in the table, the first bytes are
// sniffed. They are sniffed too if a name or a template says that a file is PNG, JPEG, GIF or WebP and
// it does not start like one, because clients cannot continue after such an image, and if the file is
// a pointer of Git LFS.
//
// A declared type has no influence on the decision between text and bytes:
//
//  1. An empty file is the empty text.
//  2. A type known to be binary, by the name or else by sniffing, is a blob.
//  3. Valid UTF-8 without U+0000 is text, unchanged: a byte order mark stays
//     as U+FEFF, line ends stay as they are.
//  4. UTF-16 with a byte order mark, well formed and without U+0000, is text,
//     character for character; the mark stays as U+FEFF.
//  5. Everything else is a blob of the exact bytes: other encodings, UTF-16
//     without a mark, UTF-32, a broken character anywhere.
//
// So no character is ever replaced, and text can be converted back to the bytes of the file.
//
// The reported type is the declared type, else the type for the name, else the sniffed type. Two
// exceptions: text without a sniffed type is text/plain, and bytes that only looked like plain text
// are application/octet-stream.
package media

import (
	_ "embed"
	"strings"
	"sync"
	"unicode/utf8"
)

// Content is a file as a client gets it.
type Content struct {
	// Text is the file as text. It is empty for a blob, which consists of the
	// exact bytes of the file.
	Text   string
	IsText bool
	MIME   string // as declared, or else type/subtype in lower case
}

// Form is the form in which a client gets the bytes of a file.
type Form string

const (
	Blob  Form = "blob"           // the exact bytes
	UTF8  Form = "text in UTF-8"  // the bytes are the text
	UTF16 Form = "text in UTF-16" // [Decode] returns the text
)

// Origin says where the type of a file comes from.
type Origin string

const (
	Declared  Origin = "by the template"
	WholeName Origin = "by the name of the file" // the whole name, such as Makefile
	Extension Origin = "by the extension"
	Sniffed   Origin = "by the content" // the first bytes
	// no other origin: text/plain for text, application/octet-stream for bytes
	Default Origin = "by default"
)

// Rule is a rule that decides between text and blob. The package comment has the same numbers.
type Rule string

const (
	// text
	Empty Rule = "the file is empty"
	// blob
	BinaryType Rule = "the type is binary"
	// text
	ValidUTF8 Rule = "the bytes are UTF-8 without U+0000"
	// text
	ValidUTF16 Rule = "the bytes are UTF-16 with a byte order mark"
	// blob
	Other Rule = "the bytes are neither UTF-8 nor UTF-16 with a byte order mark"
)

// A Verdict is the result of [Examine], with its reasons.
type Verdict struct {
	MIME   string
	Origin Origin // of MIME
	Form   Form
	Rule   Rule // that decided on Form
	// the type by name or by sniffing, which the rule BinaryType used; a declared type may differ from it
	Known string
}

// Examine decides between text and blob for the whole contents of a file, and returns its type.
// Only the last element of name counts. A declared type that is not empty is reported, unless it is an
// image and the bytes are not, and has no other influence.
func Examine(name, declared string, data []byte) Verdict {
	return examine(name, declared, data, func() (Form, Rule) { return formOf(data) })
}

// ExamineHead is [Examine] for a large file that does not start as UTF-16: head is its first
// [SniffLen] bytes, and utf8 says whether the whole file is valid UTF-8 without U+0000.
func ExamineHead(name, declared string, head []byte, utf8 bool) Verdict {
	return examine(name, declared, head, func() (Form, Rule) {
		if utf8 {
			return UTF8, ValidUTF8
		}
		return Blob, Other
	})
}

func examine(name, declared string, head []byte, other func() (Form, Rule)) Verdict {
	f := identify(name, head)
	v := Verdict{Known: f.mime}
	switch {
	case len(head) == 0:
		v.Form, v.Rule = UTF8, Empty
	case Binary(f.mime):
		v.Form, v.Rule = Blob, BinaryType
	default:
		v.Form, v.Rule = other()
	}
	v.MIME, v.Origin = f.report(declared, v.Form != Blob)
	return v
}

// StartsUTF16 reports whether data starts with a byte order mark of UTF-16.
func StartsUTF16(data []byte) bool {
	o := byteOrder(data)
	return o == utf16LE || o == utf16BE
}

// Classify is [Examine] with the text as a string.
func Classify(name, declared string, data []byte) Content {
	v := Examine(name, declared, data)
	c := Content{MIME: v.MIME, IsText: v.Form != Blob}
	switch v.Form {
	case UTF8:
		c.Text = string(data)
	case UTF16:
		c.Text = string(Decode(data, make([]byte, DecodedLen(data)+utf8.UTFMax)))
	}
	return c
}

// Listed returns the type that [Classify] reports for a file. It calls head only if neither the
// declaration nor the name gives the type. head returns the first [SniffLen] bytes, or all if there
// are fewer; if head is nil, the type is empty in that case. The results can differ only if the
// name gives no type and the head looks like text but a later part is not.
func Listed(name, declared string, head func() []byte) (mime string, origin Origin) {
	if declared != "" {
		return declared, Declared
	}
	if mime, origin := OfName(name); mime != "" || head == nil {
		return mime, origin
	}
	start := head()
	start = start[:min(len(start), SniffLen)]
	f := identify(name, start)
	text := len(start) == 0 || !Binary(f.mime) && textual(start, len(start) == SniffLen)
	return f.report("", text)
}

// finding is the type of a file by its name and its head.
type finding struct {
	mime   string
	origin Origin
	head   []byte
}

func identify(name string, head []byte) finding {
	mime, origin := OfName(name)
	f := finding{mime, origin, head}
	if mime == "" || f.contradicts(mime) || Pointer(head) {
		f.mime, f.origin = Sniff(head), Sniffed
	}
	return f
}

// contradicts reports whether a type is an image that language models take, and the file does not start like one.
func (f finding) contradicts(mime string) bool {
	return Visible(mime) && len(f.head) > 0 && picture(f.head) != mime
}

// report returns the type to report to a client, for a file that is text or not.
func (f finding) report(declared string, text bool) (mime string, origin Origin) {
	switch {
	case declared != "" && !f.contradicts(declared):
		return declared, Declared
	case f.origin == Sniffed && (f.mime == plain || f.mime == octets):
		if text {
			return plain, Default
		}
		return octets, Default
	}
	return f.mime, f.origin
}

//go:embed types.txt
var table string

// types returns the table of types.txt. The first lookup parses it, so that a start of the program does not wait for that.
var types = sync.OnceValue(func() (t struct {
	// types by extensions, which have no dots, and by whole names after "="; all in lower case
	names  map[string]string
	binary map[string]bool // whether a type is binary, if its form does not say so
}) {
	t.names, t.binary = make(map[string]string, 1500), make(map[string]bool)
	for line := range strings.Lines(table) {
		mime, names, _ := strings.Cut(strings.TrimSpace(line), " ")
		if mime == "#" {
			continue
		}
		if plain := strings.TrimRight(mime, "!~"); plain != mime {
			t.binary[plain] = mime[len(plain)] == '!'
			mime = plain
		}
		for name := range strings.FieldsSeq(names) {
			t.names[name] = mime
		}
	}
	return t
})

// maxKey is the length of the longest name in the table,
// "disposition-notification". Longer ones are not looked up.
const maxKey = 24

// ByName returns the MIME type for the last element of a slash-separated path: by its whole name if
// it is well known, else by its last extension, ignoring case. The result is the same on every
// machine.
func ByName(name string) (mime string, ok bool) {
	mime, _ = OfName(name)
	return mime, mime != ""
}

// OfName is [ByName] with the origin of the type: [WholeName] or [Extension]. The type is empty if
// there is none.
func OfName(name string) (mime string, origin Origin) {
	name = name[strings.LastIndexByte(name, '/')+1:]
	dot := strings.LastIndexByte(name, '.')
	var buf [1 + maxKey]byte
	if len(name) <= maxKey {
		if mime := types().names[string(lower(&buf, name))]; mime != "" {
			return mime, WholeName
		}
	}
	if dot >= 0 && len(name)-dot-1 <= maxKey {
		if mime := types().names[string(lower(&buf, name[dot+1:])[1:])]; mime != "" {
			return mime, Extension
		}
	}
	return "", Default
}

// lower puts "=" and s, of at most maxKey bytes, into buf, with the ASCII letters in
// lower case.
func lower(buf *[1 + maxKey]byte, s string) []byte {
	buf[0] = '='
	n := 1 + copy(buf[1:], s)
	for i, c := range buf[:n] {
		if 'A' <= c && c <= 'Z' {
			buf[i] = c + 'a' - 'A'
		}
	}
	return buf[:n]
}
