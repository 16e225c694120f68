package metrics

import (
	"math/bits"
	"sync/atomic"
	"time"
)

// A period holds the counts since the start or the last reset. A reset replaces it, so that no
// reader sees a partial reset.
type period struct {
	began        time.Time
	hits, misses uint64 // of the caches at the start of the period
	successful   atomic.Uint64
	failed       atomic.Uint64
	bytes        atomic.Uint64
	methods      []atomic.Uint64
	times        [64 << timeBits]atomic.Uint64 // number of calls by slot of their time, see slot
}

// timeBits is the precision of times: each doubling has 4 slots, so a percentile is at most 25 %
// too high.
const timeBits = 2

func (m *Metrics) newPeriod() *period {
	cache := m.cache()
	return &period{began: time.Now(), methods: make([]atomic.Uint64, len(m.methods)), hits: cache.Hits, misses: cache.Misses}
}

func (p *period) add(s *method, ok bool, bytes uint64, took time.Duration) {
	if ok {
		p.successful.Add(1)
	} else {
		p.failed.Add(1)
	}
	p.bytes.Add(bytes)
	p.methods[s.index].Add(1)
	if s.duration != nil {
		p.times[slot(took)].Add(1)
	}
}

// slot returns the index at which a time is counted: the number of its highest bit, followed by the
// next timeBits bits.
func slot(took time.Duration) int {
	v := max(uint64(took), 1<<timeBits)
	top := bits.Len64(v) - 1
	return top<<timeBits | int(v>>(top-timeBits))&(1<<timeBits-1)
}

// end returns the longest time that is counted in a slot.
func end(slot int) time.Duration {
	top := slot >> timeBits
	return time.Duration(uint64(1<<timeBits|slot&(1<<timeBits-1))+1)<<(top-timeBits) - 1
}

// percentiles returns the times that the given shares of all calls did not exceed. The shares must
// be in ascending order. Without calls, the times are 0.
func (p *period) percentiles(shares ...float64) []time.Duration {
	var counts [len(p.times)]uint64
	var all uint64
	for i := range p.times {
		counts[i] = p.times[i].Load()
		all += counts[i]
	}
	times := make([]time.Duration, len(shares))
	if all == 0 {
		return times
	}
	i, seen := 0, counts[0]
	for j, share := range shares {
		for float64(seen) < share*float64(all) {
			i++
			seen += counts[i]
		}
		times[j] = end(i)
	}
	return times
}

// A summary is the answer of /metrics/json.
type summary struct {
	TotalRequests uint64            `json:"totalRequests"`
	Successful    uint64            `json:"successful"`
	Failed        uint64            `json:"failed"`
	CacheHits     uint64            `json:"cacheHits"`
	CacheMisses   uint64            `json:"cacheMisses"`
	Uptime        int64             `json:"uptime"` // seconds since the start; a reset does not change it
	Timestamp     string            `json:"timestamp"`
	Since         string            `json:"since"` // the start or the last reset
	Bytes         uint64            `json:"bytes"`
	Latency       latency           `json:"latency"`
	Methods       map[string]uint64 `json:"methods"` // only methods that were called
	Sessions      int               `json:"sessions"`
	Streams       int               `json:"streams"`
}

// latency has percentiles in milliseconds.
type latency struct {
	P50 float64 `json:"p50"`
	P95 float64 `json:"p95"`
	P99 float64 `json:"p99"`
}

func (m *Metrics) summary() summary {
	now, p := time.Now(), m.period.Load()
	s := summary{
		Successful: p.successful.Load(), Failed: p.failed.Load(), Bytes: p.bytes.Load(),
		Uptime:    int64(now.Sub(m.began) / time.Second),
		Timestamp: timestamp(now), Since: timestamp(p.began),
		Methods: make(map[string]uint64),
	}
	s.TotalRequests = s.Successful + s.Failed
	cache := m.cache()
	s.CacheHits, s.CacheMisses = cache.Hits-p.hits, cache.Misses-p.misses
	s.Sessions, s.Streams = m.sessions()
	for name, method := range m.methods {
		if n := p.methods[method.index].Load(); n > 0 {
			s.Methods[name] = n
		}
	}
	times := p.percentiles(.5, .95, .99)
	ms := func(d time.Duration) float64 { return float64(d.Round(time.Microsecond)) / float64(time.Millisecond) }
	s.Latency = latency{ms(times[0]), ms(times[1]), ms(times[2])}
	return s
}

// timestamp formats a time as JavaScript does.
func timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
