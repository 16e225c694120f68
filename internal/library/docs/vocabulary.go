package docs

import (
	"context"
	"slices"
)

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
