package contents

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/semaphore"
)

const (
	// memoryBudget is how many bytes of contents all answers may hold at a time, until they are
	// written. An answer of more has it all for itself.
	memoryBudget = 24 << 20
	// clientBudget is memoryBudget where there is one client, which takes one answer after the
	// other: the next one is read while one is written, and more would only wait.
	clientBudget = 2 * (maxWhole + itemCost)
	// maxWhole is how many bytes of files an answer may hold whole before the first of them goes
	// out. It is the frame that common clients take; an answer beyond it is read while it is
	// written, and if a file changes meanwhile, the connection ends rather than have the client
	// take parts of two files for one.
	maxWhole = 10 << 20
	// callerBudget is how much of memoryBudget one of several callers may hold: half, so that one
	// that does not read leaves the others something, and more than maxWhole.
	callerBudget = memoryBudget / 2
	// smallAnswer is how many bytes a call of one of several callers may hold that is not counted,
	// since the calls are: others that do not read must not have a document wait.
	smallAnswer = 64 << 10
	// callerCalls is how many calls of one of several callers are worked on at a time.
	callerCalls = 32
	// oneAnswer is what one answer may hold: the files of a folder, each in a buffer of its own.
	oneAnswer = maxWhole + MaxFolderFiles*itemCost
)

// A Memory is what all answers of a process share: bytes that they hold until they are written, and
// places at the disk. It is kept by caller and not by session or project: a caller can have any
// number of these.
type Memory struct {
	budget  int64 // bytes
	bytes   *semaphore.Weighted
	disk    *semaphore.Weighted // places at the disk
	hanging atomic.Int64        // work at the disk that was left behind
	cache   cache
	held    atomic.Int64 // bytes

	mu      sync.Mutex
	callers map[string]*share // those that have a call now; guarded by mu
}

// A share is what one of several callers may have.
type share struct {
	calls int           // that are admitted or wait; guarded by the memory
	seats chan struct{} // one for each call that is admitted
	turns chan struct{} // one for each piece of work that computes now
	bytes *semaphore.Weighted
}

type (
	shareKey    struct{} // of the share of the caller, in the context of a call
	reservedKey struct{} // of memory that was set aside, in the context
)

// NewMemory returns the memory of a process.
func NewMemory() *Memory { return newMemory(memoryBudget) }

// NewClientMemory returns the memory of a process that has one client.
func NewClientMemory() *Memory { return newMemory(clientBudget) }

func newMemory(budget int64) *Memory {
	return &Memory{
		budget:  budget,
		bytes:   semaphore.NewWeighted(budget),
		disk:    semaphore.NewWeighted(maxAtDisk),
		callers: make(map[string]*share),
	}
}

// Usage is how much of a memory is in use.
type Usage struct {
	Bytes   int64 // that answers hold
	Callers int   // of several that have a call now
	Hanging int   // reads that the disk does not answer
}

// Usage returns how much is in use now.
func (m *Memory) Usage() Usage {
	m.mu.Lock()
	defer m.mu.Unlock()
	return Usage{m.held.Load(), len(m.callers), int(m.hanging.Load())}
}

// Enter admits a call of one of several callers, and waits while this one has too many. What the
// call reads with the context that it returns is accounted to the caller, until leave is called.
func (m *Memory) Enter(ctx context.Context, caller string) (of context.Context, leave func(), err error) {
	if ctx.Value(reservedKey{}) != nil {
		return ctx, func() {}, nil // whoever reserved the memory has entered
	}
	m.mu.Lock()
	s := m.callers[caller]
	if s == nil {
		s = &share{
			seats: make(chan struct{}, callerCalls), turns: make(chan struct{}, runtime.GOMAXPROCS(0)), bytes: semaphore.NewWeighted(callerBudget),
		}
		m.callers[caller] = s
	}
	s.calls++
	m.mu.Unlock()
	a := &admission{Context: ctx, memory: m, caller: caller, share: s}
	select {
	case s.seats <- struct{}{}:
		return a, a.leave, nil
	default: // nearly never, and only then the context needs a channel
	}
	select {
	case s.seats <- struct{}{}:
	case <-ctx.Done():
		a.forget()
		return nil, nil, ctx.Err()
	}
	return a, a.leave, nil
}

// Turn waits until a caller may compute for some milliseconds or more, as searching and rendering do:
// at most as many calls of one of several callers as there are processors. With all of its calls,
// a caller would leave one part in 33 of the processors to a caller with one call. The end of the
// work calls done. Turns are not nested.
func Turn(ctx context.Context) (done func(), err error) {
	s, ok := ctx.Value(shareKey{}).(*share)
	if !ok {
		return func() {}, nil
	}
	select {
	case s.turns <- struct{}{}:
		return func() { <-s.turns }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// An admission is the place of a call in the budget, with the context of the call.
type admission struct {
	context.Context // of the request
	memory          *Memory
	caller          string
	share           *share
	left            atomic.Bool
}

func (a *admission) Value(key any) any {
	if key == (shareKey{}) {
		return a.share
	}
	return a.Context.Value(key)
}

// leave ends the call. Only the first time counts.
func (a *admission) leave() {
	if !a.left.Swap(true) {
		<-a.share.seats
		a.forget()
	}
}

// forget drops the share of a caller without calls.
func (a *admission) forget() {
	a.memory.mu.Lock()
	defer a.memory.mu.Unlock()
	if a.share.calls--; a.share.calls == 0 {
		delete(a.memory.callers, a.caller)
	}
}

// A Budget is a part of the memory that all answers have together. A nil Budget is nothing.
type Budget struct {
	of   *Memory
	by   *share // or nil
	size int64
	once sync.Once
}

// Acquire waits for a part of that size, or for all that there may be. Where memory was set aside
// for the context, that is it. A call acquires once.
func (m *Memory) Acquire(ctx context.Context, size int64) (*Budget, error) {
	if ctx.Value(reservedKey{}) != nil {
		return nil, nil
	}
	b := &Budget{of: m, size: min(size, m.budget)}
	if s, ok := ctx.Value(shareKey{}).(*share); ok {
		if size <= smallAnswer {
			return nil, nil
		}
		b.by, b.size = s, min(size, callerBudget)
		if err := b.by.bytes.Acquire(ctx, b.size); err != nil {
			return nil, err
		}
	}
	if err := m.bytes.Acquire(ctx, b.size); err != nil {
		if b.by != nil {
			b.by.bytes.Release(b.size)
		}
		return nil, err
	}
	m.held.Add(b.size)
	return b, nil
}

// Release gives the part back. Calls behind the first do nothing.
func (b *Budget) Release() {
	if b == nil {
		return
	}
	b.once.Do(func() {
		b.of.held.Add(-b.size)
		b.of.bytes.Release(b.size)
		if b.by != nil {
			b.by.bytes.Release(b.size)
		}
	})
}

// Reserve sets the memory aside that one answer may hold, for answers that are made one after the
// other with the context that it returns.
func (m *Memory) Reserve(ctx context.Context) (reserved context.Context, release func(), err error) {
	b, err := m.Acquire(ctx, oneAnswer)
	if err != nil {
		return nil, nil, err
	}
	return context.WithValue(ctx, reservedKey{}, true), b.Release, nil
}
