package capability

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/tokens"
)

// Exposed says which documents are served.
type Exposed struct{ Summary, Full, Stats, Elements bool }

// Expose returns what a list of names exposes: "summary", "full", "stats" and "elements". An empty
// list exposes all.
func Expose(names []string) Exposed {
	if len(names) == 0 {
		return Exposed{true, true, true, true}
	}
	var e Exposed
	for _, name := range names {
		switch name {
		case "summary":
			e.Summary = true
		case "full":
			e.Full = true
		case "stats":
			e.Stats = true
		case "elements":
			e.Elements = true
		}
	}
	return e
}

// An Index makes the documents of one [Project]. It is safe for concurrent use.
type Index struct {
	Project
	exposed     Exposed
	census      func() *census // counted once
	fingerprint func() string  // computed once

	summaryText, fullText once
}

// newIndex returns the index of a project. It makes no document yet. The caller says whether the library
// counts as indexed: it may have been indexed meanwhile.
func newIndex(p Project, e Exposed, indexed bool) *Index {
	p.indexed = indexed
	x := &Index{Project: p, exposed: e, summaryText: newOnce(), fullText: newOnce()}
	x.census, x.fingerprint = sync.OnceValue(x.Project.census), sync.OnceValue(x.computeFingerprint)
	return x
}

// A Text is a document with its estimated tokens.
type Text struct {
	Text   string
	Tokens int
	data   []byte // the bytes of Text, which must not change
}

func newText(s string) Text { return Text{s, tokens.Estimate(s), []byte(s)} }

// A once is a text that is made once. Other callers wait while it is made.
type once struct {
	turn chan struct{} // holds a value unless a caller is making the text
	text *atomic.Pointer[Text]
}

func newOnce() once {
	o := once{make(chan struct{}, 1), new(atomic.Pointer[Text])}
	o.turn <- struct{}{}
	return o
}

func (o once) get(ctx context.Context, write func() Text) (t Text, kept bool, err error) {
	if t := o.text.Load(); t != nil {
		return *t, true, nil
	}
	select {
	case <-o.turn:
		defer func() { o.turn <- struct{}{} }()
	case <-ctx.Done():
		return Text{}, false, ctx.Err()
	}
	if t := o.text.Load(); t != nil {
		return *t, true, nil
	}
	made := write()
	o.text.Store(&made)
	return made, false, nil
}
