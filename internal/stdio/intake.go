package stdio

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/mcp-docs-server/mcp-docs-server/internal/jsonwire"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
)

// accept takes one line in: it answers what needs no SDK and holds the rest for
// next. A lone response or cancellation behind held messages is returned at
// once: it may be what they wait for.
func (c *conn) accept(ctx context.Context, l line) (jsonrpc.Message, error) {
	if l.tooLong {
		return nil, c.refuse(ctx, nil, fmt.Sprintf("invalid request: more than %d bytes in one line", c.limit))
	}
	if fault := syntaxFault(l.data); fault != "" {
		return nil, c.send(ctx, errorFrame(nil, &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: fault}))
	}
	if l.data[jsonwire.Space(l.data, 0)] == '[' {
		return nil, c.acceptBatch(ctx, l.data)
	}
	m := decode(l.data)
	switch {
	case m.fault != "":
		return nil, c.refuse(ctx, m.id, m.fault)
	case m.response != nil:
		return m.response, nil
	case m.request == nil:
		return nil, nil
	case isCancellation(m.request):
		if running, err := c.cancel(ctx, m.request, true); running || err != nil {
			return m.request, err
		}
		return nil, nil
	}
	if fault := c.hold(m, nil); fault != "" {
		return nil, c.refuse(ctx, m.id, fault)
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
	messages := make([]message, len(list))
	for i, entry := range list {
		messages[i] = decode(entry)
		if req := messages[i].request; req != nil && protocol.MetaProtocolVersion(req.Params) >= protocol.NoBatches {
			return c.refuse(ctx, nil, batchesRemoved)
		}
	}
	b := new(batch)
	size := 0
	for _, m := range messages {
		if m.request == nil && m.response == nil && m.fault == "" {
			continue
		}
		if m.fault == "" {
			m.fault = c.hold(m, b)
		}
		if m.fault != "" {
			b.entries = append(b.entries, entry{answer: errorFrame(m.id, invalidRequest(m.fault))})
		}
		size += m.size
	}
	if b.own() != nil {
		c.keep(held{batch: b, size: size})
		return nil
	}
	return c.completeBatch(ctx, b)
}

// hold keeps a request or response for next, as a part of b if that is not nil.
// It returns what is wrong with it, if anything.
func (c *conn) hold(m message, b *batch) (fault string) {
	h := held{size: m.size}
	switch req := m.request; {
	case req == nil:
		h.msg = m.response
	case !req.IsCall():
		h.msg = req
	default:
		h.msg = req
		h.call = &call{
			id:         req.ID,
			raw:        m.id,
			size:       m.size,
			initialize: req.Method == methodInitialize,
			listen:     req.Method == methodListen && b == nil,
			own:        c.ownCall(m),
			batch:      b,
		}
		if h.call.initialize && b != nil {
			return "invalid request: initialize in a batch"
		}
		if !c.ledger.add(h.call) {
			return fmt.Sprintf("invalid request: id %s is in use by a call in flight", m.id)
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
func (c *conn) ownCall(m message) *protocol.Call {
	if c.handler == nil {
		return nil
	}
	own := &protocol.Call{ID: m.id, Method: m.request.Method, Params: m.request.Params, Session: c.subscriber}
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
	return c.send(ctx, errorFrame(id, invalidRequest(fault)))
}
