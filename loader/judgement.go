package loader

import (
	"fmt"

	"github.com/mcp-docs-server/mcp-docs-server/internal/media"
)

// A Judgement says what the bytes of a file are to a client, and why.
type Judgement struct {
	MIME   string
	Origin Origin // of MIME
	Form   Form
	Rule   FormRule // that decided on Form
	Known  string   // the type that the rule IsBinary saw; a template may declare another one
}

// Text reports whether a client gets the file as text, else as a blob of its exact bytes.
func (j Judgement) Text() bool { return j.Form != Blob }

// Origin is where the MIME type of a file comes from.
type Origin uint8

const (
	FromTemplate  = Origin(media.Declared)
	FromName      = Origin(media.WholeName) // the whole name of the file, such as Makefile
	FromExtension = Origin(media.Extension)
	FromContent   = Origin(media.Sniffed) // the first bytes of the file
	FromDefault   = Origin(media.Default) // nothing says it: text/plain for text, application/octet-stream for other bytes
)

// String names the origin, as in "text/markdown, by the extension".
func (o Origin) String() string {
	switch o {
	case FromTemplate:
		return "by the template"
	case FromName:
		return "by the name of the file"
	case FromExtension:
		return "by the extension"
	case FromContent:
		return "by the content"
	case FromDefault:
		return "by default"
	}
	return fmt.Sprintf("Origin(%d)", uint8(o))
}

// Form is how the bytes of a file become what a client gets.
type Form uint8

const (
	Blob  = Form(media.Blob)  // as they are
	UTF8  = Form(media.UTF8)  // they are the text
	UTF16 = Form(media.UTF16) // they are the text once they are decoded; [Catalog.Content] does it
)

// String names the form.
func (f Form) String() string {
	switch f {
	case Blob:
		return "blob"
	case UTF8:
		return "text in UTF-8"
	case UTF16:
		return "text in UTF-16"
	}
	return fmt.Sprintf("Form(%d)", uint8(f))
}

// FormRule decides between text and blob. They apply in this order.
type FormRule uint8

const (
	IsEmpty  = FormRule(media.Empty)      // text
	IsBinary = FormRule(media.BinaryType) // blob, even if the bytes are letters only
	IsUTF8   = FormRule(media.ValidUTF8)  // text
	IsUTF16  = FormRule(media.ValidUTF16) // text
	IsOther  = FormRule(media.Other)      // blob
)

// String says what the rule saw, as in "a blob: the type is binary".
func (r FormRule) String() string {
	switch r {
	case IsEmpty:
		return "the file is empty"
	case IsBinary:
		return "the type is binary"
	case IsUTF8:
		return "the bytes are UTF-8 without U+0000"
	case IsUTF16:
		return "the bytes are UTF-16 with a byte order mark"
	case IsOther:
		return "the bytes are neither UTF-8 nor UTF-16 with a byte order mark"
	}
	return fmt.Sprintf("FormRule(%d)", uint8(r))
}

func judgement(v media.Verdict) Judgement {
	return Judgement{MIME: v.MIME, Origin: Origin(v.Origin), Form: Form(v.Form), Rule: FormRule(v.Rule), Known: v.Known}
}

// Judge says what the bytes of a resource are to a client. data is all of them.
func (c *Catalog) Judge(r Resource, data []byte) Judgement {
	return judgement(media.Examine(r.Name(), c.declared(r), data))
}

// JudgeHead is [Catalog.Judge] for a file of which only the first [HeadLen] bytes are at hand, and that does not start as
// UTF-16. utf8 says whether all of it is UTF-8 without U+0000.
func (c *Catalog) JudgeHead(r Resource, head []byte, utf8 bool) Judgement {
	return judgement(media.ExamineHead(r.Name(), c.declared(r), head, utf8))
}

// HeadLen is how many bytes of a file say what it looks like.
const HeadLen = media.SniffLen

// MIME returns the type that a list shows: the template's, else that of the name, else what the first bytes of the file
// look like.
func (c *Catalog) MIME(r Resource) string {
	mime, _ := c.MIMEOrigin(r)
	return mime
}

// MIMEOrigin returns the type that a list shows, with where it comes from. It reads the start of the file if it has to.
func (c *Catalog) MIMEOrigin(r Resource) (mime string, origin Origin) {
	mime, from := media.Listed(r.Name(), c.declared(r), nil)
	if mime == "" {
		f := c.fact(r)
		mime, from = f.mime, f.origin
	}
	return mime, Origin(from)
}

// Content is a file as a client gets it.
type Content struct {
	// Text is the file as text. It is empty for a blob, which consists of the exact bytes of the file.
	Text   string
	IsText bool
	MIME   string // as declared, or else type/subtype in lower case
}
