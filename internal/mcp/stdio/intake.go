package stdio

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

// accept takes one line in: it answers what needs no SDK and holds the rest for
// next. A lone response or cancellation behind held messages is returned at
// once: it may be what they wait for.
func (c *conn) accept(ctx context.Context, l line) (jsonrpc.Message, error) {
	if l.tooLong {
		return nil, c.refuse(ctx, nil, fmt.Sprintf("invalid request: more than %d bytes in one line", c.limit))
	}
	if fault := protocol.SyntaxFault(l.data); fault != "" {
		return nil, c.send(ctx, protocol.ErrorFrame(nil, &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: fault}))
	}
	if l.data[jsonwire.Space(l.data, 0)] == '[' {
		return nil, c.acceptBatch(ctx, l.data)
	}
	m := protocol.ReadMessage(l.data)
	switch {
	case m.Fault != "":
		return nil, c.refuse(ctx, m.ID, m.Fault)
	case m.Response != nil:
		return m.Response, nil
	case m.Request == nil:
		return nil, nil
	case protocol.IsCancellation(m.Request):
		if running, err := c.cancel(ctx, m.Request, true); running || err != nil {
			return m.Request, err
		}
		return nil, nil
	}
	if fault := c.hold(m, nil); fault != "" {
		return nil, c.refuse(ctx, m.ID, fault)
	}
	return nil, nil
}

// acceptBatch takes in an array. What is wrong with an entry is answered in its
// place in the batch, what is wrong with the array alone.
func (c *conn) acceptBatch(ctx context.Context, data []byte) error {
	if !c.ledger.batches() {
		return c.refuse(ctx, nil, batchesRemoved)
	}
	list := jsonwire.Entries(data, maxBatch+1)
	switch {
	case len(list) == 0:
		return c.refuse(ctx, nil, "invalid request: an empty batch")
	case len(list) > maxBatch:
		return c.refuse(ctx, nil, fmt.Sprintf("invalid request: more than %d entries in one batch", maxBatch))
	}
	messages := make([]protocol.Message, len(list))
	for i, entry := range list {
		messages[i] = protocol.ReadMessage(entry)
		if req := messages[i].Request; req != nil && protocol.MetaProtocolVersion(req.Params) >= protocol.NoBatches {
			return c.refuse(ctx, nil, batchesRemoved)
		}
	}
	b := new(batch)
	size := 0
	for _, m := range messages {
		if m.Request == nil && m.Response == nil && m.Fault == "" {
			continue
		}
		if m.Fault == "" {
			m.Fault = c.hold(m, b)
		}
		if m.Fault != "" {
			b.entries = append(b.entries, entry{answer: protocol.ErrorFrame(m.ID, invalidRequest(m.Fault))})
		}
		size += m.Size
	}
	if b.own() != nil {
		c.keep(held{batch: b, size: size})
		return nil
	}
	return c.completeBatch(ctx, b)
}

// hold keeps a request or response for next, as a part of b if that is not nil.
// It returns what is wrong with it, if anything.
func (c *conn) hold(m protocol.Message, b *batch) (fault string) {
	h := held{size: m.Size}
	switch req := m.Request; {
	case req == nil:
		h.msg = m.Response
	case !req.IsCall():
		h.msg = req
	default:
		h.msg = req
		h.call = &call{
			id:         req.ID,
			raw:        m.ID,
			size:       m.Size,
			initialize: req.Method == protocol.MethodInitialize,
			listen:     req.Method == protocol.MethodListen && b == nil,
			own:        c.ownCall(m),
			batch:      b,
		}
		if h.call.initialize && b != nil {
			return "invalid request: initialize in a batch"
		}
		if !c.ledger.add(h.call) {
			return fmt.Sprintf("invalid request: id %s is in use by a call in flight", m.ID)
		}
		if h.call.own != nil {
			h.call.ctx, h.call.end = context.WithCancel(c.ctx)
		}
		if b != nil {
			h.call.place = len(b.entries)
			b.entries = append(b.entries, entry{call: h.call})
			if h.call.own != nil {
				return "" // it is answered when the batch is
			}
			b.open++
		}
	}
	c.keep(h)
	return ""
}

// ownCall returns a call as the handler's, or nil if it is the SDK's.
func (c *conn) ownCall(m protocol.Message) *protocol.Call {
	if c.handler == nil {
		return nil
	}
	own := &protocol.Call{ID: m.ID, Method: m.Request.Method, Params: m.Request.Params, Session: c.subscriber}
	if !c.handler.Handles(own) {
		return nil
	}
	return own
}

func (c *conn) keep(h held) {
	c.held = append(c.held, h)
	c.heldBytes += h.size
}

const batchesRemoved = "invalid request: JSON-RPC batches were removed in protocol version " + protocol.NoBatches

func invalidRequest(fault string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: fault}
}

func (c *conn) refuse(ctx context.Context, id []byte, fault string) error {
	return c.send(ctx, protocol.ErrorFrame(id, invalidRequest(fault)))
}
