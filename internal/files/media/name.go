package media

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed types.txt
var table string

// types returns the table of types.txt. The first lookup parses it, so that a start of the program does not wait for that.
var types = sync.OnceValue(func() (t struct {
	names  map[string]string // types by extensions, which have no dots, and by whole names after "="; all in lower case
	binary map[string]bool   // whether a type is binary, if its form does not say so
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
