package metrics

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"log/slog"
	"net/http"
	"strings"

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
		switch r.URL.Query().Get("format") {
		case "", "prometheus":
			prometheus.ServeHTTP(w, r)
		case "text":
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			s := m.summary()
			fmt.Fprintf(w, "Total Requests: %d\nSuccessful: %d\nFailed: %d\nCache Hits: %d\nCache Misses: %d\n",
				s.TotalRequests, s.Successful, s.Failed, s.CacheHits, s.CacheMisses)
		default:
			hosts.Answer(w, http.StatusBadRequest, map[string]string{"error": "unknown format; the formats are text and prometheus"})
		}
	})
	mux.HandleFunc("GET /metrics/json", func(w http.ResponseWriter, r *http.Request) {
		hosts.Answer(w, http.StatusOK, m.summary())
	})
	mux.HandleFunc("POST /metrics/reset", func(w http.ResponseWriter, r *http.Request) {
		m.period.Store(m.newPeriod())
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
