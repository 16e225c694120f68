package streamable

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

const tooLong = "the message has more than 16 MiB"

// readBody reads and checks the body of a POST, one JSON value. If it returns nil, it has answered
// the request. done returns the memory budget of a large body.
func (h *Handler) readBody(w http.ResponseWriter, r *http.Request) (body []byte, done func()) {
	done = func() {}
	if r.ContentLength > maxBody {
		refuseText(w, http.StatusRequestEntityTooLarge, tooLong)
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
		give, gone := h.shared.bodies.take(r.Context(), caller(r).RateKey(), size)
		if gone != nil {
			return nil, done // the client is gone
		}
		done = give
		var rest []byte
		rest, err = readUpTo(http.MaxBytesReader(w, r.Body, maxBody-smallBody), maxBody+1, int(max(0, size-smallBody)))
		body = append(body, rest...)
	}
	if err == nil {
		// Otherwise net/http looks for more of the body, deep in the stack, which grows for that.
		_ = r.Body.Close()
		_ = control.SetReadDeadline(time.Time{}) // no limit applies while the request is answered
	} // else the deadline stays: net/http reads the rest before it sends the answer
	body = bytes.TrimPrefix(body, protocol.ByteOrderMark)
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		refuseText(w, http.StatusRequestEntityTooLarge, tooLong)
	case err != nil:
		refuseText(w, http.StatusBadRequest, "the message could not be read to its end")
	case len(bytes.TrimSpace(body)) == 0:
		refuse(w, http.StatusBadRequest, nil, &protocol.Error{Code: protocol.CodeParseError, Message: "parse error: there is no message"})
	default:
		if fault := protocol.SyntaxFault(body); fault != "" {
			refuse(w, http.StatusBadRequest, nil, &protocol.Error{Code: protocol.CodeParseError, Message: fault})
			break
		}
		return body[jsonwire.Space(body, 0):], done
	}
	done()
	return nil, func() {}
}

// bodies bounds the bytes that large bodies may have at a time: bodyBudget in all, and half of it for each caller, so that the slow
// bodies of one caller do not delay others.
type bodies struct {
	all *semaphore.Weighted

	mu       sync.Mutex // guards all fields below
	byCaller map[string]*bodyShare
}

type bodyShare struct {
	*semaphore.Weighted
	users int // requests that have or wait for a part
}

// take waits for room for a body. The error is that of ctx.
func (b *bodies) take(ctx context.Context, caller string, size int64) (give func(), err error) {
	b.mu.Lock()
	share := b.byCaller[caller]
	if share == nil {
		share = &bodyShare{Weighted: semaphore.NewWeighted(bodyBudget / 2)}
		b.byCaller[caller] = share
	}
	share.users++
	b.mu.Unlock()
	leave := func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if share.users--; share.users == 0 {
			delete(b.byCaller, caller)
		}
	}
	if err := share.Acquire(ctx, size); err != nil {
		leave()
		return nil, err
	}
	if err := b.all.Acquire(ctx, size); err != nil {
		share.Release(size)
		leave()
		return nil, err
	}
	return func() {
		b.all.Release(size)
		share.Release(size)
		leave()
	}, nil
}

// readUpTo reads to the end, but at most limit bytes. likely is the probable length, or 0.
func readUpTo(r io.Reader, limit, likely int) ([]byte, error) {
	room := likely + 1 // the additional byte lets a read find the end
	if likely == 0 {
		room = bytes.MinRead
	}
	body := make([]byte, 0, min(limit, room))
	for len(body) < limit {
		if len(body) == cap(body) {
			body = append(body, 0)[:len(body)]
		}
		n, err := r.Read(body[len(body):min(limit, cap(body))])
		body = body[:len(body)+n]
		if err == io.EOF {
			return body, nil
		}
		if err != nil {
			return body, err
		}
	}
	return body, nil
}
