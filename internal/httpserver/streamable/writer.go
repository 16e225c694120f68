package streamable

import (
	"cmp"
	"compress/gzip"
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

// A timed writer limits the time for each piece of an answer, and for the whole answer in
// proportion to its size. Only the time in which the server waits for the client counts.
type timed struct {
	http.ResponseWriter
	request context.Context // ends when the caller's token is removed, even in the middle of an answer
	written int64
	waited  time.Duration
}

// slowest is how many bytes a second a client must read on average after its first writeTimeout.
// Otherwise a client that reads a piece now and then would hold the memory of a large answer for an
// hour.
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
	// The deadline that the server set for the request may have passed while the call
	// waited for the disk. Writers without deadlines exist only in tests, whose clients read.
	_ = t.control().SetWriteDeadline(now.Add(min(left, writeTimeout)))
	n, err := t.ResponseWriter.Write(p)
	t.waited += time.Since(now)
	return n, err
}

// flush sends the written bytes to the client.
func (t *timed) flush() error {
	_ = t.control().SetWriteDeadline(time.Now().Add(writeTimeout))
	return t.control().Flush()
}

var (
	jsonWriters = sync.Pool{New: func() any { return jsonwire.NewWriter(nil) }}
	gzipWriters = sync.Pool{New: func() any {
		z, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is valid
		return z
	}}
)

// An answer is a JSON body that is being written. If it fits one piece, it has a Content-Length;
// otherwise it is sent in chunks.
type answer struct {
	*jsonwire.Writer
	to     timed
	zipped *gzip.Writer
	whole  bool // the next piece is the whole body
}

// newAnswer begins a body. zip turns on compression.
func newAnswer(w http.ResponseWriter, r *http.Request, zip bool) *answer {
	a := &answer{Writer: jsonWriters.Get().(*jsonwire.Writer), to: newTimed(w, r)}
	w.Header().Set("Content-Type", "application/json")
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

// plain writes a body without compression. It sets the length of a body that has one piece.
type plain answer

func (a *plain) Write(p []byte) (int, error) {
	if a.whole {
		a.to.Header().Set("Content-Length", strconv.Itoa(len(p)))
	}
	return a.to.Write(p)
}

// end sends the rest, or nothing more after an error. It returns that error, or one of the connection.
func (a *answer) end(err error) error {
	if err == nil {
		a.whole = a.Written() == int64(a.Buffered())
		err = a.Flush()
		if a.zipped != nil {
			err = cmp.Or(err, a.zipped.Close())
		}
	}
	a.Reset(nil)
	jsonWriters.Put(a.Writer)
	if a.zipped != nil {
		a.zipped.Reset(nil)
		gzipWriters.Put(a.zipped)
	}
	return err
}
