package server

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

// A Client is an MCP client inside the process. It passes calls to a handler as a transport does, and returns the JSON that a client
// would get. Commands use it to show authors what clients get.
type Client struct {
	handler protocol.Handler
	caller  string
	most    int // bytes of an answer; 0: no bound
}

// NewClient returns a client with a session of the last protocol version that begins with initialize,
// which most clients use.
func NewClient(h protocol.Handler) *Client { return &Client{handler: h} }

// ClientOf is [NewClient] for one of several callers, whose answers have at most some bytes.
func ClientOf(h protocol.Handler, caller string, most int) *Client { return &Client{h, caller, most} }

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

// Call returns the JSON result of a call. params is encoded as JSON; nil means no parameters.
// failed reports that the result is the error result of a tool. The error is a [*protocol.Error]
// for clients to read.
func (c *Client) Call(ctx context.Context, method string, params any) (result json.RawMessage, failed bool, err error) {
	call := &protocol.Call{ID: []byte("1"), Method: method, Version: protocol.LastHandshake, Caller: c.caller, Shared: c.caller != ""}
	if params != nil {
		if call.Params, err = jsonwire.Encode(params); err != nil {
			return nil, false, err
		}
	}
	return c.answer(ctx, call)
}

// Discover returns the result of server/discover, which needs no session.
func (c *Client) Discover(ctx context.Context) (json.RawMessage, error) {
	params, err := jsonwire.Encode(map[string]any{"_meta": map[string]any{
		protocol.MetaVersion:      protocol.FirstStateless,
		protocol.MetaClientInfo:   map[string]string{"name": "mcp-docs-server", "version": "1"},
		protocol.MetaCapabilities: map[string]any{},
	}})
	if err != nil {
		return nil, err
	}
	result, _, err := c.answer(ctx, &protocol.Call{ID: []byte("1"), Method: "server/discover", Params: params})
	return result, err
}

func (c *Client) answer(ctx context.Context, call *protocol.Call) (json.RawMessage, bool, error) {
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
	return out.Bytes(), protocol.Failed(result), nil
}
