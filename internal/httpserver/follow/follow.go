// Package follow notices that settings on the disk have changed: a list of tokens, a certificate
// and its key.
//
// It looks at the files every [Interval] instead of waiting for events, since one stat a file is
// cheap and the same on every system and volume. It sees what events miss: a file replaced by a
// rename, a link that now leads elsewhere, and the folder `..data` that Kubernetes swaps below a
// mounted secret.
//
// A change is reported when the files look the same twice in a row. So a file that is being written
// in place is not read by halves, and a certificate is not read without the key that belongs to it,
// unless the two are written more than an Interval apart.
package follow

import (
	"context"
	"os"
	"slices"
	"time"
)

// Interval is how often the files are looked at. A change is known after one to two of them.
const Interval = 500 * time.Millisecond

// A Group is some files that are read together.
type Group struct {
	names []string
	known []state // as the files were when they were last read
}

// New returns a group of the files with these names, and notes what they are now. A caller that
// reads the files afterwards misses nothing: what changes in between is reported by Run.
func New(names ...string) *Group {
	g := &Group{names: names}
	g.known = g.look()
	return g
}

// Run calls changed after each change of the files, until ctx ends. There must be one Run at a
// time.
func (g *Group) Run(ctx context.Context, changed func()) {
	ticker := time.NewTicker(Interval)
	defer ticker.Stop()
	last := g.known
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		now := g.look()
		settled := slices.EqualFunc(now, last, state.equal)
		last = now
		if settled && !slices.EqualFunc(now, g.known, state.equal) {
			g.known = now
			changed()
		}
	}
}

func (g *Group) look() []state {
	states := make([]state, len(g.names))
	for i, name := range g.names {
		states[i].info, _ = os.Stat(name) // a file that cannot be found is a state like any other
	}
	return states
}

type state struct {
	info os.FileInfo // nil: there is none
}

func (s state) equal(t state) bool {
	if s.info == nil || t.info == nil {
		return s.info == t.info
	}
	return os.SameFile(s.info, t.info) && s.info.Size() == t.info.Size() && s.info.ModTime().Equal(t.info.ModTime()) && s.info.Mode() == t.info.Mode()
}
