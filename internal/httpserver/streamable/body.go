package streamable

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/hosts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

const tooLong = "the message has more than 16 MiB"

// readBody reads and checks the body of a POST, one JSON value. If it returns nil, it has answered
// the request. done returns the memory budget of a large body.
func (h *Handler) readBody(w http.ResponseWriter, r *http.Request) (body []byte, done func()) {
	done = func() {}
	if r.ContentLength > maxBody {
		hosts.Refuse(w, http.StatusRequestEntityTooLarge, tooLong)
		return nil, done
	}
	control := http.NewResponseController(w)
	// Writers without deadlines exist only in tests, whose clients send their bodies.
	_ = control.SetReadDeadline(time.Now().Add(readTimeout))
	body, err := readUpTo(r.Body, smallBody, int(max(0, min(r.ContentLength, smallBody))))
	if err == nil && len(body) == smallBody {
		size := int64(maxBody)
		if r.ContentLength >= 0 {
			size = min(r.ContentLength, maxBody)
		}
		large := &largeBody{caller: caller(r).RateKey(), size: size, stop: func() { _ = control.SetReadDeadline(time.Now()) }}
		if h.options.Shared.bodies.take(r.Context(), large) != nil {
			return nil, done // the client is gone
		}
		done = sync.OnceFunc(func() { h.options.Shared.bodies.give(large) })
		var rest []byte
		rest, err = readUpTo(io.TeeReader(http.MaxBytesReader(w, r.Body, maxBody-smallBody), large), maxBody+1, int(max(0, size-smallBody)))
		if h.options.Shared.bodies.read(large) && err != nil {
			done()
			tooMany(w, "large messages")
			return nil, func() {}
		}
		body = append(body, rest...)
	}
	if err == nil {
		// Otherwise net/http looks for more of the body, deep in the stack, which grows for that.
		_ = r.Body.Close()
		// no limit applies while the request is answered
		_ = control.SetReadDeadline(time.Time{})
	} // else the deadline stays: net/http reads the rest before it sends the answer
	body = bytes.TrimPrefix(body, protocol.ByteOrderMark)
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		hosts.Refuse(w, http.StatusRequestEntityTooLarge, tooLong)
	case err != nil:
		hosts.Refuse(w, http.StatusBadRequest, "the message could not be read to its end")
	case len(bytes.TrimSpace(body)) == 0:
		hosts.RefuseCall(w, http.StatusBadRequest, nil, protocol.ParseError("parse error: there is no message"))
	default:
		if fault := protocol.SyntaxFault(body); fault != "" {
			hosts.RefuseCall(w, http.StatusBadRequest, nil, protocol.ParseError(fault))
			break
		}
		return body[jsonwire.Space(body, 0):], done
	}
	done()
	return nil, func() {}
}

// bodies bounds the bytes that large bodies may have at a time: bodyBudget in all, and half of it for each caller. While one waits for
// room, the slowest of those that have been read for a second or longer is refused, so that slow senders do not delay others.
type bodies struct {
	mu       sync.Mutex // guards all fields below
	used     int64
	byCaller map[string]int64
	reading  map[*largeBody]bool
	given    chan struct{} // closed when room is given back
}

// A largeBody has room in bodies. As a writer it counts what has arrived.
type largeBody struct {
	caller  string
	size    int64
	stop    func() // ends the reading
	since   time.Time
	arrived atomic.Int64
	refused bool // guarded by bodies.mu
}

func (l *largeBody) Write(p []byte) (int, error) {
	l.arrived.Add(int64(len(p)))
	return len(p), nil
}

// rate returns bytes per second.
func (l *largeBody) rate() float64 { return float64(l.arrived.Load()) / time.Since(l.since).Seconds() }

// take waits for room for a body. It returns the error of ctx.
func (b *bodies) take(ctx context.Context, l *largeBody) error {
	for {
		b.mu.Lock()
		ours := b.byCaller[l.caller]+l.size > bodyBudget/2
		if !ours && b.used+l.size <= bodyBudget {
			b.used += l.size
			b.byCaller[l.caller] += l.size
			l.since = time.Now()
			b.reading[l] = true
			b.mu.Unlock()
			return nil
		}
		if b.given == nil {
			b.given = make(chan struct{})
		}
		given := b.given
		b.refuseSlowest(func(other *largeBody) bool { return !ours || other.caller == l.caller })
		b.mu.Unlock()
		again := time.NewTimer(slowBody)
		select {
		case <-given:
		case <-again.C:
		case <-ctx.Done():
		}
		again.Stop()
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// refuseSlowest ends the reading of the slowest body that helps. The caller holds b.mu.
func (b *bodies) refuseSlowest(helps func(*largeBody) bool) {
	var slowest *largeBody
	for l := range b.reading {
		if !l.refused && helps(l) && time.Since(l.since) >= slowBody && (slowest == nil || l.rate() < slowest.rate()) {
			slowest = l
		}
	}
	if slowest != nil {
		slowest.refused = true
		slowest.stop()
	}
}

// read records that a body has been read, and reports whether it was refused.
func (b *bodies) read(l *largeBody) (refused bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.reading, l)
	return l.refused
}

// give gives back the room of a body.
func (b *bodies) give(l *largeBody) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.reading, l)
	b.used -= l.size
	if b.byCaller[l.caller] -= l.size; b.byCaller[l.caller] == 0 {
		delete(b.byCaller, l.caller)
	}
	if b.given != nil {
		close(b.given)
		b.given = nil
	}
}

// readUpTo reads to the end, but at most limit bytes. likely is the probable length, or 0.
func readUpTo(r io.Reader, limit, likely int) ([]byte, error) {
	var b bytes.Buffer
	b.Grow(likely + bytes.MinRead) // with which the last read finds the end
	_, err := b.ReadFrom(io.LimitReader(r, int64(limit)))
	return b.Bytes(), err
}
