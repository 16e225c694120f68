// Package fairqueue divides a small number of turns, such as connections or pages in a browser, between callers, so
// that a caller with many or slow requests does not block the others.
//
//  1. A caller gets another turn only while more turns are free than it holds. So the last free turn always goes to a
//     caller that holds none. Of 12 turns, one caller holds at most 6. Callers that keep their turns get 6, 3, 2 and
//     1 in the order of their arrival; as turns end, all get the same number. [Ask.Unshared] says that a caller is
//     the only one: then no turn is reserved.
//  2. A request that cannot have a turn yet waits. The next turn goes to the caller that holds the fewest. Callers
//     that hold the same number alternate, and the requests of one caller are served in their order.
//  3. A request of a job, for whose answer nobody waits, is [Ask.Background]. Its turn counts as its caller's, but
//     does not keep the caller's other requests from a first turn. It lets [courtesy] requests of others go first,
//     and all such requests together hold at most half of the turns.
//  4. No request waits forever: a caller that holds turns gets the next when they end, and only a bounded number of
//     requests can overtake another one.
//  5. The queue is divided like the turns. A request that finds it full gets a [FullError], which says when to try
//     again.
package fairqueue

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

const (
	// courtesy is how many requests in the foreground overtake a background request that came before them.
	courtesy = 3
	// maxExpected is the longest time after which a caller is asked to try again.
	maxExpected = 10 * time.Minute
)

// An Ask describes a request for a turn.
type Ask struct {
	Caller     string
	Unshared   bool // no turn is reserved for other callers
	Background bool
}

// Turns are a fixed number of turns and a queue for them. All methods are safe for concurrent use.
type Turns struct {
	size   int // free or held
	places int // maximum number of waiting requests

	mu         sync.Mutex // also guards all flows
	free       int
	background int // held by background requests
	waiting    int
	flows      map[Ask]*flow
	tickets    int
	lasted     time.Duration // moving average
}

// A flow is all requests with the same Ask that hold a turn or wait.
type flow struct {
	Ask
	held   int
	queue  []*waiter
	ticket int // of the first request; the lowest is served next
}

type waiter struct {
	ready   chan struct{} // closed with hasTurn
	hasTurn bool          // guarded by Turns.mu
}

// New returns size turns with a queue of as many requests as there are places.
func New(size, places int) *Turns {
	return &Turns{size: size, places: places, free: size, flows: make(map[Ask]*flow)}
}

// A FullError reports that the queue has no place for another request of this caller, and when to try again.
type FullError string

func (e FullError) Error() string { return string(e) }

// Wait waits for a turn. The caller ends the turn by calling done; further calls have no effect. The error is that
// ctx ended, with its cause, or a [FullError].
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
	ours := len(f.queue)
	hasPlace := mayTake(a, ours, t.places-t.waiting)
	w := &waiter{ready: make(chan struct{})}
	f.queue = append(f.queue, w)
	t.waiting++
	if ours == 0 {
		t.toBack(f)
	}
	t.grant()
	if !w.hasTurn && !hasPlace {
		t.remove(f, w)
		full := FullError(fmt.Sprintf("%d requests wait already, %d of them of this caller: try again in about %v", t.waiting, ours, t.expected()))
		t.mu.Unlock()
		return nil, full
	}
	t.mu.Unlock()
	select {
	case <-w.ready:
	case <-ctx.Done():
		t.mu.Lock()
		defer t.mu.Unlock()
		if w.hasTurn {
			t.end(f)
		} else {
			t.remove(f, w)
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

// Expected estimates how long a request that comes now will wait, in whole seconds.
func (t *Turns) Expected() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.expected()
}

// Held returns how many turns are taken.
func (t *Turns) Held() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.size - t.free
}

// expected is [Turns.Expected]. Its caller holds t.mu, as for all functions below.
func (t *Turns) expected() time.Duration {
	rounds := time.Duration(t.waiting/t.size + 1)
	return min(max((t.lasted*rounds+time.Second-1).Truncate(time.Second), time.Second), maxExpected)
}

// mayTake applies rule 1 of the package to turns, or to places in the queue: it reports whether a caller that holds some
// of them may take a free one.
func mayTake(a Ask, held, free int) bool { return free > 0 && (a.Unshared || held < free) }

// mayBegin reports whether the first request of a flow may have a turn now.
func (t *Turns) mayBegin(f *flow) bool {
	if f.Background {
		return mayTake(f.Ask, t.heldByCaller(f), t.free) && t.background < max(t.size/2, 1)
	}
	return mayTake(f.Ask, f.held, t.free)
}

// grant gives free turns to waiting requests.
func (t *Turns) grant() {
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
		if first.Background {
			t.background++
		}
		if len(first.queue) > 0 {
			t.toBack(first)
		}
		w.hasTurn = true
		close(w.ready)
	}
}

// before reports whether flow a is served before flow b.
func (t *Turns) before(a, b *flow) bool {
	switch x, y := t.heldByCaller(a), t.heldByCaller(b); {
	case x != y:
		return x < y
	case a.ticket != b.ticket:
		return a.ticket < b.ticket
	}
	return !a.Background
}

// heldByCaller returns how many turns the caller of a flow holds, in both of its flows.
func (t *Turns) heldByCaller(f *flow) int {
	other := f.Ask
	other.Background = !other.Background
	if o := t.flows[other]; o != nil {
		return f.held + o.held
	}
	return f.held
}

// toBack puts a flow behind all others.
func (t *Turns) toBack(f *flow) {
	t.tickets++
	if f.ticket = t.tickets; f.Background {
		f.ticket += courtesy
	}
}

// remove takes a waiting request out of its queue.
func (t *Turns) remove(f *flow, w *waiter) {
	f.queue = slices.DeleteFunc(f.queue, func(other *waiter) bool { return other == w })
	t.waiting--
	t.forget(f)
}

// end takes a turn back from a flow.
func (t *Turns) end(f *flow) {
	t.free++
	f.held--
	if f.Background {
		t.background--
	}
	t.forget(f)
	t.grant()
}

func (t *Turns) forget(f *flow) {
	if f.held == 0 && len(f.queue) == 0 {
		delete(t.flows, f.Ask)
	}
}
