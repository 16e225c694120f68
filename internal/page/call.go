package page

import (
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

// call makes an MCP call in the name of the viewer and returns the result as JSON.
func (q *request) call(method string, params any) (json.RawMessage, error) {
	result, _, err := server.ClientOf(q.site.Server, q.caller.Key, maxAnswer).Call(q.ctx, method, params)
	return result, err
}

// visit runs work on the project in the name of the viewer. what is the method in logs, and about
// the resource or text that the visit concerns.
func (q *request) visit(what, about string, work func(context.Context, server.View) error) error {
	params, err := jsonwire.Encode(map[string]string{"uri": about})
	if err != nil {
		return err
	}
	return q.site.Server.Visit(q.ctx, &protocol.Call{Method: what, Params: params, Caller: q.caller.Key, Shared: true}, work)
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
