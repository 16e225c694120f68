package web

import (
	"log/slog"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// settingsOfHTTP2 bound what a connection of HTTP/2 holds of the server's memory before the caller is
// known: requests, each with 17 KB and its headers, and bodies that have arrived and are not read.
// The defaults of net/http are 250 requests and 1 MiB.
var settingsOfHTTP2 = &http.HTTP2Config{
	MaxConcurrentStreams:          100,
	MaxReceiveBufferPerConnection: 64 << 10,
	MaxReceiveBufferPerStream:     64 << 10,
}

// multiplexed bounds how many requests of HTTP/2 are at work. A connection of HTTP/1 has one, so
// there the bound of connections is enough. Over HTTP/2, a client that sends requests and lets the
// server send nothing holds a hundred at a time for each connection.
//
// A connection gets one more request while more are free than it has: so whoever has many
// connections leaves some to others, as over HTTP/1.
type multiplexed struct {
	most   int
	logger *slog.Logger
	lines  rate.Sometimes

	mu     sync.Mutex     // guards all fields below
	all    int            // requests that are at work
	byConn map[string]int // the same, by the address of the client; none is 0
}

func newMultiplexed(most int, logger *slog.Logger) *multiplexed {
	return &multiplexed{most: most, logger: logger, lines: rate.Sometimes{Interval: time.Minute}, byConn: make(map[string]int)}
}

// handler lets next see the requests for which there is room. It resets the streams of others,
// since an answer, even a refusal, would wait for the client.
func (m *multiplexed) handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor < 2 {
			next.ServeHTTP(w, r)
			return
		}
		if !m.take(r.RemoteAddr) {
			m.lines.Do(func() {
				m.logger.Warn("there are too many requests of HTTP/2 at a time; more are refused", "most", m.most)
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
