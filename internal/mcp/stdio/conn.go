package stdio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/notify"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

const (
	// drainTimeout is how long the end of the input waits for answers. Clients
	// close our input, wait some seconds and then kill (MCP, Lifecycle,
	// Shutdown); what takes longer has nobody left to read it.
	drainTimeout = 5 * time.Second

	// closeGrace is how long Close waits for goroutines whose streams it has
	// closed. Those that can be woken are gone in microseconds.
	closeGrace = 100 * time.Millisecond

	// answerGrace is how long Close waits for answers to be given back. One
	// that has been written is gone in microseconds, with its line of an audit;
	// what waits for a client that does not read stays longer.
	answerGrace = 250 * time.Millisecond

	// maxHeld is how many messages, and maxHeldBytes how many bytes of them,
	// may be read ahead of a call that waits for room.
	maxHeld      = 64
	maxHeldBytes = 16 << 20
)

// codeRejected is the code by which the SDK knows that one message was refused
// and the connection is well.
const codeRejected = -32005

// conn is the connection of a [Transport].
type conn struct {
	in     io.Reader
	out    io.Writer
	reader *lineReader
	writer *frameWriter
	ledger *ledger
	limit  int

	handler    protocol.Handler   // or nil
	subscriber *notify.Subscriber // of the session; nil if handler is
	notified   chan struct{}      // closed when no more notifications are written
	ctx        context.Context    // of the handler's calls; ends when the connection is closed
	endCalls   context.CancelFunc
	failed     chan error // has room for one: why the output has ended
	answering  tally      // goroutines that answer calls of the handler

	closing  sync.Once
	closed   chan struct{}
	closeErr error

	// For Read only.
	held      []held // read, not yet with the SDK
	heldBytes int
	end       error            // why the input ended, nil while it has not
	drain     <-chan time.Time // ends the wait for answers after that
	expired   bool             // it has
}

// held is a message on its way to the SDK or the handler, or a batch that has
// calls for the handler.
type held struct {
	msg   jsonrpc.Message
	call  *call  // nil unless msg is a call
	batch *batch // instead of msg
	size  int
}

func newConn(t *Transport, limit int) *conn {
	widen(t.Out)
	closed := make(chan struct{})
	c := &conn{
		in:       t.In,
		out:      t.Out,
		reader:   newLineReader(t.In, limit, closed),
		writer:   newFrameWriter(t.Out, closed, t.Answered),
		ledger:   newLedger(),
		limit:    limit,
		handler:  t.Handler,
		notified: make(chan struct{}),
		failed:   make(chan error, 1),
		closed:   closed,
	}
	c.ctx, c.endCalls = context.WithCancel(context.Background())
	go c.reader.run()
	go c.writer.run()
	if c.handler == nil {
		close(c.notified)
		return c
	}
	c.subscriber = c.handler.Open("")
	go c.notify()
	return c
}

// SessionID returns nothing: sessions of stdio have no id.
func (c *conn) SessionID() string { return "" }

func (c *conn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if c.isClosed() {
			return nil, io.EOF
		}
		if msg, err := c.next(ctx); msg != nil || err != nil {
			return msg, err
		}
		if c.end != nil && len(c.held) == 0 && (c.expired || c.ledger.drained()) {
			if c.expired {
				// Answers that nobody reads must not hold up a caller that waits
				// for them to be written.
				_ = c.Close()
			}
			return nil, c.end
		}
		lines := c.reader.lines
		if c.end != nil || len(c.held) >= maxHeld || c.heldBytes >= maxHeldBytes {
			lines = nil
		}
		changed := c.ledger.changed
		if len(c.held) == 0 && c.end == nil {
			changed = nil // nothing waits for it: each answer would wake this up, and a thread to run it
		}
		select {
		case <-ctx.Done():
		case <-c.closed:
		case <-changed:
		case err := <-c.failed:
			return nil, err
		case <-c.drain:
			c.held, c.expired = nil, true
		case l := <-lines:
			if l.err != nil {
				c.end = l.err
				if l.err != io.EOF {
					c.end = fmt.Errorf("stdio: read: %w", l.err)
				}
				c.drain = time.After(drainTimeout)
				continue
			}
			if msg, err := c.accept(ctx, l); msg != nil || err != nil {
				return msg, err
			}
		}
	}
}

// next takes the first held message if there is room for it.
func (c *conn) next(ctx context.Context) (jsonrpc.Message, error) {
	for len(c.held) > 0 {
		h := c.held[0]
		if !c.ledger.ready() {
			return nil, nil
		}
		if h.call != nil && !c.ledger.start(h.call) || h.batch != nil && !c.ledger.startBatch(h.batch) {
			return nil, nil
		}
		c.held = slices.Delete(c.held, 0, 1)
		c.heldBytes -= h.size
		if h.batch != nil {
			if err := c.completeBatch(ctx, h.batch); err != nil {
				return nil, err
			}
			continue
		}
		if h.call != nil && h.call.own != nil {
			c.answering.start(func() { c.answer(h.call) })
			continue
		}
		req, ok := h.msg.(*jsonrpc.Request)
		if ok && req.Method == protocol.MethodInitialized && c.subscriber != nil && c.ledger.negotiated() != "" {
			c.subscriber.Initialized()
		}
		if !ok || !protocol.IsCancellation(req) {
			return h.msg, nil
		}
		// The calls still held came after it.
		if running, err := c.cancel(ctx, req, false); running || err != nil {
			return req, err
		}
	}
	return nil, nil
}

