package streamable

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/notify"
)

// answer answers a call. If the client accepts streams, the first notification of progress that it requested or some time turns the
// answer into one: such notifications belong to the stream of their request (MCP, "Streamable HTTP"), and proxies end a request
// without any bytes.
func (h *Handler) answer(ctx context.Context, w http.ResponseWriter, r *http.Request, m protocol.Message, call *protocol.Call, began time.Time, status func(*protocol.Error) int) {
	if _, events := accepts(r); !events {
		result, err := h.options.Server.Answer(ctx, call)
		h.write(w, r, m, began, result, err, status)
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	e := &early{h: h, w: w, r: r, latest: notify.NewLatest(), gone: cancel, over: make(chan struct{}), done: make(chan struct{})}
	call.Notify = func(n notify.Notification) {
		e.latest.Put(n)
		e.begin()
	}
	slow := time.AfterFunc(h.options.Shared.slow, e.begin)
	result, failure := h.options.Server.Answer(ctx, call)
	slow.Stop()
	err := e.end()
	if err == nil {
		err = e.send()
	}
	lost := err != nil || r.Context().Err() != nil
	if !lost && e.stream == nil {
		h.write(w, r, m, began, result, failure, status)
		return
	}
	if result != nil {
		defer result.Release()
	}
	if !lost {
		bytes, err := e.stream.answer(m.ID, result, failure)
		h.observed(r, m, began, bytes, result, err)
	}
}

// An early stream is written by a goroutine of its own while the call runs. Most calls end before it begins.
type early struct {
	h      *Handler
	w      http.ResponseWriter
	r      *http.Request
	latest *notify.Latest
	gone   func() // ends the call

	once       sync.Once
	over, done chan struct{} // the call has ended; the goroutine has

	// The following belong to the goroutine until it has ended.
	stream *stream // nil: not begun
	err    error   // the client is gone
}

// begin begins the goroutine, if it has not begun and the call has not ended.
func (e *early) begin() { e.once.Do(func() { go e.run() }) }

// end ends the goroutine.
func (e *early) end() error {
	close(e.over)
	e.once.Do(func() { close(e.done) })
	<-e.done
	return e.err
}

func (e *early) run() {
	defer close(e.done)
	pause := time.NewTicker(e.h.options.Shared.slow)
	defer pause.Stop()
	for next := e.first; e.err == nil; {
		if e.err = next(); e.err != nil {
			e.gone()
			return
		}
		select {
		case <-e.latest.Wake():
			next = e.send
		case <-pause.C:
			next = e.comment
		case <-e.over:
			return
		}
	}
}

// first sends what the goroutine was begun for: a notification, or a sign of life after some time.
func (e *early) first() error {
	if err := e.send(); err != nil || e.stream != nil {
		return err
	}
	return e.comment()
}

func (e *early) open() {
	if e.stream == nil {
		e.stream = newStream(e.w, e.r)
	}
}

func (e *early) comment() error {
	e.open()
	return e.stream.comment()
}

// send sends the latest notification, if there is one.
func (e *early) send() error {
	n, ok := e.latest.Take()
	if !ok {
		return nil
	}
	e.open()
	if err := e.stream.notification(n, false); err != nil {
		return err
	}
	e.h.options.Notified(n.Method)
	return e.stream.flush()
}
