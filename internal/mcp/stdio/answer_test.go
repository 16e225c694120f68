package stdio

import (
	"errors"
	"fmt"
	"io"
	"testing"
	"testing/synctest"

	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

func TestResultsOnTheWire(t *testing.T) {
	tests := []struct {
		name string
		resp jsonrpc.Response
		want string
	}{
		{"result", jsonrpc.Response{Result: []byte(`{"a":"<b>"}`)}, `"result":{"a":"<b>"}}`},
		{"newlines", jsonrpc.Response{Result: []byte("{\n\"a\":\r\n 1}\n")}, `"result":{"a":1}}`},
		{"no JSON", jsonrpc.Response{Result: []byte(`{"a":`)}, `"error":{"code":-32603,"message":"the result could not be encoded"}}`},
		{"nothing", jsonrpc.Response{}, `"error":{"code":-32603,"message":"the result could not be encoded"}}`},
		{"plain error", jsonrpc.Response{Error: errors.New("a < b")}, `"error":{"code":-32603,"message":"a < b"}}`},
		{"wrapped error", jsonrpc.Response{Error: fmt.Errorf("more: %w", &jsonrpc.Error{Code: -32602, Message: "x", Data: []byte(`1`)})}, `"error":{"code":-32602,"message":"more: x"}}`},
		{"error with data", jsonrpc.Response{Error: &jsonrpc.Error{Code: -32002, Message: "x", Data: []byte(`{"uri":"a"}`)}}, `"error":{"code":-32002,"message":"x","data":{"uri":"a"}}}`},
		{"data is not JSON", jsonrpc.Response{Error: &jsonrpc.Error{Code: -32002, Message: "x", Data: []byte(`{`)}}, `"error":{"code":-32002,"message":"x"}}`},
		{"message is not UTF-8", jsonrpc.Response{Error: errors.New("\xff\n")}, `"error":{"code":-32603,"message":"\ufffd\n"}}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, in, out := connect(t)
				go func() { _, _ = io.WriteString(in, ping("7")+"\n") }()
				msg, err := c.Read(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				test.resp.ID = msg.(*jsonrpc.Request).ID
				go func() {
					if err := c.Write(t.Context(), &test.resp); err != nil {
						t.Error(err)
					}
					c.Close()
				}()
				got, _ := io.ReadAll(out)
				if want := `{"jsonrpc":"2.0","id":7,` + test.want + "\n"; string(got) != want {
					t.Errorf("got  %swant %s", got, want)
				}
			})
		})
	}
}

func TestBatchBytesAreBounded(t *testing.T) {
	l := newLedger()
	b := &batch{entries: make([]entry, 2), open: 2}
	big := protocol.Frame{make([]byte, maxBatchBytes+1)}
	small := protocol.ResultFrame([]byte("2"), []byte(`{}`))
	l.answer(&call{raw: []byte("1"), batch: b}, big)
	if l.complete(b) {
		t.Error("complete too early")
	}
	l.answer(&call{raw: []byte("2"), batch: b, place: 1}, small)
	if f := b.frame(); !l.complete(b) || f.Size() > 1000 {
		t.Errorf("batch of %d bytes", f.Size())
	}
}
