package docs

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// An index finds passages by their words. It is immutable.
type index struct {
	docs     []*document
	passages []IndexedPassage // the passages of a document are adjacent
	texts    bool             // it has no document
	// passages of documents, or of all texts without documents: the measure of how rare a word is
	counted int
	words   int // in these passages

	// The postings of terms[i] are where[starts[i]:starts[i+1]], the passages that contain it, and
	// the same range of weights: how often they contain it, up to maxCount, and in which names.
	terms   []string // sorted
	starts  []uint32
	where   []uint32
	weights []uint8

	// holders[i] is the number of passages that have terms[i] in their text or their names. Passages that have it only
	// in the path of a folder do not count, so that such a word stays rare. Only a merged index has it.
	holders []uint32

	// same[i] is the first document that is the same page as docs[i]: a translation, another version or a copy. Only a merged index has it.
	same []uint32
}

// An IndexedPassage is a passage without its text. It takes 48 bytes.
type IndexedPassage struct {
	Heading  string
	Document uint32 // in the documents of its index
	Offset   uint32 // in the file, in bytes
	Size     uint32 // bytes
	Line     uint32 // from 1
	Words    uint16
	Code     bool // it begins in fenced code
	Later    bool // it continues the section of the passage before it
	named    naming
}

// A naming holds the weights of the words in the names of a passage. The file name and the title
// belong to the first passage of a document; they are 0 in others.
type naming struct{ name, title, heading float32 }

// add adds the weight of a word to the names that a posting marks.
func (n *naming) add(posting uint8, weight float32) {
	if posting&inName != 0 {
		n.name += weight
	}
	if posting&inTitle != 0 {
		n.title += weight
	}
	if posting&inHeading != 0 {
		n.heading += weight
	}
}

// maxIndexed is the size in bytes above which a document is found only by its path.
const maxIndexed = 64 << 20

// A builder builds the indexes of successive libraries, one at a time, each from the index before
// it.
type builder struct {
	turn    *semaphore.Weighted // one build at a time
	left    atomic.Int64        // documents that the current build has not read
	waiting atomic.Int32        // searches that wait for a build
	want    sync.Once
	wanted  chan struct{} // closed by want when an index is needed
	last    *index        // of the default languages and versions, guarded by turn
	whole   *index        // of all documents, guarded by turn; nil: it was not built yet
	read    int           // documents read, guarded by turn; for tests
	// texts that were left out when that was noted last, guarded by turn
	leftOut int

	mu       sync.Mutex
	warnings []loader.Warning // see [Library.TakeWarnings]; guarded by mu
	// files that documents include and that are not there; guarded by mu while documents are read
	missed map[string]*missed

	included atomic.Int64  // bytes of included files in the current build
	most     time.Duration // see maxPreparing; less in tests
}

func newBuilder() *builder {
	b := &builder{turn: semaphore.NewWeighted(1), wanted: make(chan struct{}), last: new(index), missed: make(map[string]*missed), most: maxPreparing}
	b.left.Store(math.MaxInt32) // until a build knows
	return b
}

// Index builds the index of the library if it does not exist yet. It reads only the documents that
// are new since the last indexed library. The error is ctx.Err().
func (l *Library) Index(ctx context.Context) error { return l.IndexBeside(ctx, nil) }

// IndexBeside is Index for a server that has other work. pause, if not nil, is called before each
// document is read until it returns false, from several goroutines at the same time, and may wait
// each time. It is not called while a search waits for the index.
func (l *Library) IndexBeside(ctx context.Context, pause func(context.Context) bool) error {
	if l == nil || l.builder == nil {
		return nil
	}
	l.builder.need()
	// Searches take the turn between the two: most need the default languages and versions alone.
	for _, whole := range []bool{false, true} {
		if l.indexed(whole) != nil {
			continue
		}
		if err := l.builder.turn.Acquire(ctx, 1); err != nil {
			return err
		}
		err := l.build(ctx, whole, pause)
		if l.builder.turn.Release(1); err != nil {
			return err
		}
	}
	return nil
}

// IndexWanted is Index for a library that is perhaps never searched: it first waits until an index is needed, and does nothing
// if superseded is closed before. Searches leave the work to it.
func (l *Library) IndexWanted(ctx context.Context, superseded <-chan struct{}) error {
	if err := l.builder.turn.Acquire(ctx, 1); err != nil {
		return err
	}
	defer l.builder.turn.Release(1)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-superseded:
		return nil
	case <-l.builder.wanted:
		return l.build(ctx, true, nil)
	}
}

