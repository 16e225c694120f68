package webpage

import (
	"bytes"
	"context"
	"errors"
	"runtime/metrics"
	"time"
)

// ErrLarge reports that a page takes more than a server should spend within its own process. Such a page is
// read by [Choice.ReadLarge], in a process that can be killed.
var ErrLarge = errors.New("the page is too large to be converted within the server")

// bounds say how much a page may take. Beyond light bounds the error is [ErrLarge]; beyond large ones the page is
// cut, with a note.
type bounds struct {
	cut    bool
	bytes  int    // of HTML
	tags   int    // of HTML, and links of Markdown
	nodes  int    // elements and texts of the tree
	memory uint64 // bytes that making the tree may add to the heap
	// For making the tree, and for everything. A page that is cut may take so much of the processor: how long
	// that is depends on what else the computer does.
	parse, all time.Duration
}

var (
	light = bounds{bytes: 5 << 20, tags: 200_000, nodes: 500_000, memory: 64 << 20, all: time.Second}
	large = bounds{cut: true, bytes: 64 << 20, nodes: 2_400_000, memory: 300 << 20, parse: 8 * time.Second, all: 15 * time.Second}
)

const (
	// A tree takes about 30 times its text, and 60 times where that is nothing but short cells. What takes
	// usualMemory and more than perByte times its text is made by tags that each open many elements again.
	usualMemory = 32 << 20
	perByte     = 128
)

// refuses reports whether a source has more than a page within a server may have.
func (b bounds) refuses(kind Kind, body []byte) bool {
	count := func(mark string) int { return bytes.Count(body, []byte(mark)) }
	switch {
	case b.cut:
		return false
	case kind == HTML:
		return len(body) > b.bytes || count("<") > b.tags
	case kind == Markdown:
		return count("](")+count("]:")+count("<") > b.tags
	}
	return false
}

// A timed context ends with [ErrLarge] when the time for a page is over.
type timed struct {
	context.Context
	until time.Time
}

// Err returns why the context has ended, nil if it has not.
func (t timed) Err() error {
	if err := t.Context.Err(); err != nil || time.Now().Before(t.until) {
		return err
	}
	return ErrLarge
}

// within returns a context for reading a page, which ends in time unless the page is cut then.
func (b bounds) within(ctx context.Context) context.Context {
	if b.cut {
		return ctx
	}
	return timed{ctx, time.Now().Add(b.all)}
}

// A meter measures what making a tree takes. What else the process does counts too.
type meter struct {
	bounds
	sample []metrics.Sample
	least  uint64        // bytes
	until  time.Duration // of [processTime]
}

func newMeter(b bounds) *meter {
	// The garbage of a server belongs to many pages. A process for one page may have as much of it as there is memory.
	name := "/memory/classes/heap/objects:bytes"
	if b.cut {
		name = "/gc/heap/live:bytes"
	}
	m := &meter{bounds: b, sample: []metrics.Sample{{Name: name}}, until: processTime() + b.parse}
	metrics.Read(m.sample)
	m.least = m.sample[0].Value.Uint64()
	return m
}

// look reports whether the bounds are reached when so many bytes were read, and whether the tree takes more memory
// than its text explains.
func (m *meter) look(read int) (full, strange bool) {
	metrics.Read(m.sample)
	now := m.sample[0].Value.Uint64()
	m.least = min(m.least, now)
	taken := now - m.least
	return taken > m.memory || m.cut && processTime() > m.until, taken > usualMemory+uint64(read)*perByte
}
