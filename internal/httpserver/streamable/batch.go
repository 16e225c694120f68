package streamable

import (
	"context"
	"net/http"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

// maxBatch is how many entries a batch may have. An entry of two bytes can cost an answer of a
// hundred bytes.
const maxBatch = 1000

// batch answers an array (JSON-RPC 2.0 section 6), which 2025-06-18 removed. It answers the calls
// one after the other, each when the answers before it are written.
func (h *Handler) batch(w http.ResponseWriter, r *http.Request, body []byte) {
	bad := func(format string, args ...any) {
		refuse(w, http.StatusBadRequest, nil, protocol.InvalidRequest("invalid request: "+format, args...))
	}
	if versionOf(r) >= protocol.NoBatches {
		bad("JSON-RPC batches were removed in protocol version %s", protocol.NoBatches)
		return
	}
	entries := jsonwire.Entries(body, maxBatch+1)
	switch {
	case len(entries) == 0:
		bad("an empty batch")
		return
	case len(entries) > maxBatch:
		bad("more than %d entries in one batch", maxBatch)
		return
	}
	n := h.session(w, r)
	if n == nil {
		return
	}
	defer n.leave()
	if n.version >= protocol.NoBatches {
		bad("JSON-RPC batches were removed in protocol version %s", protocol.NoBatches)
		return
	}
	messages := make([]protocol.Message, 0, len(entries))
	var first *protocol.Call
	for _, entry := range entries {
		m := protocol.ReadMessage(entry)
		switch {
		case m.Fault != "":
		case m.Response:
			continue
		case !m.IsCall():
			n.notice(m)
			continue
		case m.Method == protocol.MethodInitialize:
			m.Fault = "invalid request: initialize in a batch"
		case protocol.MetaProtocolVersion(m.Params) >= protocol.NoBatches:
			m.Fault = "invalid request: JSON-RPC batches were removed in protocol version " + protocol.NoBatches
		case first == nil:
			first = h.call(r, m, n)
		}
		messages = append(messages, m)
	}
	if len(messages) == 0 {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	ctx := r.Context()
	if first != nil {
		reserved, release, err := h.server.Reserve(ctx, first)
		if err != nil {
			return // the client is gone
		}
		defer release()
		ctx = reserved
	}
	a := newAnswer(w, r, false)
	a.RawString("[")
	for i, m := range messages {
		if i > 0 {
			a.RawString(",")
		}
		if err := h.entry(ctx, r, n, m, a); err != nil {
			a.free()
			h.logger.Warn("a batch was not sent completely", "error", err)
			panic(http.ErrAbortHandler)
		}
	}
	a.RawString("]")
	if a.end() != nil {
		panic(http.ErrAbortHandler)
	}
}

// entry writes the answer to an entry of a batch.
func (h *Handler) entry(ctx context.Context, r *http.Request, n *session, m protocol.Message, a *answer) error {
	if m.Fault != "" {
		a.Raw(protocol.ErrorFrame(m.ID, protocol.InvalidRequest("%s", m.Fault)))
		return nil
	}
	began := time.Now()
	ctx, end, ok := n.begin(ctx, m.Key)
	if !ok {
		a.Raw(protocol.ErrorFrame(m.ID, inUse(m.ID)))
		return nil
	}
	defer end()
	result, err := h.server.Answer(ctx, h.call(r, m, n))
	if err != nil {
		e := protocol.WireError(err)
		h.observed(r, m, began, 0, nil, e)
		a.Raw(protocol.ErrorFrame(m.ID, e))
		return nil
	}
	defer result.Release()
	before := a.Written()
	failed, err := protocol.WriteResult(a.Writer, m.ID, result)
	if err == nil {
		err = a.Err()
	}
	h.observed(r, m, began, a.Written()-before, result, outcome(failed, err))
	return err
}
