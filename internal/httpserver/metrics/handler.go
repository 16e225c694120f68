package metrics

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/hosts"
)

// mostReaders is how many requests for the metrics of Prometheus are answered at a time. Each takes
// some 100 KB and a millisecond.
const mostReaders = 4

// Handler returns the handler of all requests at and below /metrics. It expects the whole path.
func (m *Metrics) Handler() http.Handler {
	prometheus := promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		ErrorLog:            slog.NewLogLogger(m.options.Logger.Handler(), slog.LevelError),
		ErrorHandling:       promhttp.ContinueOnError,
		MaxRequestsInFlight: mostReaders,
	})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("format") != "text" {
			prometheus.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		s := m.summary()
		fmt.Fprintf(w, "Total Requests: %d\nSuccessful: %d\nFailed: %d\nCache Hits: %d\nCache Misses: %d\n",
			s.TotalRequests, s.Successful, s.Failed, s.CacheHits, s.CacheMisses)
	})
	mux.HandleFunc("GET /metrics/json", func(w http.ResponseWriter, r *http.Request) {
		hosts.Answer(w, http.StatusOK, m.summary())
	})
	mux.HandleFunc("POST /metrics/reset", func(w http.ResponseWriter, r *http.Request) {
		now := m.counted()
		m.reset.Store(&now)
		hosts.Answer(w, http.StatusOK, struct {
			Success bool   `json:"success"`
			Message string `json:"message"`
		}{true, "Metrics reset successfully"})
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		switch {
		case m.options.Key == nil && !m.options.Open:
			http.NotFound(w, r)
		case m.options.Key != nil && !m.hasKey(r):
			w.Header().Set("WWW-Authenticate", `Bearer realm="metrics"`)
			hosts.Answer(w, http.StatusUnauthorized, map[string]string{"error": "the metrics need their key in the header Authorization, as Bearer KEY, in the header X-Metrics-Key, or as key in the query"})
		default:
			mux.ServeHTTP(w, r)
		}
	})
}

// hasKey reports whether a request has the key. Its time reveals nothing about the key.
func (m *Metrics) hasKey(r *http.Request) bool {
	key := r.URL.Query().Get("key")
	if values := r.Header.Values("X-Metrics-Key"); len(values) > 0 {
		key = values[0]
	} else if scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && key == "" && strings.EqualFold(scheme, "Bearer") {
		key = strings.TrimSpace(token)
	}
	sum := sha256.Sum256([]byte(key))
	return subtle.ConstantTimeCompare(sum[:], m.key[:]) == 1
}

// A summary is the answer of /metrics/json.
type summary struct {
	TotalRequests uint64 `json:"totalRequests"`
	Successful    uint64 `json:"successful"`
	Failed        uint64 `json:"failed"`
	CacheHits     uint64 `json:"cacheHits"`
	CacheMisses   uint64 `json:"cacheMisses"`
	Uptime        int64  `json:"uptime"` // seconds since the start; a reset does not change it
}

// summary returns the counts since the start or the last reset.
func (m *Metrics) summary() summary {
	before, s := m.reset.Load(), m.counted()
	s.Successful, s.Failed = s.Successful-before.Successful, s.Failed-before.Failed
	s.CacheHits, s.CacheMisses = s.CacheHits-before.CacheHits, s.CacheMisses-before.CacheMisses
	s.TotalRequests = s.Successful + s.Failed
	s.Uptime = int64(time.Since(m.began) / time.Second)
	return s
}

// counted returns the counts since the start, without their sum.
func (m *Metrics) counted() summary {
	cache := m.cache()
	return summary{Successful: m.successful.Load(), Failed: m.failed.Load(), CacheHits: cache.Hits, CacheMisses: cache.Misses}
}
