package streamable

import (
	"context"
	"net/http"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/notify"
)

// answer answers a call. If the client accepts streams, the first notification of progress that it requested or some time turns the
// answer into one: such notifications belong to the stream of their request (MCP, "Streamable HTTP"), and proxies end a request
// without any bytes.
func (h *Handler) answer(ctx context.Context, w http.ResponseWriter, r *http.Request, m protocol.Message, call *protocol.Call, began time.Time, status func(*protocol.Error) int) {
	if _, events := accepts(r); !events {
		result, err := h.server.Answer(ctx, call)
		h.write(w, r, m, began, result, err, status)
		return
	}
	latest := notify.NewLatest()
	call.Notify = latest.Put
	ctx, cancel := context.WithCancel(ctx)
	var result protocol.Result
	var failure error
	over := make(chan struct{})
	go func() {
		defer close(over)
		result, failure = h.server.Answer(ctx, call)
	}()
	var s *stream    // nil: not begun
	var written bool // write releases result
	defer func() {
		cancel()
		<-over
		if !written && result != nil {
			result.Release()
		}
	}()
	send := func() error {
		n, ok := latest.Take()
		if !ok {
			return nil
		}
		if s == nil {
			s = newStream(w, r)
		}
		if err := s.notification(n, false); err != nil {
			return err
		}
		h.notified(n.Method)
		return s.flush()
	}
	pause := time.NewTicker(h.shared.slow)
	defer pause.Stop()
	for {
		select {
		case <-latest.Wake():
			if send() != nil {
				return // the client is gone
			}
			continue
		case <-pause.C:
			if s == nil {
				s = newStream(w, r)
			}
			if s.comment() != nil {
				return
			}
			continue
		case <-over:
		}
		if ended(r.Context()) || send() != nil {
			return
		}
		if s == nil {
			written = true
			h.write(w, r, m, began, result, failure, status)
			return
		}
		bytes, err := s.answer(m.ID, result, failure)
		h.observed(r, m, began, bytes, result, err)
		return
	}
}
