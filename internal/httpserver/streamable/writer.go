package streamable

import (
	"compress/gzip"
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

// A timed writer gives the client some time for each piece of an answer, and more of it for all
// pieces the more there are. Only the time counts in which the server waits for the client.
type timed struct {
	http.ResponseWriter
	request context.Context // ends when the caller's token is removed, also in the middle of an answer
	written int64
	waited  time.Duration
}

// slowest is how many bytes a second a client reads on average, beyond its first writeTimeout. One
// that reads a piece now and then would otherwise hold the memory of a large answer for an hour.
const slowest = 16 << 10

func newTimed(w http.ResponseWriter, r *http.Request) timed {
	return timed{ResponseWriter: w, request: r.Context()}
}

// control sets the deadlines of the connection.
func (t *timed) control() *http.ResponseController {
	return http.NewResponseController(t.ResponseWriter)
}

func (t *timed) Write(p []byte) (int, error) {
	if t.request.Err() != nil {
		return 0, context.Cause(t.request)
	}
	now := time.Now()
	t.written += int64(len(p))
	left := writeTimeout + time.Duration(t.written/slowest)*time.Second - t.waited
	// The deadline that the server gave the request when it came may be over: the answer may have
	// waited for the disk. A writer that has no deadlines, as in some tests, has clients that read.
	_ = t.control().SetWriteDeadline(now.Add(min(left, writeTimeout)))
	n, err := t.ResponseWriter.Write(p)
	t.waited += time.Since(now)
	return n, err
}

// flush sends what is written to the client.
func (t *timed) flush() error {
	_ = t.control().SetWriteDeadline(time.Now().Add(writeTimeout))
	return t.control().Flush()
}

var (
	jsonWriters = sync.Pool{New: func() any { return jsonwire.NewWriter(nil) }}
	gzipWriters = sync.Pool{New: func() any {
		z, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // it is a level
		return z
	}}
)

// An answer is a body of JSON on its way to a client. What fits one piece has a length, what does
// not is sent in chunks.
type answer struct {
	*jsonwire.Writer
	to     timed
	zipped *gzip.Writer
	whole  bool // what is written next is all there is
}

// newAnswer begins a body. zip asks for compression.
func newAnswer(w http.ResponseWriter, r *http.Request, zip bool) *answer {
	a := &answer{Writer: jsonWriters.Get().(*jsonwire.Writer), to: newTimed(w, r)}
	w.Header()["Content-Type"] = jsonType
	if zip {
		w.Header().Set("Content-Encoding", "gzip")
		a.zipped = gzipWriters.Get().(*gzip.Writer)
		a.zipped.Reset(&a.to)
		a.Reset(a.zipped)
	} else {
		a.Reset((*plain)(a))
	}
	return a
}

// plain writes what is not compressed. It sets the length of a body that comes in one piece.
type plain answer

func (a *plain) Write(p []byte) (int, error) {
	if a.whole {
		a.to.Header().Set("Content-Length", strconv.Itoa(len(p)))
	}
	return a.to.Write(p)
}

// end sends what is left. An error is that of the connection.
func (a *answer) end() error {
	a.whole = a.Written() == int64(a.Buffered())
	err := a.Flush()
	if a.zipped != nil {
		if closing := a.zipped.Close(); err == nil {
			err = closing
		}
	}
	a.free()
	return err
}

// free gives the memory back. After an error nothing more is sent.
func (a *answer) free() {
	a.Reset(nil)
	jsonWriters.Put(a.Writer)
	if a.zipped != nil {
		a.zipped.Reset(nil)
		gzipWriters.Put(a.zipped)
	}
}
