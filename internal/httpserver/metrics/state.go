package metrics

import (
	"maps"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

const namespace = "mcp_docs_"

// Gauges are states of a project. They are asked for when somebody reads the metrics, at the same
// time as others, and must not wait for anything. A nil function is left out.
type Gauges struct {
	Resources     func() int // in the catalog
	Documents     func() int
	Prompts       func() int
	Watches       func() int // folders that the system reports changes of
	Polls         func() int // folders that are polled
	Subscriptions func() int // of clients to files
}

// A Project counts what happens to a project.
type Project struct {
	metrics *Metrics
	name    string
	scans   prometheus.Observer
	files   prometheus.Counter
}

// Project returns the counts of a project, and has its states read from now on. The name becomes a
// label, so it is one that the operator chose. Who uses a name that another project has takes its
// place.
func (m *Metrics) Project(name string, g Gauges) *Project {
	name = valid(name)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.projects[name] = g
	return &Project{metrics: m, name: name, scans: m.scans.WithLabelValues(name), files: m.files.WithLabelValues(name)}
}

// Scanned counts a scan of the tree or of changed folders, with the files that it came to.
func (p *Project) Scanned(took time.Duration, files int) {
	p.scans.Observe(max(took, 0).Seconds())
	p.files.Add(float64(max(files, 0)))
}

// Notified counts a notification that was sent to a client. The method is one of the server's own.
func (p *Project) Notified(method string) {
	p.metrics.notices.WithLabelValues(p.name, valid(method)).Inc()
}

// Sessions has a function asked for the number of sessions and of open streams of the server.
func (m *Metrics) Sessions(counts func() (sessions, streams int)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.counts = counts
}

// CacheCounts are the state of a cache. Hits and misses only grow.
type CacheCounts struct {
	Hits, Misses uint64
	Entries      int
	Bytes        int64
}

// Cache has a function asked for the state of a cache.
func (m *Metrics) Cache(name string, counts func() CacheCounts) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.caches[valid(name)] = counts
}

// asked returns the functions of now, so that none of them runs with the lock held.
func (m *Metrics) asked() (counts func() (int, int), projects map[string]Gauges, caches map[string]func() CacheCounts) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.counts, maps.Clone(m.projects), maps.Clone(m.caches)
}

// sessions returns the number of sessions and streams.
func (m *Metrics) sessions() (sessions, streams int) {
	if counts, _, _ := m.asked(); counts != nil {
		return counts()
	}
	return 0, 0
}

// cached returns the hits and misses of all caches.
func (m *Metrics) cached() (hits, misses uint64) {
	_, _, caches := m.asked()
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
		of   func(Gauges) func() int
	}{
		{desc("resources", "Resources in the catalog.", "project"), func(g Gauges) func() int { return g.Resources }},
		{desc("documents", "Documents.", "project"), func(g Gauges) func() int { return g.Documents }},
		{desc("prompts", "Prompts.", "project"), func(g Gauges) func() int { return g.Prompts }},
		{desc("watched_folders", "Folders that the system reports changes of.", "project"), func(g Gauges) func() int { return g.Watches }},
		{desc("polled_folders", "Folders that are polled for changes.", "project"), func(g Gauges) func() int { return g.Polls }},
		{desc("subscriptions", "Subscriptions of clients to files.", "project"), func(g Gauges) func() int { return g.Subscriptions }},
	}
)

// states collects what is asked for when somebody reads it.
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
	counts, projects, caches := s.m.asked()
	if counts != nil {
		sessions, streams := counts()
		value(sessionsDesc, prometheus.GaugeValue, float64(sessions))
		value(streamsDesc, prometheus.GaugeValue, float64(streams))
	}
	for name, p := range projects {
		for _, g := range gauges {
			if count := g.of(p); count != nil {
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

// valid returns a text that can be a label: Prometheus wants UTF-8.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
