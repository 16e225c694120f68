package metrics

import (
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

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
