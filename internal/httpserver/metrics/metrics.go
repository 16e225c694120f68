// Package metrics counts what an HTTP server does, and returns the counts to operators.
//
//  1. Counters are updated by methods that never wait for a reader: [Metrics.Answered] for each
//     JSON-RPC call, [Metrics.Responded] for each HTTP response, [Project.Scanned] and
//     [Project.Notified] for events of a project. States, such as the number of sessions, are
//     requested from their owners when somebody reads them.
//
//  2. A label has few values, whatever clients send: a method that the server does not have is
//     "other". Outcomes are the words of [serverlog.Call]. No label names a caller, a session or a resource.
//
//  3. [Metrics.Handler] serves these paths:
//
//     GET  /metrics              the text format of Prometheus
//     GET  /metrics?format=text  five lines for people
//     GET  /metrics/json         the counts since the start or the last reset
//     POST /metrics/reset        sets the counts of the two paths above to 0; the counters of Prometheus only grow
//
//  4. If a key is set, each request must send it in the header X-Metrics-Key, in
//     the query as key, or as a bearer token, as credentials_file of Prometheus does; the first of these that it has counts.
//     Otherwise it gets 401. Without a key, the paths exist only if
//     [Options.Open] is set, and are 404 otherwise. The handler checks neither Host nor Origin:
//     package hosts must be in front of it, because a page of another site must not read or reset
//     metrics.
package metrics

import (
	"cmp"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/hosts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/serverlog"
)

// KeyVariable is the environment variable with the key.
const KeyVariable = "MCP_DOCS_METRICS_KEY"

// OK is the outcome of a call that has not failed.
const OK = "ok"

// other is the label for methods that the server does not have.
const other = "other"

// Options describe a server.
type Options struct {
	Version  string
	Instance string   // label of all metrics, which names the replica; "": none
	Gauges   []Gauge  // further states
	Methods  []string // methods of the server; all others are "other"
	// methods that are answered when their stream ends, hours later: their time is not counted
	Streams []string
	Key     *string // nil: no key
	Open    bool    // without a key, everybody may read
	Logger  *slog.Logger
}

// Metrics are the counts of a server. They are safe for concurrent use.
type Metrics struct {
	options Options
	// SHA-256 sum, so that comparing takes the same time for all lengths
	key      [sha256.Size]byte
	began    time.Time
	registry *prometheus.Registry

	registerer prometheus.Registerer // of the registry, with the label of this replica

	methods map[string]*method // complete after New
	other   *method
	calls   *prometheus.CounterVec // by method and outcome
	// by the first digit of the status; 0: none was sent
	responses     [6]prometheus.Counter
	sent          prometheus.Counter       // bytes of all responses
	scans         *prometheus.HistogramVec // by project
	files         *prometheus.CounterVec   // by project
	notifications *prometheus.CounterVec   // by project and method

	cache func() CacheCounts

	successful, failed atomic.Uint64           // calls
	reset              atomic.Pointer[summary] // the counts at the last reset
}

// A method holds the counters of a method, so that a call need not look up labels.
type method struct {
	name     string
	ok       prometheus.Counter
	bytes    prometheus.Counter
	duration prometheus.Observer // nil: its time is not counted
}

// New returns metrics that count from now.
func New(o Options) (*Metrics, error) {
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	m := &Metrics{
		options:  o,
		began:    time.Now(),
		registry: prometheus.NewRegistry(),
		methods:  make(map[string]*method),
		cache:    func() CacheCounts { return CacheCounts{} },
	}
	if o.Key != nil {
		if *o.Key == "" || strings.TrimSpace(*o.Key) != *o.Key {
			return nil, errors.New(KeyVariable + " is empty or has blanks around it; set it to a long random text, or unset it")
		}
		m.key = sha256.Sum256([]byte(*o.Key))
	}
	m.register()
	m.reset.Store(&summary{})
	return m, nil
}

// register makes all counters. Calls take from 0.1 ms, for a small file in memory, to 10 s and more
// on a disk that hangs. Scans cover from one folder to a million files.
func (m *Metrics) register() {
	m.registerer = m.registry
	if m.options.Instance != "" {
		m.registerer = prometheus.WrapRegistererWith(prometheus.Labels{"instance": valid(m.options.Instance)}, m.registry)
	}
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: namespace + name, Help: help}, labels)
		m.registerer.MustRegister(c)
		return c
	}
	histogram := func(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
		h := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: namespace + name, Help: help, Buckets: buckets}, labels)
		m.registerer.MustRegister(h)
		return h
	}
	m.calls = counter("requests_total", "JSON-RPC calls that were answered.", "method", "outcome")
	bytes := counter("response_bytes_total", "Bytes of answers to JSON-RPC calls.", "method")
	times := histogram("request_duration_seconds", "Time that JSON-RPC calls took.",
		[]float64{.0001, .00025, .0005, .001, .0025, .01, .025, .1, .25, 1, 2.5, 10}, "method")
	responses := counter("http_responses_total", "HTTP responses that ended, without probes, by the class of their status.", "class")
	m.sent = counter("http_response_bytes_total", "Bytes of the bodies of HTTP responses.").WithLabelValues()
	m.scans = histogram("scan_duration_seconds", "Time that reading the tree or changed folders of it took.",
		[]float64{.001, .01, .05, .1, .5, 1, 5, 10, 60}, "project")
	m.files = counter("scanned_files_total", "Files in what was scanned.", "project")
	m.notifications = counter("notifications_total", "Notifications that were sent to clients.", "project", "method")

	for i, class := range []string{"none", "1xx", "2xx", "3xx", "4xx", "5xx"} {
		m.responses[i] = responses.WithLabelValues(class)
	}
	add := func(name string) *method {
		s := &method{name: name, ok: m.calls.WithLabelValues(name, OK), bytes: bytes.WithLabelValues(name), duration: times.WithLabelValues(name)}
		m.methods[name] = s
		return s
	}
	for _, name := range m.options.Methods {
		if m.methods[name] == nil {
			add(name)
		}
	}
	m.other = add(other)
	for _, name := range m.options.Streams {
		if s := m.methods[name]; s != nil {
			s.duration = nil
			times.DeleteLabelValues(name)
		}
	}

	build := prometheus.NewGauge(prometheus.GaugeOpts{Name: namespace + "build_info", Help: "The program; always 1.",
		ConstLabels: prometheus.Labels{"version": valid(m.options.Version), "go": runtime.Version()}})
	build.Set(1)
	for _, g := range m.options.Gauges {
		g.register(m.registerer, nil)
	}
	m.registerer.MustRegister(build, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
}

