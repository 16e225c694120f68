package docs

import (
	"context"
	"strings"
	"sync"
)

// Indexed reports whether the index is ready.
func (l *Library) Indexed() bool { return l.Len() == 0 || l.index.Load() != nil }

// Await waits for the index as a search does: for a second if it is being built. The error is the
// error of ctx.
func (l *Library) Await(ctx context.Context) error {
	if l.Indexed() {
		return nil
	}
	_, err := l.await(ctx, false, indexWait)
	return err
}

// Figures describe the size of an index. All are 0 until the index is ready.
type Figures struct {
	Documents, Passages int
	Words               int // in all passages
	Terms               int // different words, reduced to their stems
}

// Figures returns the figures of the index.
func (l *Library) Figures() Figures {
	x := l.peek()
	documents := 0
	for _, d := range x.docs {
		if d.uri == "" {
			documents++
		}
	}
	return Figures{documents, len(x.passages), x.words, len(x.terms)}
}

func (l *Library) peek() *index {
	if l != nil {
		if x := l.index.Load(); x != nil {
			return x
		}
	}
	return new(index)
}

// commonStems are the stems of words that are frequent in headings but do not describe a subject.
var commonStems = sync.OnceValue(func() map[string]bool {
	stems := make(map[string]bool)
	for w := range strings.FieldsSeq("about above after again all also always another any because before behind below between both " +
		"but cannot does down each either else even ever every few first get gets give given gives goes had has have here how " +
		"into itself just know last least less like made make makes many may might more most much must need needs never new next " +
		"none not nothing now off once one ones only other others our out over own own please same says see should since some such " +
		"than their them then there these they thing things this those through two under until use used user uses using very want " +
		"was way ways well were what when where whether which while who whom whose why will with without would yes yet") {
		stems[w], stems[string(stem([]byte(w)))] = true, true
	}
	return stems
})
