package page

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/mcp/server"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

// maxAnswer is how many bytes of an answer are shown.
const maxAnswer = 4 << 20

// A bounded buffer returns an error when it would get too large.
type bounded struct{ bytes.Buffer }

func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > maxAnswer {
		return 0, errors.New("the answer is too large to be shown here")
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

// onDisk runs work that may wait for the disk in a visit, see [server.OnDisk].
func onDisk[T any](q *request, what, about string, work func(context.Context, *docs.Library) (T, error)) (out T, err error) {
	err = q.visit(what, about, func(ctx context.Context, v server.View) error {
		library, err := v.Library(ctx)
		if err != nil {
			return err
		}
		out, err = server.OnDisk(ctx, v, about, func(ctx context.Context) (T, error) { return work(ctx, library) }, func(T) {})
		return err
	})
	return out, err
}

// explainError returns the message of an error for viewers.
func explainError(err error) string {
	if rpc, ok := errors.AsType[*protocol.Error](err); ok {
		return rpc.Message
	}
	return strings.TrimSpace(err.Error())
}
