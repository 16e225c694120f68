package streamable

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"time"

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
		if h.shared.bodies.Acquire(r.Context(), size) != nil {
			return nil, done // the client is gone
		}
		done = func() { h.shared.bodies.Release(size) }
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
