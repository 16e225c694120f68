package protocol

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

// A Client is an MCP client inside the process. It passes calls to a handler as a transport does, and returns the JSON that a client
// would get. Commands use it to show authors what clients get.
type Client struct {
	handler Handler
	caller  string
	most    int // bytes of an answer; 0: no bound
}

// NewClient returns a client with a session of the last protocol version that begins with initialize,
// which most clients use.
func NewClient(h Handler) *Client { return &Client{handler: h} }

// ClientOf is [NewClient] for one of several callers, whose answers have at most some bytes.
func ClientOf(h Handler, caller string, most int) *Client { return &Client{h, caller, most} }

// Call returns the JSON result of a call. params is encoded as JSON; nil means no parameters.
// failed reports that the result is the error result of a tool. The error is an [*Error]
// for clients to read.
func (c *Client) Call(ctx context.Context, method string, params any) (result json.RawMessage, failed bool, err error) {
	call := &Call{ID: []byte("1"), Method: method, Version: LastHandshake, Caller: c.caller, Shared: c.caller != ""}
	if params != nil {
		if call.Params, err = jsonwire.Encode(params); err != nil {
			return nil, false, err
		}
	}
	return c.answer(ctx, call)
}

// Get decodes the result of a call.
func (c *Client) Get(ctx context.Context, method string, params, result any) error {
	data, _, err := c.Call(ctx, method, params)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, result); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return nil
}

// Pages yields the items of each page of a list, which are in a member of its results. It skips empty pages.
func Pages[T any](ctx context.Context, c *Client, method, member string, params map[string]string) iter.Seq2[[]T, error] {
	return func(yield func([]T, error) bool) {
		asked := map[string]string{}
		maps.Copy(asked, params)
		for {
			var page map[string]json.RawMessage
			var items []T
			err := c.Get(ctx, method, asked, &page)
			if err == nil {
				err = json.Unmarshal(page[member], &items)
			}
			if (err != nil || len(items) > 0) && !yield(items, err) || err != nil {
				return
			}
			cursor := ""
			if json.Unmarshal(page["nextCursor"], &cursor) != nil {
				return // the last page has none
			}
			asked["cursor"] = cursor
		}
	}
}

// Discover returns the result of server/discover, which needs no session.
func (c *Client) Discover(ctx context.Context) (json.RawMessage, error) {
	params, err := jsonwire.Encode(map[string]any{"_meta": map[string]any{
		MetaVersion:      FirstStateless,
		MetaClientInfo:   map[string]string{"name": "mcp-docs-server", "version": "1"},
		MetaCapabilities: map[string]any{},
	}})
	if err != nil {
		return nil, err
	}
	result, _, err := c.answer(ctx, &Call{ID: []byte("1"), Method: "server/discover", Params: params})
	return result, err
}

func (c *Client) answer(ctx context.Context, call *Call) (json.RawMessage, bool, error) {
	result, err := c.handler.Answer(ctx, call)
	if err != nil {
		return nil, false, err
	}
	defer result.Release()
	out := bounded{most: c.most}
	w := jsonwire.NewWriter(&out)
	if err := cmp.Or(result.WriteJSON(w), w.Flush()); err != nil {
		return nil, false, fmt.Errorf("%s: %w", call.Method, err)
	}
	return out.Bytes(), Failed(result), nil
}

// A bounded buffer returns an error when it would get too large.
type bounded struct {
	bytes.Buffer
	most int
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.most > 0 && b.Len()+len(p) > b.most {
		return 0, errors.New("the answer is too large to be shown here")
	}
	return b.Buffer.Write(p)
}

// A Block is a part of a message or of the answer of a tool, as a client reads it (MCP, data type ContentBlock).
type Block struct {
	Type     string    `json:"type"`
	Text     string    `json:"text"`
	MIMEType string    `json:"mimeType"`
	Data     []byte    `json:"data"`     // of an image or a sound
	Resource *Contents `json:"resource"` // an embedded resource

	URI         string `json:"uri"` // URI, Name and Description belong to a resource_link
	Name        string `json:"name"`
	Description string `json:"description"`
}

// Contents are one of the contents of an answer to resources/read, or an embedded resource: a text or a blob.
type Contents struct {
	URI      string  `json:"uri"`
	MIMEType string  `json:"mimeType"`
	Text     *string `json:"text"` // nil: a blob
	Blob     []byte  `json:"blob"`
}

// Bytes returns the text or the blob.
func (c *Contents) Bytes() []byte {
	if c.Text != nil {
		return []byte(*c.Text)
	}
	return c.Blob
}
