package page

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/mcp/server"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

// maxAnswer is how many bytes of an answer are shown.
const maxAnswer = 4 << 20

var errTooLarge = errors.New("the answer is too large to be shown here")

// A bounded buffer returns an error when it would get too large.
type bounded struct{ bytes.Buffer }

func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > maxAnswer {
		return 0, errTooLarge
	}
	return b.Buffer.Write(p)
}

// call makes an MCP call in the name of the viewer and returns the result as JSON.
func (q *request) call(method string, params any) (json.RawMessage, error) {
	encoded, err := jsonwire.Encode(params)
	if err != nil {
		return nil, err
	}
	result, err := q.site.Server.Answer(q.ctx, q.protocolCall(method, encoded))
	if err != nil {
		return nil, err
	}
	defer result.Release()
	var out bounded
	w := jsonwire.NewWriter(&out)
	if err := errors.Join(result.WriteJSON(w), w.Flush()); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func (q *request) protocolCall(method string, params []byte) *protocol.Call {
	return &protocol.Call{
		ID: []byte("1"), Method: method, Params: params, Version: protocol.LastHandshake, Caller: q.caller.Key, Shared: true,
	}
}

// visit runs work on the project in the name of the viewer. what is the method in logs, and about
// the resource or text that the visit concerns.
func (q *request) visit(what, about string, work func(context.Context, server.View) error) error {
	params, err := jsonwire.Encode(map[string]string{"uri": about})
	if err != nil {
		return err
	}
	return q.site.Server.Visit(q.ctx, q.protocolCall(what, params), work)
}

// explainError returns the message of an error for viewers.
func explainError(err error) string {
	if rpc, ok := errors.AsType[*protocol.Error](err); ok {
		return rpc.Message
	}
	return strings.TrimSpace(err.Error())
}
