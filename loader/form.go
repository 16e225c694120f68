package loader

import (
	"context"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/media"
)

// Content is a file as a client gets it.
type Content struct {
	// Text is the file as text. It is empty for a blob, which consists of the exact bytes of the
	// file.
	Text   string
	IsText bool
	MIME   string // as declared, or else type/subtype in lower case
}

// Content reads a whole resource, as text or bytes. data holds the bytes of the file; for a blob,
// they are the content. A file of more than limit bytes is a [TooLargeError]. If the file has just
// changed, Content waits and reads it again, see [Attempts].
func (c *Catalog) Content(r Resource, limit int64) (content Content, data []byte, err error) {
	err = settled(context.Background(), func(attempts *Attempts) (err error) {
		data, _, err = c.Read(r, limit, func(n int) []byte { return make([]byte, n) }, attempts)
		return err
	})
	if err != nil {
		return Content{}, nil, err
	}
	content = Content(media.Classify(r.Name(), c.declared(r), data))
	if content.IsText && !c.Classify(r, data).Text() {
		content.Text, content.IsText = "", false
	}
	return content, data, nil
}

// declared returns the MIME type of the resource's template, or "".
func (c *Catalog) declared(r Resource) string {
	if entry, ok := r.Template(); ok {
		return c.options.Templates.Entries()[entry].MIMEType
	}
	return ""
}

// A Classification says in which form a client gets the bytes of a file, and why.
type Classification struct {
	MIME   string
	Origin Origin
	Form   Form
	Rule   FormRule
	Known  string // used by the rule IsBinary; a template may declare another
}

// Text reports whether a client gets the file as text. Otherwise the client gets a blob of its
// exact bytes.
func (j Classification) Text() bool { return j.Form != Blob }

// Origin says where the MIME type of a file comes from.
type Origin string

const (
	FromTemplate  = Origin(media.Declared)
	FromName      = Origin(media.WholeName) // such as Makefile
	FromExtension = Origin(media.Extension)
	FromContent   = Origin(media.Sniffed) // its first bytes
	// text/plain, or application/octet-stream for binary data
	FromDefault = Origin(media.Default)
)

// Form is the form in which a client gets the bytes of a file.
type Form string

const (
	Blob  = Form(media.Blob)
	UTF8  = Form(media.UTF8)
	UTF16 = Form(media.UTF16) // decoded by [Catalog.Content]
)

// FormRule is a rule that decides between text and blob. The first rule that matches decides.
type FormRule string

const (
	IsEmpty  = FormRule(media.Empty)
	IsBinary = FormRule(media.BinaryType) // even if all bytes are letters
	IsUTF8   = FormRule(media.ValidUTF8)
	IsUTF16  = FormRule(media.ValidUTF16)
	IsOther  = FormRule(media.Other)

	IsOfSkill FormRule = "the bytes are UTF-16, and clients compare the bytes of a skill with a digest"
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
