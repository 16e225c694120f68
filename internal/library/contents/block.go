package contents

import (
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/media"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

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
