package streamable

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
)

// initialize has the SDK answer the first call of a session. It returns the result and the version
// that was agreed on.
func (h *Handler) initialize(ctx context.Context, call *jsonrpc.Request) (result []byte, version string, err error) {
	// The errors of the SDK for these have names of its types, or say that the server is at fault.
	if len(call.Params) == 0 || string(call.Params) == "null" {
		return nil, "", protocol.InvalidRequest("%s: params are missing", call.Method)
	}
	if err := protocol.Decode(call.Params, &mcp.InitializeParams{}); err != nil {
		return nil, "", err
	}
	hello := &handshake{call: atLeast(call), answered: make(chan *jsonrpc.Response, 1), closed: make(chan struct{})}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = h.server.Run(ctx, hello) // its answer says how it ends
	}()
	defer func() {
		cancel()
		<-ended
	}()
	select {
	case answer := <-hello.answered:
		if answer.Error != nil {
			return nil, "", protocol.WireError(answer.Error)
		}
		var agreed struct{ ProtocolVersion string }
		if err := json.Unmarshal(answer.Result, &agreed); err != nil {
			return nil, "", &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "initialize has no result"}
		}
		return answer.Result, agreed.ProtocolVersion, nil
	case <-ended:
		return nil, "", &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "initialize has no answer"}
	}
}

// atLeast is an initialize that asks for a version which this transport has, so that no older one
// is agreed on.
func atLeast(call *jsonrpc.Request) *jsonrpc.Request {
	var params map[string]json.RawMessage
	var version string
	if json.Unmarshal(call.Params, &params) != nil || json.Unmarshal(params["protocolVersion"], &version) != nil || version >= oldest {
		return call
	}
	params["protocolVersion"] = json.RawMessage(`"` + oldest + `"`)
	asked, err := json.Marshal(params)
	if err != nil {
		return call
	}
	newer := *call
	newer.Params = asked
	return &newer
}

// A handshake is a transport and connection of the SDK that has one call.
type handshake struct {
	call     *jsonrpc.Request
	read     bool
	answered chan *jsonrpc.Response // has room for one
	closing  sync.Once
	closed   chan struct{}
}

func (c *handshake) Connect(context.Context) (mcp.Connection, error) { return c, nil }

func (c *handshake) SessionID() string { return "" }

func (c *handshake) Read(ctx context.Context) (jsonrpc.Message, error) {
	if !c.read {
		c.read = true
		return c.call, nil
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-c.closed:
		return nil, io.EOF
	}
}

func (c *handshake) Write(_ context.Context, m jsonrpc.Message) error {
	if answer, ok := m.(*jsonrpc.Response); ok {
		select {
		case c.answered <- answer:
			return nil
		default:
		}
	}
	return errors.New("nothing but the answer to initialize can be sent")
}

func (c *handshake) Close() error {
	c.closing.Do(func() { close(c.closed) })
	return nil
}
