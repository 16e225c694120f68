package metrics

import (
	"maps"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

const namespace = "mcp_docs_"

// Gauges return the states of a project. They are called when metrics are read, concurrently, and
// must not wait. A nil function is omitted.
type Gauges struct {
	Resources     func() int // in the catalog
	Documents     func() int
	Prompts       func() int
	Watches       func() int // folders that the system reports changes of
	Polls         func() int // folders that are polled
	Subscriptions func() int // of clients to files
}

// A Project counts the events of a project.
type Project struct {
	metrics *Metrics
	name    string
	scans   prometheus.Observer
	files   prometheus.Counter
}

// Project returns the counts of a project and registers its states. The operator chose the name,
// which becomes a label. A second project with the same name replaces the first.
func (m *Metrics) Project(name string, g Gauges) *Project {
	name = valid(name)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.projects[name] = g
	return &Project{metrics: m, name: name, scans: m.scans.WithLabelValues(name), files: m.files.WithLabelValues(name)}
}

// Scanned counts a scan of the tree or of changed folders, and the files in it.
func (p *Project) Scanned(took time.Duration, files int) {
	p.scans.Observe(max(took, 0).Seconds())
	p.files.Add(float64(max(files, 0)))
}

// Notified counts a notification that was sent to a client. method must be one of the server's.
func (p *Project) Notified(method string) {
	p.metrics.notices.WithLabelValues(p.name, valid(method)).Inc()
}

// Sessions sets the function that returns the number of sessions and of open streams.
func (m *Metrics) Sessions(counts func() (sessions, streams int)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.counts = counts
}

// CacheCounts describe a cache. Hits and misses only grow.
type CacheCounts struct {
	Hits, Misses uint64
	Entries      int
	Bytes        int64
}

// Cache sets the function that returns the state of a cache.
func (m *Metrics) Cache(name string, counts func() CacheCounts) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.caches[valid(name)] = counts
}

// sources returns the current functions for states, so that none of them is called with the lock
// held.
func (m *Metrics) sources() (counts func() (int, int), projects map[string]Gauges, caches map[string]func() CacheCounts) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.counts, maps.Clone(m.projects), maps.Clone(m.caches)
}

// sessions returns the number of sessions and streams.
func (m *Metrics) sessions() (sessions, streams int) {
	if counts, _, _ := m.sources(); counts != nil {
		return counts()
	}
	return 0, 0
}

// cached returns the hits and misses of all caches.
func (m *Metrics) cached() (hits, misses uint64) {
	_, _, caches := m.sources()
	for _, counts := range caches {
		c := counts()
		hits += c.Hits
		misses += c.Misses
	}
	return hits, misses
}

func desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(namespace+name, help, labels, nil)
}

var (
	sessionsDesc = desc("sessions", "Sessions that are open.")
	streamsDesc  = desc("streams", "Streams to clients that are open.")

	hitsDesc       = desc("cache_hits_total", "Lookups in a cache that found something.", "cache")
	missesDesc     = desc("cache_misses_total", "Lookups in a cache that found nothing.", "cache")
	entriesDesc    = desc("cache_entries", "Entries of a cache.", "cache")
	cacheBytesDesc = desc("cache_bytes", "Bytes in a cache.", "cache")

	gauges = []struct {
		desc *prometheus.Desc
		from func(Gauges) func() int
	}{
		{desc("resources", "Resources in the catalog.", "project"), func(g Gauges) func() int { return g.Resources }},
		{desc("documents", "Documents.", "project"), func(g Gauges) func() int { return g.Documents }},
		{desc("prompts", "Prompts.", "project"), func(g Gauges) func() int { return g.Prompts }},
		{desc("watched_folders", "Folders that the system reports changes of.", "project"), func(g Gauges) func() int { return g.Watches }},
		{desc("polled_folders", "Folders that are polled for changes.", "project"), func(g Gauges) func() int { return g.Polls }},
		{desc("subscriptions", "Subscriptions of clients to files.", "project"), func(g Gauges) func() int { return g.Subscriptions }},
	}
)

// states collects the states when metrics are read.
type states struct{ m *Metrics }

func (s states) Describe(c chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{sessionsDesc, streamsDesc, hitsDesc, missesDesc, entriesDesc, cacheBytesDesc} {
		c <- d
	}
	for _, g := range gauges {
		c <- g.desc
	}
}

func (s states) Collect(c chan<- prometheus.Metric) {
	value := func(d *prometheus.Desc, kind prometheus.ValueType, v float64, labels ...string) {
		c <- prometheus.MustNewConstMetric(d, kind, v, labels...)
	}
	counts, projects, caches := s.m.sources()
	if counts != nil {
		sessions, streams := counts()
		value(sessionsDesc, prometheus.GaugeValue, float64(sessions))
		value(streamsDesc, prometheus.GaugeValue, float64(streams))
	}
	for name, p := range projects {
		for _, g := range gauges {
			if count := g.from(p); count != nil {
				value(g.desc, prometheus.GaugeValue, float64(count()), name)
			}
		}
	}
	for name, counts := range caches {
		n := counts()
		value(hitsDesc, prometheus.CounterValue, float64(n.Hits), name)
		value(missesDesc, prometheus.CounterValue, float64(n.Misses), name)
		value(entriesDesc, prometheus.GaugeValue, float64(n.Entries), name)
		value(cacheBytesDesc, prometheus.GaugeValue, float64(n.Bytes), name)
	}
}

// valid returns a text as a valid label: Prometheus requires UTF-8.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
