package webpage

import (
	"runtime/metrics"
	"time"
)

// Bounds on what a page may cost. A page that exceeds one is cut, with a note. How long the processor time takes depends on the load
// of the computer.
const (
	maxBytes  = 64 << 20 // of HTML
	maxNodes  = 2_400_000
	maxMemory = 300 << 20       // bytes that making the tree may add to the heap
	parseTime = 4 * time.Second // of the processor, for making the tree
	pageTime  = 7 * time.Second // of the processor, for everything

	// A tree usually takes 30 times its text, and 60 times if the text consists of short cells. A tree that takes more
	// than usualMemory and more than perByte times its text comes from tags that each open many elements again.
	usualMemory = 32 << 20
	perByte     = 128
)

// A meter measures the cost of making a tree. It also counts other work of the process.
type meter struct {
	sample []metrics.Sample
	least  uint64        // bytes
	until  time.Duration // of [processTime]
}

func newMeter() *meter {
	m := &meter{sample: []metrics.Sample{{Name: "/gc/heap/live:bytes"}}, until: processTime() + parseTime}
	metrics.Read(m.sample)
	m.least = m.sample[0].Value.Uint64()
	return m
}

// look reports whether a bound is reached after read bytes, and whether the tree takes more memory than its text
// explains.
func (m *meter) look(read int) (full, strange bool) {
	metrics.Read(m.sample)
	now := m.sample[0].Value.Uint64()
	m.least = min(m.least, now)
	taken := now - m.least
	return taken > maxMemory || processTime() > m.until, taken > usualMemory+uint64(read)*perByte
}
