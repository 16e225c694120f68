package docs

import (
	"context"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"
)

// An index finds passages by their words. It never changes.
type index struct {
	docs     []*document
	passages []passage // those of a document follow each other
	words    int       // in all passages

	// The postings of terms[i] are where[starts[i]:starts[i+1]], the passages that hold it, and as many in weights, how
	// often, with the factors of headings and paths, up to 255.
	terms   []string // sorted
	starts  []uint32
	where   []uint32
	weights []uint8
}

// A passage takes 40 bytes.
type passage struct {
	heading string
	doc     uint32 // in index.docs
	offset  uint32 // in the file, in bytes
	size    uint32 // bytes
	line    uint32 // from 1
	words   uint16
}

// maxIndexed is the size in bytes beyond which a document is found by its path only.
const maxIndexed = 64 << 20

// A builder makes the index of each library in a line of them, one at a time, from that of the one before.
type builder struct {
	turn chan struct{} // holds a value while nobody builds
	last *index        // guarded by turn
	read int           // documents read, guarded by turn; for tests
}

func newBuilder() *builder {
	b := &builder{turn: make(chan struct{}, 1), last: new(index)}
	b.turn <- struct{}{}
	return b
}

// Index builds the index of the library, unless that is done. It reads the documents that are new since the last library
// that was indexed. The error is of ctx.
func (l *Library) Index(ctx context.Context) error {
	if l == nil || l.builder == nil || l.index.Load() != nil {
		return nil
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-l.builder.turn:
	}
	defer func() { l.builder.turn <- struct{}{} }()
	return l.build(ctx)
}

// build is called by the one whose turn it is.
func (l *Library) build(ctx context.Context) error {
	if l.index.Load() != nil {
		return nil
	}
	last := l.builder.last
	wanted := make(map[*document]bool, len(l.docs))
	for _, d := range l.docs {
		wanted[d] = true
	}
	for _, d := range last.docs {
		delete(wanted, d)
	}
	var fresh []*document
	for _, d := range l.docs {
		if wanted[d] {
			fresh = append(fresh, d)
		}
	}
	parts, err := l.readAll(ctx, fresh)
	if err != nil {
		return err
	}
	l.builder.read += len(fresh)
	next := merge(append(parts, last), func(d *document) bool { return l.files[d.path] == d })
	l.builder.last = next
	l.index.Store(next)
	return nil
}

// readAll makes small indexes of documents, on all processors.
func (l *Library) readAll(ctx context.Context, docs []*document) ([]*index, error) {
	// Some more shares than processors, so that none waits long for another; each costs a vocabulary.
	shares := min(2*runtime.GOMAXPROCS(0), (len(docs)+15)/16)
	parts := make([]*index, shares)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range shares {
		group.Go(func() error {
			w := newWriter()
			for _, d := range docs[i*len(docs)/shares : (i+1)*len(docs)/shares] {
				if err := ctx.Err(); err != nil {
					return err
				}
				text, err := l.readAgain(d, maxIndexed)
				if err != nil { // it is behind an absolute link, or else found by its path until it changes
					text, _, _ = l.read(d, maxIndexed)
				}
				w.document(d, text)
			}
			parts[i] = w.index()
			return nil
		})
	}
	return parts, group.Wait()
}

// merge makes one index of several. Passages of documents that are not kept are dropped, and terms that only they had.
func merge(parts []*index, keep func(*document) bool) *index {
	out := new(index)
	const gone = ^uint32(0)
	numbers := make([][]uint32, len(parts)) // of passages in out
	var terms, postings, passages int
	for _, p := range parts {
		terms, postings, passages = max(terms, len(p.terms)), postings+len(p.where), passages+len(p.passages)
	}
	out.passages = make([]passage, 0, passages)
	for i, p := range parts {
		kept := make([]uint32, len(p.docs))
		for d, doc := range p.docs {
			kept[d] = gone
			if keep(doc) {
				kept[d] = uint32(len(out.docs))
				out.docs = append(out.docs, doc)
			}
		}
		numbers[i] = make([]uint32, len(p.passages))
		for n, passage := range p.passages {
			numbers[i][n] = gone
			if passage.doc = kept[passage.doc]; passage.doc != gone {
				numbers[i][n] = uint32(len(out.passages))
				out.passages = append(out.passages, passage)
				out.words += int(passage.words)
			}
		}
	}
	out.terms = make([]string, 0, terms)
	out.starts = make([]uint32, 0, terms+1)
	out.where, out.weights = make([]uint32, 0, postings), make([]uint8, 0, postings)
	next := make([]int, len(parts)) // term of each part
	for {
		term, found := "", false
		for i, p := range parts {
			if next[i] < len(p.terms) && (!found || p.terms[next[i]] < term) {
				term, found = p.terms[next[i]], true
			}
		}
		if !found {
			break
		}
		start := len(out.where)
		for i, p := range parts {
			if n := next[i]; n < len(p.terms) && p.terms[n] == term {
				next[i]++
				for at := p.starts[n]; at < p.starts[n+1]; at++ {
					if number := numbers[i][p.where[at]]; number != gone {
						out.where = append(out.where, number)
						out.weights = append(out.weights, p.weights[at])
					}
				}
			}
		}
		if len(out.where) > start {
			out.terms = append(out.terms, term)
			out.starts = append(out.starts, uint32(start))
		}
	}
	out.starts = append(out.starts, uint32(len(out.where)))
	out.passages = slices.Clip(out.passages)
	return out
}
