package web

import (
	"log/slog"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// settingsOfHTTP2 bounds the memory that an HTTP/2 connection uses before its caller is known:
// requests, each with 17 KB and its headers, and bodies that have arrived and are not read. The
// defaults of net/http are 250 requests and 1 MiB.
var settingsOfHTTP2 = &http.HTTP2Config{
	MaxConcurrentStreams:          100,
	MaxReceiveBufferPerConnection: 64 << 10,
	MaxReceiveBufferPerStream:     64 << 10,
}

// multiplexed limits how many HTTP/2 requests are handled at a time. An HTTP/1 connection has one
// request at a time, so the limit of connections suffices there. Over HTTP/2, a client that sends
// requests and reads no answers could hold a hundred requests per connection.
//
// A connection gets another request only while more are free than it has. So a client with many
// connections leaves some requests to others, as over HTTP/1.
type multiplexed struct {
	most   int // requests that may be handled at a time
	logger *slog.Logger
	lines  rate.Sometimes

	mu     sync.Mutex     // guards all fields below
	all    int            // requests that are being handled
	byConn map[string]int // the same by client address; only positive numbers
}

func newMultiplexed(most int, logger *slog.Logger) *multiplexed {
	return &multiplexed{most: most, logger: logger, lines: rate.Sometimes{Interval: time.Minute}, byConn: make(map[string]int)}
}

// handler passes requests to next while there is room. It resets the streams of others, because any
// answer, even a refusal, would wait for the client.
func (m *multiplexed) handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor < 2 {
			next.ServeHTTP(w, r)
			return
		}
		if !m.take(r.RemoteAddr) {
			m.lines.Do(func() {
				m.logger.Warn("there are too many HTTP/2 requests at a time; more are refused", "most", m.most)
			})
			panic(http.ErrAbortHandler)
		}
		defer m.give(r.RemoteAddr)
		next.ServeHTTP(w, r)
	})
}

func (m *multiplexed) take(conn string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.byConn[conn] >= m.most-m.all {
		return false
	}
	m.all++
	m.byConn[conn]++
	return true
}

func (m *multiplexed) give(conn string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.all--
	if m.byConn[conn]--; m.byConn[conn] == 0 {
		delete(m.byConn, conn)
	}
}
