package stdio

import (
	"context"
	"fmt"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/mcp-docs-server/mcp-docs-server/internal/jsonwire"
)

// A Shortcut takes calls over that need nothing of the SDK, which encodes each
// result three times and decodes each request twice. It returns the function
// that answers the call, or nil to leave the call to the SDK. version is the
// protocol version that initialize was answered with, or "".
//
// All else is as for other calls: they count among those that run, they can be
// cancelled, which ends ctx, and the end of the input waits for them.
type Shortcut func(req *jsonrpc.Request, version string) func(ctx context.Context) (Result, error)

// A Result is the result of a call, yet to be encoded.
type Result interface {
	// WriteJSON writes the result, in parts that a slow client may hold up for
	// any time. It is called once at the most. An error leaves the frame cut and
	// ends the connection.
	WriteJSON(w *jsonwire.Writer) error
	// Release gives back what the result holds. It is called once.
	Release()
}

// takeOver answers a call that runs.
func (c *conn) takeOver(call *call, answer func(ctx context.Context) (Result, error)) {
	ctx, cancel := context.WithCancel(c.ctx)
	c.ledger.onCancel(call, cancel)
	go func() {
		defer cancel()
		result, err := answer(ctx)
		if result != nil {
			defer result.Release()
		}
		// It can be cancelled until the first byte of its answer.
		finish := sync.OnceFunc(func() { c.ledger.finish(call.id) })
		defer func() {
			finish()
			c.ledger.written(call)
		}()
		failure := c.writer.put(ctx, func(json *jsonwire.Writer) error {
			if finish(); call.cancelled {
				return errNoFrame
			}
			if err != nil {
				for _, part := range errorFrame(call.raw, wireError(err)) {
					json.Raw(part)
				}
				return nil
			}
			json.Raw(head(call.raw, "result"))
			if err := result.WriteJSON(json); err != nil {
				return err
			}
			json.RawString("}")
			return nil
		})
		if failure != nil && failure != errNoFrame {
			select {
			case c.failed <- fmt.Errorf("stdio: write: %w", failure):
			default: // it is known already
			}
		}
	}()
}
