package page

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

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
	began := time.Now()
	c := q.protocolCall(method, encoded)
	result, err := q.site.Server.Answer(q.ctx, c)
	var out bounded
	failed := false
	if err == nil {
		failed = protocol.Failed(result)
		w := jsonwire.NewWriter(&out)
		if err = result.WriteJSON(w); err == nil {
			err = w.Flush()
		}
		result.Release()
	}
	q.note(c, began, out.Len(), failed, err)
	if err != nil {
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
	began := time.Now()
	c := q.protocolCall(what, params)
	err = q.site.Server.Visit(q.ctx, c, work)
	q.note(c, began, 0, false, err)
	return err
}

// note adds a call to the viewer's log.
func (q *request) note(c *protocol.Call, began time.Time, bytes int, failed bool, err error) {
	outcome := "ok"
	switch {
	case err != nil:
		outcome = explainError(err)
	case failed:
		outcome = "the tool reports an error"
	}
	subject := ""
	jsonwire.Members(c.Params, func(key string, value []byte) {
		if key == "uri" || key == "name" || key == "query" {
			subject, _ = jsonwire.Unquote(value)
		}
	})
	q.log.Add(q.caller.Key, Entry{
		Time: began, Site: q.site.Name, Method: c.Method, Subject: subject, Outcome: outcome, Bytes: int64(bytes), Took: time.Since(began), Page: true,
	})
}

// explainError returns the message of an error for viewers.
func explainError(err error) string {
	if rpc, ok := errors.AsType[*protocol.Error](err); ok {
		return rpc.Message
	}
	return strings.TrimSpace(err.Error())
}