// need ends the wait of [Library.IndexWanted].
func (b *builder) need() { b.want.Do(func() { close(b.wanted) }) }

// Indexed reports whether the index is ready.
func (l *Library) Indexed() bool { return l.Len() == 0 || l.index.Load() != nil }

// Await waits for the index as a search does: for a second if it is being built. The error is the
// error of ctx.
func (l *Library) Await(ctx context.Context) error {
	if l.Indexed() {
		return nil
	}
	_, err := l.await(ctx, false, shortWait)
	return err
}

// await returns the index as [Library.indexed] does, or nil if the build takes too long.
func (l *Library) await(ctx context.Context, whole bool, most time.Duration) (*index, error) {
	if x := l.indexed(whole); x != nil {
		return x, nil
	}
	l.builder.need()
	l.builder.waiting.Add(1)
	defer l.builder.waiting.Add(-1)
	waiting, stop := context.WithTimeout(ctx, most)
	defer stop()
	if l.builder.turn.Acquire(waiting, 1) != nil {
		return nil, ctx.Err()
	}
	defer l.builder.turn.Release(1)
	err := l.build(ctx, whole, nil)
	return l.indexed(whole), err
}

// Progress returns how many of the documents of the default languages and versions the index has, while it is built.
func (l *Library) Progress() (read, all int) {
	if l = l.known(); l.builder == nil || l.indexed(false) != nil {
		return len(l.docs), len(l.docs)
	}
	return max(0, len(l.docs)-max(1, int(l.builder.left.Load()))), len(l.docs)
}

// TakeWarnings returns what was noticed while documents were indexed since the last call: files that they include and that are
// not found, and texts that are left out.
func (l *Library) TakeWarnings() (warnings []loader.Warning) {
	if l != nil && l.builder != nil {
		l.builder.mu.Lock()
		defer l.builder.mu.Unlock()
		warnings, l.builder.warnings = l.builder.warnings, nil
	}
	return warnings
}

func (b *builder) note(file, format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.warnings = append(b.warnings, loader.Warning{Path: file, Reason: fmt.Sprintf(format, args...)})
}

// indexed returns the index of the documents of the default languages and versions, or of all documents, or nil if it was
// not built yet. A word is as rare as it is among the documents of an index.
func (l *Library) indexed(whole bool) *index {
	if whole {
		return l.whole.Load()
	}
	return l.index.Load()
}

// build builds an index. The caller holds the turn.
func (l *Library) build(ctx context.Context, whole bool, pause func(context.Context) bool) error {
	if l.indexed(whole) != nil {
		return nil
	}
	b := l.builder
	if l.others == nil && len(l.sources) > 0 {
		l.gather(b.last)
	}
	last, docs := b.last, l.searched(whole)
	if whole {
		if err := l.build(ctx, false, pause); err != nil {
			return err
		}
		if len(docs) == len(l.searched(false)) {
			b.whole = nil
			l.whole.Store(l.index.Load())
			return nil
		}
		if last = b.whole; last == nil {
			last = l.index.Load()
		}
	}
	known := make(map[*document]bool, len(last.docs))
	for _, d := range last.docs {
		known[d] = true
	}
	fresh := slices.DeleteFunc(docs, func(d *document) bool { return known[d] })
	b.included.Store(0)
	b.left.Store(int64(len(fresh)))
	parts, err := l.readAll(ctx, fresh, pause)
	if err != nil {
		return err
	}
	b.noteMissed()
	b.read += len(fresh)
	next := merge(append(parts, last), l.holds)
	if whole {
		b.whole = next
		l.whole.Store(next)
	} else {
		b.last = next
		l.index.Store(next)
	}
	return nil
}

// Figures describe the size of an index of documents, or of texts without documents. All are 0 until the index is ready.
type Figures struct {
	Documents, Passages int
	Words               int // in all passages
	Terms               int // different words, reduced to their stems
}

// Figures returns the figures of the index.
func (l *Library) Figures() Figures {
	x := l.known().index.Load()
	if x == nil {
		return Figures{}
	}
	documents := 0
	for _, d := range x.docs {
		if d.uri == "" {
			documents++
		}
	}
	terms := 0
	for i := range x.terms {
		if slices.ContainsFunc(x.where[x.starts[i]:x.starts[i+1]], x.counts) {
			terms++
		}
	}
	return Figures{documents, x.counted, x.words, terms}
}
