// Package fairqueue shares a few turns at something scarce between callers, so that one who wants much,
// or holds on to what it has, does not keep the others from theirs.
//
// A caller gets another turn while more turns are free than it holds. The last free turn is thus for
// a caller who has none. Of 12, one caller holds at most 6; callers who hold on to what they have get
// 6, 3, 2 and 1 as they come, and once turns end, all have the same. [Ask.Only] says that there is
// nobody to keep turns for.
//
// Those who may have a turn and find none wait. The next one goes to the caller who holds fewest;
// between equals, callers take turns, and what one caller asks for comes in its order.
//
// A request for which nobody waits, such as one of a crawl, is [Ask.Patient]. It counts as its
// caller's, but does not keep the caller from a first turn for itself; it lets [courtesy] others go
// first, and all such requests together hold at most half of the turns.
//
// Nobody waits for ever: a caller who holds turns gets the next when these end, and whoever is passed
// by is passed by so many only. A queue is bounded in the way that turns are: who finds it full gets
// a [*FullError], which says when to come back.
package fairqueue

import (
	"context"
	"fmt"
	"sync"
	"time"
)

const (
	// courtesy is how many requests of others, for which somebody waits, go before a patient one
	// that came before them.
	courtesy = 3
	// most is the longest time after which somebody is asked to come back.
	most = 10 * time.Minute
)

// An Ask says who wants a turn.
type Ask struct {
	Caller  string
	Only    bool // no other caller is there: no turn is kept for one
	Patient bool // nobody waits for the answer
}

// Turns are a number of turns. Its methods may be called at the same time.
type Turns struct {
	size   int // turns
	places int // in the queue, of all callers

	mu      sync.Mutex // guards all fields below, and all flows
	free    int        // turns
	patient int        // turns of patient requests
	waiting int        // requests
	flows   map[Ask]*flow
	tickets int
	lasted  time.Duration // about how long a turn lasts
}

// A flow is all equal asks that hold a turn or wait.
type flow struct {
	Ask
	held   int
	queue  []*waiter // first come, first served
	ticket int       // of the first in the queue; the lowest is the next
}

type waiter struct {
	ready chan struct{} // closed when it has a turn
	has   bool          // a turn; t.mu guards it
}

// New returns a number of turns, for which as many may wait as there are places.
func New(size, places int) *Turns {
	return &Turns{size: size, places: places, free: size, flows: make(map[Ask]*flow)}
}

// A FullError reports that too many wait.
type FullError struct {
	Waiting, Own int           // requests of all, and of the caller
	After        time.Duration // about when there may be a place
}

func (e *FullError) Error() string {
	return fmt.Sprintf("%d requests wait already, %d of them of this caller: try again in about %v", e.Waiting, e.Own, e.After)
}

// Wait waits for a turn, which ends when done is called, once. The error is that of ctx, or a
// [*FullError].
func (t *Turns) Wait(ctx context.Context, a Ask) (done func(), err error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	t.mu.Lock()
	f := t.flows[a]
	if f == nil {
		f = &flow{Ask: a}
		t.flows[a] = f
	}
	own := len(f.queue)
	place := may(a, own, t.places-t.waiting)
	w := &waiter{ready: make(chan struct{})}
	f.queue = append(f.queue, w)
	t.waiting++
	if own == 0 {
		t.number(f)
	}
	t.next()
	if !w.has && !place {
		t.leave(f, w)
		full := &FullError{t.waiting, own, t.expected()}
		t.mu.Unlock()
		return nil, full
	}
	t.mu.Unlock()
	select {
	case <-w.ready:
	case <-ctx.Done():
		t.mu.Lock()
		defer t.mu.Unlock()
		if w.has {
			t.end(f)
		} else {
			t.leave(f, w)
		}
		return nil, context.Cause(ctx)
	}
	began := time.Now()
	return sync.OnceFunc(func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.lasted += (time.Since(began) - t.lasted) / 4
		t.end(f)
	}), nil
}

// Expected returns about how long somebody who comes now will wait, in whole seconds.
func (t *Turns) Expected() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.expected()
}

// Held returns how many turns are held.
func (t *Turns) Held() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.size - t.free
}

// expected is [Turns.Expected]; t.mu is held.
func (t *Turns) expected() time.Duration {
	rounds := time.Duration(t.waiting/t.size + 1)
	return min(max((t.lasted*rounds+time.Second-1).Truncate(time.Second), time.Second), most)
}

// may reports whether one who has some of what is shared may have one more of what is free.
func may(a Ask, has, free int) bool { return free > 0 && (a.Only || has < free) }

// mayBegin reports whether a flow may have a turn.
func (t *Turns) mayBegin(f *flow) bool {
	if f.Patient {
		return may(f.Ask, t.of(f), t.free) && t.patient < max(t.size/2, 1)
	}
	return may(f.Ask, f.held, t.free)
}

// next gives the free turns away. t.mu is held.
func (t *Turns) next() {
	for {
		var first *flow
		for _, f := range t.flows {
			if len(f.queue) > 0 && t.mayBegin(f) && (first == nil || t.before(f, first)) {
				first = f
			}
		}
		if first == nil {
			return
		}
		w := first.queue[0]
		first.queue = first.queue[1:]
		t.waiting--
		t.free--
		first.held++
		if first.Patient {
			t.patient++
		}
		if len(first.queue) > 0 {
			t.number(first)
		}
		w.has = true
		close(w.ready)
	}
}

// before reports whether the next turn is one flow's rather than another's.
func (t *Turns) before(a, b *flow) bool {
	switch x, y := t.of(a), t.of(b); {
	case x != y:
		return x < y
	case a.ticket != b.ticket:
		return a.ticket < b.ticket
	}
	return !a.Patient
}

// of returns how many turns the caller of a flow holds.
func (t *Turns) of(f *flow) int {
	other := f.Ask
	other.Patient = !other.Patient
	if o := t.flows[other]; o != nil {
		return f.held + o.held
	}
	return f.held
}

// number puts a flow behind all others.
func (t *Turns) number(f *flow) {
	t.tickets++
	if f.ticket = t.tickets; f.Patient {
		f.ticket += courtesy
	}
}

// leave removes from the queue of a flow who has no turn.
func (t *Turns) leave(f *flow, w *waiter) {
	for i, other := range f.queue {
		if other == w {
			f.queue = append(f.queue[:i:i], f.queue[i+1:]...)
			t.waiting--
			break
		}
	}
	t.forget(f)
}

// end ends a turn of a flow.
func (t *Turns) end(f *flow) {
	t.free++
	f.held--
	if f.Patient {
		t.patient--
	}
	t.forget(f)
	t.next()
}

func (t *Turns) forget(f *flow) {
	if f.held == 0 && len(f.queue) == 0 {
		delete(t.flows, f.Ask)
	}
}
