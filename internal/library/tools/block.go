package tools

import (
	"strconv"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/contents"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

// A Block is a part of the answer of another package's tool (MCP, data type ContentBlock). At most one
// field is set; if none is, it is an empty text.
type Block struct {
	Text     string
	Image    *Image
	Resource *Resource
	Link     *Link
}

// An Image is a picture.
type Image struct {
	MIME string
	Data []byte
}

// A Resource has its contents in the answer.
type Resource struct {
	URI         string
	Name        string
	MIME        string
	Description string
	Text        string
	Blob        []byte // instead of Text, if it is not nil
}

// A Link names a resource that the client can read.
type Link struct {
	URI         string
	Name        string
	Title       string
	MIME        string
	Description string
	Size        int64 // bytes; 0: unknown
}

// Answer returns the answer of another package's tool.
func Answer(blocks ...Block) *Output {
	o := &Output{}
	for i := range blocks {
		switch b := &blocks[i]; {
		case b.Image != nil:
			o.blocks = append(o.blocks, contents.ImageBlock(b.Image.MIME, b.Image.Data))
		case b.Resource != nil, b.Link != nil:
			o.blocks = append(o.blocks, b)
		default:
			o.blocks = append(o.blocks, &contents.Block{Text: b.Text})
		}
	}
	return o
}

// FailedAnswer returns an output that says that the tool failed, with the blocks that explain it.
func FailedAnswer(blocks ...Block) *Output {
	o := Answer(blocks...)
	o.isError = true
	return o
}

// WriteJSON writes the block as an object.
func (b *Block) WriteJSON(w *jsonwire.Writer, _ *contents.Scratch) error {
	switch {
	case b.Resource != nil:
		w.RawString(`{"type":"resource","resource":{"uri":`)
		w.String(b.Resource.URI)
		member(w, "name", b.Resource.Name)
		member(w, "mimeType", b.Resource.MIME)
		member(w, "description", b.Resource.Description)
		if b.Resource.Blob != nil {
			w.RawString(`,"blob":"`)
			w.Base64(b.Resource.Blob)
			w.RawString(`"`)
		} else {
			w.RawString(`,"text":`)
			w.String(b.Resource.Text)
		}
		w.RawString("}")
	case b.Link != nil:
		w.RawString(`{"type":"resource_link","uri":`)
		w.String(b.Link.URI)
		w.RawString(`,"name":`)
		w.String(b.Link.Name)
		member(w, "title", b.Link.Title)
		member(w, "mimeType", b.Link.MIME)
		member(w, "description", b.Link.Description)
		if b.Link.Size > 0 {
			w.RawString(`,"size":` + strconv.FormatInt(b.Link.Size, 10))
		}
	}
	w.RawString("}")
	return nil
}

// member writes a member of an object after others, unless its value is empty.
func member(w *jsonwire.Writer, name, value string) {
	if value != "" {
		w.RawString(`,"` + name + `":`)
		w.String(value)
	}
}
