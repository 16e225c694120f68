package webpage

import (
	"bytes"
	"context"
	"errors"
	"runtime/metrics"
	"time"
)

// ErrLarge reports that a page costs more than a server should spend in its own process. [Choice.ReadLarge] reads such
// a page, in a process that can be killed.
var ErrLarge = errors.New("the page is too large to be converted within the server")

// bounds limit what a page may cost. A page that exceeds the light bounds gets [ErrLarge]; a page that exceeds the
// large bounds is cut, with a note.
type bounds struct {
	cut    bool
	bytes  int    // of HTML
	tags   int    // of HTML, and links of Markdown
	nodes  int    // elements and texts of the tree
	memory uint64 // bytes that making the tree may add to the heap; 0: any number
	// Processor time for making the tree, and for everything. A page that exceeds it is cut; how long the processor
	// time takes depends on the load of the computer. 0: any time.
	parse, all time.Duration
}

var (
	light = bounds{bytes: 5 << 20, tags: 200_000, nodes: 500_000, memory: 64 << 20, all: time.Second}
	large = bounds{cut: true, bytes: 64 << 20, nodes: 2_400_000, memory: 300 << 20, parse: 4 * time.Second, all: 7 * time.Second}
)

const (
	// A tree usually takes 30 times its text, and 60 times if the text consists of short cells. A tree that takes more
	// than usualMemory and more than perByte times its text comes from tags that each open many elements again.
	usualMemory = 32 << 20
	perByte     = 128
)

// refuses reports whether a source exceeds the bounds for a page in the process of a server.
func (b bounds) refuses(kind Kind, body []byte) bool {
	count := func(mark string) int { return bytes.Count(body, []byte(mark)) }
	return !b.cut && (kind == HTML && (len(body) > b.bytes || count("<") > b.tags) || kind == Markdown && count("](")+count("]:")+count("<") > b.tags)
}

// A timed context ends with [ErrLarge] when the time for a page is over.
type timed struct {
	context.Context
	until time.Time
}

// Err returns the reason why the context has ended, or nil while it has not ended.
func (t timed) Err() error {
	if err := t.Context.Err(); err != nil || time.Now().Before(t.until) {
		return err
	}
	return ErrLarge
}

// within returns a context for reading a page. It ends when the time is over, unless pages are cut at that time.
func (b bounds) within(ctx context.Context) context.Context {
	if b.cut || b.all == 0 {
		return ctx
	}
	return timed{ctx, time.Now().Add(b.all)}
}

// A meter measures the cost of making a tree. It also counts other work of the process.
type meter struct {
	bounds
	sample []metrics.Sample
	least  uint64        // bytes
	until  time.Duration // of [processTime]
}

func newMeter(b bounds) *meter {
	// The garbage of a server comes from many pages. A process for one page may use all of its memory for garbage.
	name := "/memory/classes/heap/objects:bytes"
	if b.cut {
		name = "/gc/heap/live:bytes"
	}
	m := &meter{bounds: b, sample: []metrics.Sample{{Name: name}}, until: processTime() + b.parse}
	metrics.Read(m.sample)
	m.least = m.sample[0].Value.Uint64()
	return m
}

// look reports whether a bound is reached after read bytes, and whether the tree takes more memory than its text
// explains.
func (m *meter) look(read int) (full, strange bool) {
	if m.memory == 0 {
		return false, false
	}
	metrics.Read(m.sample)
	now := m.sample[0].Value.Uint64()
	m.least = min(m.least, now)
	taken := now - m.least
	return taken > m.memory || m.cut && processTime() > m.until, taken > usualMemory+uint64(read)*perByte
}
