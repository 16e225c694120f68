package docs

import (
	"bytes"
	"context"
	"maps"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/progress"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
)

// maxPreparing is the processor time that a document may take to be made ready for the index. The readers of documents take linear
// time, so only a very large document takes more, or one that is made to.
const maxPreparing = time.Second

// maxIncluded is how many bytes of included files are indexed in one build. A small file that thousands of documents include would
// otherwise fill the memory.
const maxIncluded = 64 << 20

// readAll reads documents on all processors.
func (l *Library) readAll(ctx context.Context, docs []*document, pause func(context.Context) bool) ([]*index, error) {
	// Each processor has one vocabulary, and takes the next document when it is done with one. Few documents need one vocabulary.
	const few = 16
	workers := min(runtime.GOMAXPROCS(0), (len(docs)+few-1)/few)
	indexed := progress.Begin(ctx, "indexing", "documents", len(docs))
	defer indexed.End()
	parts := make([][]*index, workers)
	var taken atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	for i := range workers {
		group.Go(func() error {
			w := newWriter()
			for n := int(taken.Add(1)); n <= len(docs) && ctx.Err() == nil; n = int(taken.Add(1)) {
				for pause != nil && l.builder.waiting.Load() == 0 && pause(ctx) {
				}
				l.write(ctx, w, docs[n-1])
				l.builder.left.Add(-1)
				indexed.Add(1)
			}
			parts[i] = w.indexes()
			return ctx.Err()
		})
	}
	err := group.Wait()
	return slices.Concat(parts...), err
}

// write adds a document to a writer. What cannot be read is found only by its path until it changes.
func (l *Library) write(ctx context.Context, w *writer, d *document) {
	text, p := "", d.page()
	switch {
	case p == nil: // a text of a source, of which other bytes than text are not indexed
		if whole, exact, err := l.read(ctx, d, MaxText); err == nil && exact {
			text = whole
		}
		w.document(d, text)
		return
	case p.PathOnly, d.isPDF() && !d.texted:
		w.document(d, "")
		return
	case d.isPDF():
		text, _, _ = l.source(d, maxIndexed, true)
	default:
		if data := p.Take(); data != nil {
			text, _, _ = decode(bytes.NewReader(data), d, maxIndexed)
		} else if f, err := l.openAgain(l.fileOf(d)); err == nil {
			text, _, _ = decode(f, d, maxIndexed)
			f.Close()
		}
	}
	w.document(d, l.prepared(ctx, d, text))
}

// prepared returns the text of a document of a site for the index. A document that takes too long has none: it is served, and found
// by its path.
func (l *Library) prepared(ctx context.Context, d *document, text string) string {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	began := threadTime()
	c := site.Content{Text: text}
	if b := l.builder; b.included.Load() < maxIncluded {
		c, _ = l.sites.Content(ctx, d.page(), text) // readAll looks at the context
		b.misses(c.Parts, d.page().File)
		if more := int64(len(c.Text) - len(text)); more > 0 && b.included.Add(more) >= maxIncluded {
			b.note(d.page().File, "is one of the documents that include %d MiB together: what further ones include is read with them, and not searched", maxIncluded>>20)
		}
	}
	if w := d.page().Wrong; w != nil {
		l.builder.note(d.page().File, "line %d: the front matter is not well-formed, so what it says of the page may be lost: %s", w.Line, w.Reason)
	}
	text = d.searchable(c.Text)
	if threadTime()-began > l.builder.most {
		l.builder.note(d.page().File, "is not searched, but can be read: to prepare it takes more than a second. Make it smaller")
		return ""
	}
	return text
}

// A missed file is one that documents include and that is not there.
type missed struct {
	document string // the first one, and the line
	line     int
	times    int // documents
	noted    bool
}

// misses notes which files a document includes that are not there.
func (b *builder) misses(parts []site.Part, document string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	seen := make(map[string]bool)
	for _, part := range parts {
		switch m := b.missed[part.File]; {
		case !part.Missing || seen[part.File]:
		case m != nil:
			m.times++
		case len(b.missed) < maxMissed:
			b.missed[part.File] = &missed{document: document, line: part.Line, times: 1}
		}
		seen[part.File] = seen[part.File] || part.Missing
	}
}

// maxMissed is the number of missing files that are named.
const maxMissed = 1000

// noteMissed makes a notice of each file that documents include and that is not there, unless it has one.
func (b *builder) noteMissed() {
	for _, name := range slices.Sorted(maps.Keys(b.missed)) { // no document is read now
		switch m := b.missed[name]; {
		case m.noted:
			continue
		case m.times == 1:
			b.note(m.document, "line %d includes %q, which is not found", m.line, name)
		default:
			b.note(m.document, "line %d, and %d more documents, include %q, which is not there: check lists them", m.line, m.times-1, name)
		}
		b.missed[name].noted = true
	}
}
