package tools

import (
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/contents"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

// An Output is the answer of a tool. It is the body of the answer to tools/call.
type Output struct {
	blocks  []block
	held    *contents.Contents // the files that blocks refer to, or nil
	isError bool
}

// A block is a part of an output.
type block interface {
	WriteJSON(*jsonwire.Writer, *contents.Scratch) error
}

func text(s string) *Output { return &Output{blocks: []block{&contents.Block{Text: s}}} }

// Failure returns an output that says that the tool failed, with the reason for the model.
func Failure(words string) *Output {
	o := text(words)
	o.isError = true
	return o
}

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
		if err := o.blocks[i].WriteJSON(w, &memory); err != nil {
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

// WriteJSON writes the block, which has a resource or a link, as an object.
func (b *Block) WriteJSON(w *jsonwire.Writer, _ *contents.Scratch) error {
	var v any = struct {
		Type     string    `json:"type"`
		Resource *Resource `json:"resource"`
	}{"resource", b.Resource}
	if b.Link != nil {
		v = struct {
			Type string `json:"type"`
			*Link
		}{"resource_link", b.Link}
	}
	data, err := jsonwire.Encode(v)
	w.Raw(data)
	return err
}
