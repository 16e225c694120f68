package server

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/notify"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

// A handler answers with the call itself.
type handler struct{ released int }

type result struct {
	h      *handler
	text   string
	broken bool
}

func (h *handler) Open(string) *notify.Subscriber { return nil }

func (h *handler) Answer(_ context.Context, c *protocol.Call) (protocol.Result, error) {
	if c.Method == "wrong" {
		return nil, &jsonrpc.Error{Code: -32601, Message: "unknown method"}
	}
	return &result{h, c.Method + " " + c.Version + " " + string(c.Params), c.Method == "broken"}, nil
}

func (r *result) WriteJSON(w *jsonwire.Writer) error {
	if r.broken {
		return errors.New("cut")
	}
	w.String(r.text)
	return nil
}
func (r *result) Release()     { r.h.released++ }
func (r *result) Failed() bool { return r.text[0] == 'f' }

func TestClient(t *testing.T) {
	h := new(handler)
	c := NewClient(h)
	for _, test := range []struct {
		method string
		params any
		want   string
		failed bool
		err    string
	}{
		{"list", nil, "list 2025-11-25 ", false, ""},
		{"fail", map[string]string{"a": "<"}, `fail 2025-11-25 {"a":"<"}`, true, ""},
		{"wrong", nil, "", false, "unknown method"},
		{"broken", nil, "", false, "broken: cut"},
	} {
		out, failed, err := c.Call(t.Context(), test.method, test.params)
		var got string
		if err == nil {
			must.Do(t, json.Unmarshal(out, &got))
		} else if err.Error() != test.err {
			t.Errorf("%s: error %v, want %s", test.method, err, test.err)
		}
		if got != test.want || failed != test.failed {
			t.Errorf("%s: %q, %t", test.method, got, failed)
		}
	}
	if h.released != 3 {
		t.Errorf("%d of 3 results are released", h.released)
	}
}