// cancel notes a cancellation, of a call that is held only if held is true. It
// reports whether the call is with the SDK, which has to know of no other: the
// SDK acts on a cancellation so late that it can hit a later call with that id.
func (c *conn) cancel(ctx context.Context, req *jsonrpc.Request, held bool) (running bool, err error) {
	id, ok := protocol.CancelledID(req.Params)
	if !ok {
		return false, nil
	}
	gone := c.ledger.cancel(id, held)
	if gone == nil {
		return false, nil
	}
	if !gone.running {
		c.forget(gone)
	}
	if gone.own != nil {
		gone.end()
		return false, nil
	}
	if gone.batch != nil {
		err = c.completeBatch(ctx, gone.batch)
	}
	return gone.running, err
}

// forget takes a call out of those held.
func (c *conn) forget(gone *call) {
	for i, h := range c.held {
		if h.call == gone {
			c.held = slices.Delete(c.held, i, i+1)
			c.heldBytes -= h.size
			return
		}
	}
}

// send writes an answer of the transport's own, if there is one.
func (c *conn) send(ctx context.Context, f protocol.Frame) error {
	if f == nil {
		return nil
	}
	err := c.writer.write(ctx, f)
	if errors.Is(err, mcp.ErrConnectionClosed) {
		return io.EOF
	}
	return err
}

func (c *conn) Write(ctx context.Context, msg jsonrpc.Message) error {
	resp, ok := msg.(*jsonrpc.Response)
	if !ok {
		data, err := jsonrpc.EncodeMessage(msg)
		if err != nil {
			return &jsonrpc.Error{Code: codeRejected, Message: err.Error()}
		}
		return c.writer.write(ctx, protocol.Frame{data})
	}
	answered := c.ledger.finish(resp.ID)
	if answered == nil {
		id, err := jsonwire.Encode(resp.ID.Raw())
		if err != nil {
			return &jsonrpc.Error{Code: codeRejected, Message: err.Error()}
		}
		return c.writer.write(ctx, responseFrame(id, resp))
	}
	defer c.ledger.written(answered)
	if answered.cancelled {
		return nil
	}
	if answered.initialize && resp.Error == nil {
		var result struct{ ProtocolVersion string }
		// A result without a version negotiates none.
		_ = json.Unmarshal(resp.Result, &result)
		c.ledger.negotiate(result.ProtocolVersion)
	}
	f := responseFrame(answered.raw, resp)
	if answered.batch != nil {
		c.ledger.answer(answered, f)
		return c.completeBatch(ctx, answered.batch)
	}
	return c.writer.write(ctx, f)
}

func responseFrame(id []byte, resp *jsonrpc.Response) protocol.Frame {
	if resp.Error != nil {
		return protocol.ErrorFrame(id, protocol.WireError(resp.Error))
	}
	return protocol.ResultFrame(id, resp.Result)
}

func (c *conn) isClosed() bool {
	select {
	case <-c.closed:
		return true
	default:
		return false
	}
}

func (c *conn) Close() error {
	c.closing.Do(func() {
		close(c.closed)
		c.endCalls()
		if c.subscriber != nil {
			c.subscriber.Close()
		}
		inErr, inClosed := closeStream(c.in)
		outErr, outClosed := closeStream(c.out)
		c.closeErr = errors.Join(inErr, outErr)
		grace := time.NewTimer(closeGrace)
		defer grace.Stop()
		wait(c.reader.done, inClosed, grace)
		wait(c.writer.done, outClosed, grace)
		wait(c.notified, outClosed, grace)
		answers := time.NewTimer(answerGrace)
		defer answers.Stop()
		wait(c.answering.idle(), true, answers)
	})
	return c.closeErr
}

// closeStream closes s if that is for the connection to do, and reports whether
// it was.
func closeStream(s any) (err error, was bool) {
	closer, ok := s.(io.Closer)
	if !ok || s == any(os.Stdin) || s == any(os.Stdout) {
		return nil, false
	}
	err = closer.Close()
	if errors.Is(err, os.ErrClosed) {
		err = nil
	}
	return err, true
}

// wait waits for a goroutine whose stream was closed, as far as the grace goes.
func wait(done <-chan struct{}, streamClosed bool, grace *time.Timer) {
	if !streamClosed {
		return
	}
	select {
	case <-done:
	case <-grace.C:
		grace.Reset(0) // for the next one that waits
	}
}
