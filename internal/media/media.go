// Package media says what a file is: its MIME type, and whether a client gets
// it as text or as bytes.
//
// The name speaks first. A table within the program maps extensions to types,
// as npm's mime-types does with mime-db, but with the types that a folder of
// documentation and source code means (.ts is TypeScript and not a video), and
// knows some whole names such as Makefile. The MIME files of the machine are
// never read. Where the name says nothing, the first bytes are sniffed.
//
// Text or bytes is then decided without regard to a type that somebody
// declared for the file:
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
// So nothing is ever replaced, and text can be turned back into the bytes of
// the file.
//
// The reported type is the declared one, else that of the name, else what
// sniffing found; except that text of no sniffed kind is text/plain, and
// bytes that only looked like plain text are application/octet-stream.
package media

// Content is a file as a client gets it.
type Content struct {
	// Text is the file as text. It is empty for a blob, which consists of the
	// exact bytes of the file.
	Text   string
	IsText bool
	MIME   string // as declared, or else type/subtype in lower case
}

// Form is how the bytes of a file become what a client gets.
type Form uint8

const (
	Blob  Form = iota // as they are
	UTF8              // they are the text
	UTF16             // they are the text once [Decode] has decoded them
)

// Judge decides between text and blob for the whole contents of a file, and names its type. Only the last element of name
// counts. A declared type that is not empty is the one reported and has no other influence.
func Judge(name, declared string, data []byte) (mime string, form Form) {
	f := identify(name, func() []byte { return data })
	if len(data) == 0 {
		form = UTF8
	} else if !Binary(f.mime) {
		form = formOf(data)
	}
	return f.report(declared, form != Blob), form
}

// JudgeHead is [Judge] for a file that is too large to be given whole and does not start as UTF-16: head is its first
// [SniffLen] bytes, and utf8 tells whether all of it is valid UTF-8 without U+0000.
func JudgeHead(name, declared string, head []byte, utf8 bool) (mime string, isText bool) {
	f := identify(name, func() []byte { return head })
	isText = len(head) == 0 || utf8 && !Binary(f.mime)
	return f.report(declared, isText), isText
}

// StartsUTF16 reports whether data starts with a byte order mark of UTF-16.
func StartsUTF16(data []byte) bool {
	o := byteOrder(data)
	return o == utf16LE || o == utf16BE
}

// Classify is [Judge] with the text as a string.
func Classify(name, declared string, data []byte) Content {
	mime, form := Judge(name, declared, data)
	c := Content{MIME: mime, IsText: form != Blob}
	switch form {
	case UTF8:
		c.Text = string(data)
	case UTF16:
		c.Text = string(Decode(data))
	}
	return c
}

// Listed returns the type that [Classify] reports for a file, asking for the
// start of the file only where neither the declaration nor the name says it.
// Head returns the first [SniffLen] bytes, or all if there are fewer. The two
// can differ only where the name says nothing and the head looks like text but
// something after it is not.
func Listed(name, declared string, head func() []byte) string {
	if declared != "" {
		return declared
	}
	var start []byte
	f := identify(name, func() []byte {
		start = head()
		start = start[:min(len(start), SniffLen)]
		return start
	})
	if !f.sniffed {
		return f.mime
	}
	text := len(start) == 0 || !Binary(f.mime) && textual(start, len(start) == SniffLen)
	return f.report("", text)
}

// finding is the type of a file as far as its name and its head tell.
type finding struct {
	mime    string
	sniffed bool // the name says nothing
}

func identify(name string, head func() []byte) finding {
	if mime, ok := ByName(name); ok {
		return finding{mime: mime}
	}
	return finding{mime: Sniff(head()), sniffed: true}
}

// report returns the type to name to a client for a file that turned out to be
// text or not.
func (f finding) report(declared string, text bool) string {
	switch {
	case declared != "":
		return declared
	case f.sniffed && text && f.mime == octets:
		return plain
	case f.sniffed && !text && f.mime == plain:
		return octets
	}
	return f.mime
}
