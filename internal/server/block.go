package server

import (
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/jsonwire"
)

// A block is a part of what a tool or a prompt answers (MCP, data type ContentBlock): a text, or a
// file as an image or as an embedded resource.
type block struct {
	text    string
	file    *content // instead of the text
	isImage bool     // of the file
}

// showable reports whether a file can be an image block.
func (c *content) showable() bool { return !c.isText && strings.HasPrefix(c.mime, "image/") }

func (b *block) writeJSON(w *jsonwire.Writer, memory *chunks) error {
	switch {
	case b.file == nil:
		w.RawString(`{"type":"text","text":`)
		w.String(b.text)
	case b.isImage:
		w.RawString(`{"type":"image","mimeType":`)
		w.String(b.file.mime)
		w.RawString(`,"data":"`)
		if err := b.file.writeData(w, memory); err != nil {
			return err
		}
		w.RawString(`"`)
	default:
		w.RawString(`{"type":"resource","resource":`)
		if err := b.file.writeJSON(w, memory); err != nil {
			return err
		}
	}
	w.RawString("}")
	return nil
}

// An output is what a tool answers. It is the body of the answer to tools/call.
type output struct {
	blocks  []block
	held    *contents // that the blocks have files of, or nil
	isError bool
}

func text(s string) *output { return &output{blocks: []block{{text: s}}} }

func (o *output) writeJSON(w *jsonwire.Writer) error {
	var memory chunks
	w.RawString(`"content":[`)
	for i := range o.blocks {
		if i > 0 {
			w.RawString(",")
		}
		if err := o.blocks[i].writeJSON(w, &memory); err != nil {
			return err
		}
	}
	w.RawString("]")
	if o.isError {
		w.RawString(`,"isError":true`)
	}
	return nil
}

func (o *output) release() {
	if o.held != nil {
		o.held.release()
	}
}
