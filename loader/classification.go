package loader

import "github.com/mcp-docs-server/mcp-docs-server/internal/files/media"

// A Classification says in which form a client gets the bytes of a file, and why.
type Classification struct {
	MIME   string
	Origin Origin // of MIME
	Form   Form
	Rule   FormRule // that decided on Form
	Known  string   // the type that the rule IsBinary used; a template may declare another type
}

// Text reports whether a client gets the file as text. Otherwise the client gets a blob of its
// exact bytes.
func (j Classification) Text() bool { return j.Form != Blob }

// Origin says where the MIME type of a file comes from.
type Origin string

const (
	FromTemplate  = Origin(media.Declared)
	FromName      = Origin(media.WholeName) // the whole name of the file, such as Makefile
	FromExtension = Origin(media.Extension)
	FromContent   = Origin(media.Sniffed) // the first bytes of the file
	FromDefault   = Origin(media.Default) // no other origin: text/plain for text, application/octet-stream for other bytes
)

// Form is the form in which a client gets the bytes of a file.
type Form string

const (
	Blob  = Form(media.Blob)  // the exact bytes
	UTF8  = Form(media.UTF8)  // the bytes are the text
	UTF16 = Form(media.UTF16) // the text after decoding, which [Catalog.Content] does
)

// FormRule is a rule that decides between text and blob. The first rule that matches decides.
type FormRule string

const (
	IsEmpty  = FormRule(media.Empty)      // text
	IsBinary = FormRule(media.BinaryType) // blob, even if the bytes are letters only
	IsUTF8   = FormRule(media.ValidUTF8)  // text
	IsUTF16  = FormRule(media.ValidUTF16) // text
	IsOther  = FormRule(media.Other)      // blob

	IsOfSkill FormRule = "the bytes are UTF-16, and clients compare the bytes of a skill with a digest" // blob
)

func classification(v media.Verdict) Classification {
	return Classification{MIME: v.MIME, Origin: Origin(v.Origin), Form: Form(v.Form), Rule: FormRule(v.Rule), Known: v.Known}
}

// Classify returns the form in which a client gets a resource. data is the whole file.
func (c *Catalog) Classify(r Resource, data []byte) Classification {
	j := classification(media.Examine(r.Name(), c.declared(r), data))
	if j.Form == UTF16 && r.Exact() {
		j.Form, j.Rule = Blob, IsOfSkill
	}
	return j
}

// ClassifyHead is [Catalog.Classify] for a caller that has only the first [HeadLen] bytes of a
// file, which do not start as UTF-16. utf8 says whether the whole file is UTF-8 without U+0000.
func (c *Catalog) ClassifyHead(r Resource, head []byte, utf8 bool) Classification {
	return classification(media.ExamineHead(r.Name(), c.declared(r), head, utf8))
}

// HeadLen is the number of bytes at the start of a file that its MIME type is detected from.
const HeadLen = media.SniffLen

// MIME returns the type that a list shows: the type that the template declares, else the type for
// the name, else the type detected from the first bytes of the file.
func (c *Catalog) MIME(r Resource) string {
	mime, _ := c.MIMEOrigin(r)
	return mime
}

// MIMEOrigin returns the type that a list shows, and the origin of the type. It reads the start of
// the file if it has to.
func (c *Catalog) MIMEOrigin(r Resource) (mime string, origin Origin) {
	mime, from := media.Listed(r.Name(), c.declared(r), nil)
	if mime == "" {
		f := c.contentInfo(r)
		mime, from = f.mime, f.origin
	}
	return mime, Origin(from)
}

// Content is a file as a client gets it.
type Content struct {
	// Text is the file as text. It is empty for a blob, which consists of the exact bytes of the
	// file.
	Text   string
	IsText bool
	MIME   string // as declared, or else type/subtype in lower case
}
