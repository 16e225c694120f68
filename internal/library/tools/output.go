package tools

import (
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/contents"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

// An Output is the answer of a tool. It is the body of the answer to tools/call.
type Output struct {
	blocks  []Block
	held    *contents.Contents // the files that blocks refer to, or nil
	isError bool
}

// A Block is a part of the answer of a tool (MCP, data type ContentBlock). At most one field is set; if none is, it is an empty text.
type Block struct {
	Text     string
	Image    *Image
	Resource *Resource
	Link     *Link
	file     *contents.Content // of Output.held
}

// An Image is a picture.
type Image struct {
	MIME string
	Data []byte
}

// A Resource has its contents in the answer.
type Resource struct {
	URI         string  `json:"uri"`
	Name        string  `json:"name,omitempty"`
	MIME        string  `json:"mimeType,omitempty"`
	Description string  `json:"description,omitempty"`
	Text        *string `json:"text,omitzero"`
	Blob        []byte  `json:"blob,omitzero"` // instead of Text, if it is not nil
}

// A Link names a resource that the client can read.
type Link struct {
	URI         string `json:"uri"`
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	MIME        string `json:"mimeType,omitempty"`
	Description string `json:"description,omitempty"`
	Size        int64  `json:"size,omitempty"` // bytes; 0: unknown
}

// Answer returns the answer of a tool.
func Answer(blocks ...Block) *Output { return &Output{blocks: blocks} }

// FailedAnswer returns an output that says that the tool failed, with the blocks that explain it.
func FailedAnswer(blocks ...Block) *Output { return &Output{blocks: blocks, isError: true} }

// Failure returns an output that says that the tool failed, with the reason for the model.
func Failure(words string) *Output { return FailedAnswer(Block{Text: words}) }

// text returns an output with one text.
func text(s string) *Output { return Answer(Block{Text: s}) }

// asText returns an output with a value as JSON.
func asText(v any) (*Output, error) {
	data, err := jsonwire.Encode(v)
	if err != nil {
		return nil, err
	}
	return text(string(data)), nil
}

// WriteJSON writes the members of the answer. It is called at most once; after an error, the JSON is
// incomplete.
func (o *Output) WriteJSON(w *jsonwire.Writer) error {
	var memory contents.Scratch
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

// Failed reports whether the tool failed.
func (o *Output) Failed() bool { return o.isError }

// Release gives back the memory of the output.
func (o *Output) Release() {
	if o.held != nil {
		o.held.Release()
	}
}

// writeJSON writes the block as an object.
func (b *Block) writeJSON(w *jsonwire.Writer, memory *contents.Scratch) error {
	var v any
	switch {
	case b.Link != nil:
		v = struct {
			Type string `json:"type"`
			*Link
		}{"resource_link", b.Link}
	case b.Resource != nil:
		v = struct {
			Type     string    `json:"type"`
			Resource *Resource `json:"resource"`
		}{"resource", b.Resource}
	case b.Image != nil:
		return contents.ImageBlock(b.Image.MIME, b.Image.Data).WriteJSON(w, memory)
	default:
		shown := contents.Block{Text: b.Text, File: b.file, IsImage: b.file != nil && b.file.Showable()}
		return shown.WriteJSON(w, memory)
	}
	data, err := jsonwire.Encode(v)
	w.Raw(data)
	return err
}
