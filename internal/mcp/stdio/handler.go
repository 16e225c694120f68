package stdio

import (
	"context"
	"fmt"
	"sync"

	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/notify"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

// answer has the handler answer a call that runs.
func (c *conn) answer(call *call) {
	defer call.end()
	call.own.Version = c.ledger.negotiated()
	progress := c.reporting(call)
	result, err := c.handler.Answer(call.ctx, call.own)
	// It can be cancelled until the first byte of its answer.
	finish := sync.OnceFunc(func() { c.ledger.finishCall(call) })
	defer func() {
		finish()
		c.ledger.written(call)
	}()
	if result != nil {
		defer result.Release() // before the session may end
	}
	c.report(c.writer.put(call.ctx, func(json *jsonwire.Writer) error {
		if finish(); call.cancelled {
			return errNoFrame
		}
		if n, ok := progress.Take(); ok {
			writeNotification(json, n)
			json.RawString("\n")
		}
		return writeAnswer(json, call, result, err)
	}))
}

// reporting has the notifications that belong to a call written until its context ends.
func (c *conn) reporting(call *call) *notify.Latest {
	latest := notify.NewLatest()
	begin := sync.OnceFunc(func() {
		c.answering.start(func() {
			for {
				select {
				case <-latest.Wake():
				case <-call.ctx.Done():
					return
				}
				c.report(c.writer.put(call.ctx, func(json *jsonwire.Writer) error {
					n, ok := latest.Take() // not before its turn: the answer takes it otherwise
					if !ok {
						return errNoFrame
					}
					writeNotification(json, n)
					return nil
				}))
			}
		})
	})
	call.own.Notify = func(n notify.Notification) {
		latest.Put(n)
		begin()
	}
	return latest
}

func writeNotification(json *jsonwire.Writer, n notify.Notification) {
	json.RawString(`{"jsonrpc":"2.0","method":"` + n.Method + `","params":`)
	json.Raw(n.Params)
	json.RawString("}")
}

// writeAnswer writes the frame of a call that the handler has answered.
func writeAnswer(json *jsonwire.Writer, call *call, result protocol.Result, err error) error {
	if err != nil {
		for _, part := range protocol.ErrorFrame(call.raw, protocol.WireError(err)) {
			json.Raw(part)
		}
		return nil
	}
	_, err = protocol.WriteResult(json, call.raw, result)
	return err
}

// report has the session end with an error of the output.
func (c *conn) report(failure error) {
	if failure == nil || failure == errNoFrame {
		return
	}
	select {
	case c.failed <- fmt.Errorf("stdio: write: %w", failure):
	default: // it is known already
	}
}

// completeBatch answers a batch if it has waited for nothing but that.
func (c *conn) completeBatch(ctx context.Context, b *batch) error {
	if !c.ledger.complete(b) {
		return nil
	}
	if b.own() != nil {
		c.answering.start(func() { c.answerBatch(b) })
		return nil
	}
	return c.send(ctx, b.frame())
}

// answerBatch writes the array of a batch that has calls for the handler, and
// answers these one after the other meanwhile.
func (c *conn) answerBatch(b *batch) {
	defer c.ledger.endBatch()
	defer func() {
		for _, e := range b.entries {
			if e.call != nil && e.call.own != nil {
				e.call.end()
				if c.ledger.finishCall(e.call) { // it was not answered
					c.ledger.written(e.call)
				}
			}
		}
	}()
	ctx, release, err := c.handler.Reserve(c.ctx, b.own().own)
	if err != nil {
		return // the connection is closed
	}
	defer release()
	c.report(c.writer.put(ctx, func(json *jsonwire.Writer) error {
		begun := false
		for _, e := range b.entries {
			separate := func() {
				if begun {
					json.RawString(",")
				} else {
					json.RawString("[")
				}
				begun = true
			}
			if e.answer != nil {
				separate()
				for _, part := range e.answer {
					json.Raw(part)
				}
			} else if e.call != nil {
				if err := c.answerEntry(ctx, json, e.call, separate); err != nil {
					return err
				}
			}
		}
		if !begun {
			return errNoFrame
		}
		json.RawString("]")
		return nil
	}))
}

// answerEntry answers a call of a batch, unless it is cancelled before the
// first byte of its answer.
func (c *conn) answerEntry(ctx context.Context, json *jsonwire.Writer, call *call, separate func()) error {
	if !c.ledger.begin(call) {
		return nil
	}
	// It ends with the call as well as with the connection, and has what was reserved.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(call.ctx, cancel)()
	call.own.Version = c.ledger.negotiated()
	result, err := c.handler.Answer(ctx, call.own)
	c.ledger.finishCall(call)
	defer c.ledger.written(call)
	if result != nil {
		defer result.Release() // before the session may end
	}
	if call.cancelled {
		return nil
	}
	separate()
	return writeAnswer(json, call, result, err)
}

// notify writes notifications until the connection is closed.
func (c *conn) notify() {
	defer close(c.notified)
	for {
		n, err := c.subscriber.Next(c.ctx)
		if err != nil {
			return
		}
		failure := c.writer.put(c.ctx, func(json *jsonwire.Writer) error {
			writeNotification(json, n)
			return nil
		})
		if c.report(failure); failure != nil {
			return
		}
	}
}
