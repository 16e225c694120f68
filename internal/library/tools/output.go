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