// Answered counts a call.
func (m *Metrics) Answered(c serverlog.Call) {
	s := cmp.Or(m.methods[c.Method], m.other)
	if c.Outcome == OK {
		s.ok.Inc()
		m.successful.Add(1)
	} else {
		m.calls.WithLabelValues(s.name, c.Outcome).Inc()
		m.failed.Add(1)
	}
	s.bytes.Add(float64(max(c.Bytes, 0)))
	if s.duration != nil {
		s.duration.Observe(max(c.Duration, 0).Seconds())
	}
}

// Responded counts an HTTP response that has ended. Status 0 means that no response was sent.
func (m *Metrics) Responded(status int, bytes int64) {
	class := status / 100
	if class < 0 || class >= len(m.responses) {
		class = 0
	}
	m.responses[class].Inc()
	m.sent.Add(float64(max(bytes, 0)))
}

const namespace = "mcp_docs_"

// A Gauge is a state. Value is called when metrics are read, concurrently, and must not wait.
type Gauge struct {
	Name, Help string
	Value      func() float64
}

// register makes a state a metric. The server refuses two projects with one name later, when it knows all of them.
func (g Gauge) register(to prometheus.Registerer, labels prometheus.Labels) {
	_ = to.Register(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: namespace + g.Name, Help: g.Help, ConstLabels: labels}, g.Value))
}

// A Project counts the events of a project.
type Project struct {
	metrics *Metrics
	name    string
	scans   prometheus.Observer
	files   prometheus.Counter
}

// Project returns the counts of a project and registers its states. The operator chose the name,
// which becomes a label and is unique.
func (m *Metrics) Project(name string, gauges []Gauge) *Project {
	name = valid(name)
	for _, g := range gauges {
		g.register(m.registerer, prometheus.Labels{"project": name})
	}
	return &Project{metrics: m, name: name, scans: m.scans.WithLabelValues(name), files: m.files.WithLabelValues(name)}
}

// Scanned counts a scan of the tree or of changed folders, and the files in it.
func (p *Project) Scanned(took time.Duration, files int) {
	p.scans.Observe(max(took, 0).Seconds())
	p.files.Add(float64(max(files, 0)))
}

// Notified counts a notification that was sent to a client. method must be one of the server's.
func (p *Project) Notified(method string) {
	p.metrics.notifications.WithLabelValues(p.name, valid(method)).Inc()
}

// Sessions sets the function that returns the number of sessions and of open streams. It is called
// once, before the metrics are read.
func (m *Metrics) Sessions(counts func() (sessions, streams int)) {
	Gauge{"sessions", "Sessions that are open.", func() float64 { sessions, _ := counts(); return float64(sessions) }}.register(m.registerer, nil)
	Gauge{"streams", "Streams to clients that are open.", func() float64 { _, streams := counts(); return float64(streams) }}.register(m.registerer, nil)
}

// Counter makes a number that only grows a metric. It is called once for a name, before the metrics are read.
func (m *Metrics) Counter(name, help string, value func() uint64) { m.counter(name, help, nil, value) }

func (m *Metrics) counter(name, help string, labels prometheus.Labels, value func() uint64) {
	m.registerer.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: namespace + name, Help: help, ConstLabels: labels}, func() float64 { return float64(value()) }))
}

// CacheCounts describe a cache. Hits and misses only grow.
type CacheCounts struct {
	Hits, Misses uint64
	Entries      int
	Bytes        int64
}

// Cache sets the function that returns the state of a cache. It is called once, before the metrics
// are read.
func (m *Metrics) Cache(name string, counts func() CacheCounts) {
	m.cache = counts
	labels := prometheus.Labels{"cache": name}
	Gauge{"cache_entries", "Entries of a cache.", func() float64 { return float64(counts().Entries) }}.register(m.registerer, labels)
	Gauge{"cache_bytes", "Bytes in a cache.", func() float64 { return float64(counts().Bytes) }}.register(m.registerer, labels)
	m.counter("cache_hits_total", "Lookups in a cache that found something.", labels, func() uint64 { return counts().Hits })
	m.counter("cache_misses_total", "Lookups in a cache that found nothing.", labels, func() uint64 { return counts().Misses })
}

// valid returns a text as a valid label: Prometheus requires UTF-8.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

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
	// seconds since the start; a reset does not change it
	Uptime int64 `json:"uptime"`
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
