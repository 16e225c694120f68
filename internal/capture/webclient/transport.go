package webclient

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

const (
	// idleTime is how long an idle connection is kept: longer than the usual interval between
	// requests, and shorter than servers keep it.
	idleTime = 3 * time.Second
	// maxAge is how long new requests may use a connection. After that, the name is looked up again.
	maxAge = time.Minute
	// maxDrain and drainTime bound the reading of an unwanted body, after which its connection can be
	// used again. Making a new connection costs about as much.
	maxDrain  = 64 << 10
	drainTime = 250 * time.Millisecond
)

// transports provides the [http.Transport] of each request.
type transports struct {
	dial func(ctx context.Context, network, hostPort string) (net.Conn, error)
	tls  *tls.Config // nil: the default
	idle int         // how many idle connections are kept

	mu     sync.Mutex // guards all fields below
	shared *http.Transport
	made   time.Time // when shared was made
}

// forRequest returns the transport for one request. If alone is set, no other request uses the
// connection.
func (t *transports) forRequest(alone bool) *http.Transport {
	if alone {
		single := t.make()
		single.DisableKeepAlives = true
		return single
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.shared == nil || time.Since(t.made) >= maxAge {
		t.shared, t.made = t.make(), time.Now() // connections of the old transport end after idleTime
	}
	return t.shared
}

func (t *transports) make() *http.Transport {
	return &http.Transport{
		Proxy:                  nil, // the address that is checked must be the server's
		DialContext:            t.dial,
		TLSClientConfig:        t.tls.Clone(),
		TLSHandshakeTimeout:    dialTimeout,
		DisableCompression:     true, // readBody decompresses within a bound
		ForceAttemptHTTP2:      true,
		MaxResponseHeaderBytes: maxHeaders,
		MaxIdleConns:           t.idle,
		MaxIdleConnsPerHost:    perHost,
		IdleConnTimeout:        idleTime,
	}
}

// drain closes a body, after reading its rest if that is short and arrives soon.
func drain(body io.ReadCloser) {
	late := time.AfterFunc(drainTime, func() { _ = body.Close() })
	defer late.Stop()
	_, _ = io.CopyN(io.Discard, body, maxDrain)
	_ = body.Close()
}

// A logFilter drops the lines in which net/http quotes bytes that a server sent without a request: a
// server must not write to the log of this process.
type logFilter struct{ to io.Writer }

var unasked = [][]byte{
	[]byte("Unsolicited response received on idle HTTP channel"),
	[]byte("Transport: unhandled response frame type"),
	[]byte("protocol error: received"),
}

func (f logFilter) Write(line []byte) (int, error) {
	for _, text := range unasked {
		if bytes.Contains(line, text) {
			return len(line), nil
		}
	}
	return f.to.Write(line)
}

// filterLog adds a logFilter to the standard logger, once.
func filterLog() {
	if _, done := log.Writer().(logFilter); !done {
		log.SetOutput(logFilter{log.Writer()})
	}
}

// accepted is the value of Accept-Encoding.
const accepted = "gzip"

// usualBody is the number of bytes that the buffer of a body holds at first.
const usualBody = 16 << 10

// readBody reads a body and removes its content coding. It reads at most limit bytes of the encoded
// and of the decoded body; of a larger body it returns the beginning.
func readBody(header http.Header, from io.Reader, limit int64) (body []byte, whole bool, err error) {
	wire := &io.LimitedReader{R: from, N: limit + 1}
	var r io.Reader = wire
	switch coding := strings.ToLower(strings.Join(header.Values("Content-Encoding"), ", ")); coding {
	case "", "identity":
	case "gzip", "x-gzip":
		z, err := gzip.NewReader(r)
		if err == nil {
			r = z
		} else if err != io.EOF { // otherwise the body is empty
			return nil, false, fmt.Errorf("its body is not gzip, as it says: %w", err)
		}
	default:
		return nil, false, fmt.Errorf("its body has the content coding %q, which the request did not offer", coding)
	}
	var b bytes.Buffer
	b.Grow(int(min(limit, usualBody)) + bytes.MinRead)
	_, err = b.ReadFrom(io.LimitReader(r, limit+1))
	body = b.Bytes()
	if int64(len(body)) > limit || wire.N <= 0 {
		return body[:min(int64(len(body)), limit)], false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("its body cannot be read: %w", reported(err))
	}
	return body, true, nil
}
