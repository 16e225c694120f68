package contents

import (
	"encoding/base64"
	"unicode/utf8"
	"unsafe"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/media"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// A Contents has the files that were read. It is the body of the answer to resources/read.
type Contents struct {
	Files  []Content
	budget *Budget // or nil
}

// A Content is one file (MCP, "Resources", data types TextResourceContents and
// BlobResourceContents).
type Content struct {
	URI, MIME string
	IsText    bool
	Absent    bool // [Reader.ReadEach] left it out

	form   loader.Form
	data   []byte    // the bytes of the file
	long   *longFile // instead of data
	buffer *Buffer   // holds data, or nil
	text   []byte    // data decoded from UTF-16, if [Reader.ReadWhole] read it

	escaped []byte  // data as a part of a JSON string, or nil
	second  *Buffer // holds text, or nil
}

// Size returns the number of bytes of the file.
func (c *Content) Size() int64 {
	if c.long != nil {
		return c.long.size
	}
	return int64(len(c.data))
}

// Text returns the text of a file that [Reader.ReadWhole] read. It is valid until the contents are
// released.
func (c *Content) Text() string {
	text := c.data
	if c.form == loader.UTF16 {
		text = c.text
	}
	// a copy would be as large as the file
	return unsafe.String(unsafe.SliceData(text), len(text))
}

// decode keeps the text of a UTF-16 file next to its bytes, if it has at most room bytes. It returns
// the size of the text: 0 for other files.
func (c *Content) decode(room int64) (size int64, ok bool) {
	if c.form != loader.UTF16 {
		return 0, true
	}
	length := media.DecodedLen(c.data)
	if size = int64(length); size > room {
		return size, false
	}
	c.second = NewBuffer(length + utf8.UTFMax)
	c.text = media.Decode(c.data, c.second.Data)
	return size, true
}

// Bytes returns the bytes of a file that is held whole. They are valid until the contents are
// released.
func (c *Content) Bytes() []byte { return c.data }

// Showable reports whether a file can be an image block.
func (c *Content) Showable() bool { return !c.IsText && media.Showable(c.MIME, c.data) }

// Pointer reports whether a file is a pointer of Git LFS.
func (c *Content) Pointer() bool { return c.IsText && media.Pointer(c.data) }

// Release gives back the memory of the files.
func (r *Contents) Release() {
	free(r.Files)
	r.Files = nil
	r.budget.Release()
}

// free gives back the buffers of files.
func free(files []Content) {
	for i := range files {
		for _, b := range []*Buffer{files[i].buffer, files[i].second} {
			if b != nil {
				b.Free()
			}
		}
	}
}

// WriteJSON writes the member contents of the answer. It is called at most once; after an error, the
// JSON is incomplete.
func (r *Contents) WriteJSON(w *jsonwire.Writer) error {
	var memory Scratch
	w.RawString(`"contents":[`)
	for i := range r.Files {
		if i > 0 {
			w.RawString(",")
		}
		if err := r.Files[i].writeJSON(w, r.Files[i].MIME, &memory); err != nil {
			return err
		}
	}
	w.RawString("]")
	return nil
}

func (c *Content) writeJSON(w *jsonwire.Writer, mime string, memory *Scratch) error {
	w.RawString(`{"uri":`)
	w.String(c.URI)
	w.RawString(`,"mimeType":`)
	w.String(mime)
	if c.IsText {
		w.RawString(`,"text":"`)
	} else {
		w.RawString(`,"blob":"`)
	}
	if err := c.writeData(w, memory); err != nil {
		return err
	}
	w.RawString(`"}`)
	return nil
}

// writeData writes the text or the bytes, without the quotes around them.
func (c *Content) writeData(w *jsonwire.Writer, memory *Scratch) error {
	switch {
	case c.long != nil:
		return c.long.write(w, memory)
	case c.escaped != nil:
		w.Raw(c.escaped)
	case c.form == loader.UTF16:
		for part := range media.Decoded(c.data, memory.bytes()) {
			w.Text(part)
		}
	case c.IsText:
		w.Text(c.data)
	default:
		w.Base64(c.data)
	}
	return nil
}

// encodedSize returns the number of bytes of the text or base64 in JSON. scratch returns working
// memory.
func (c *Content) encodedSize(scratch func() []byte) int64 {
	switch {
	case c.form == loader.UTF16:
		size := 0
		for part := range media.Decoded(c.data, scratch()) {
			size += jsonwire.EscapedLen(part)
		}
		return int64(size)
	case c.IsText:
		return int64(jsonwire.EscapedLen(c.data))
	}
	return c.EncodedSize()
}

// EncodedSize returns the number of bytes of the file in base64.
func (c *Content) EncodedSize() int64 {
	return (c.Size() + 2) / 3 * int64(base64.StdEncoding.EncodedLen(3))
}

// A Block is a part of the answer of a tool or a prompt (MCP, data type ContentBlock): a text, or a
// file as an image or as an embedded resource.
type Block struct {
	Text    string
	File    *Content // instead of the text
	IsImage bool     // the file is shown as an image
}

// Empty reports whether the block is an empty text, which clients refuse.
func (b *Block) Empty() bool { return b.File == nil && b.Text == "" }

// ImageBlock returns an image as a block.
func ImageBlock(mime string, data []byte) *Block {
	return &Block{File: &Content{MIME: mime, data: data}, IsImage: true}
}

// WriteJSON writes the block as an object. The blocks of an answer share their scratch memory.
func (b *Block) WriteJSON(w *jsonwire.Writer, memory *Scratch) error {
	switch {
	case b.File == nil:
		w.RawString(`{"type":"text","text":`)
		w.String(b.Text)
	case b.IsImage:
		w.RawString(`{"type":"image","mimeType":`)
		w.String(b.File.MIME)
		w.RawString(`,"data":"`)
		if err := b.File.writeData(w, memory); err != nil {
			return err
		}
		w.RawString(`"`)
	default:
		w.RawString(`{"type":"resource","resource":`)
		mime := b.File.MIME
		if media.Visible(mime) && !b.File.Showable() {
			mime = media.Octets // clients make images of embedded resources too
		}
		if err := b.File.writeJSON(w, mime, memory); err != nil {
			return err
		}
	}
	w.RawString("}")
	return nil
}
