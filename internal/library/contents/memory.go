package contents

import (
	"context"
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/semaphore"
)

const (
	// memoryBudget is how many bytes of contents all answers may hold at a time, until they are
	// written. A larger answer gets all of it.
	memoryBudget = 24 << 20
	// clientBudget is the memoryBudget for a single client, which takes one answer after the other:
	// one answer is read while another is written, and a third could only wait.
	clientBudget = 2 * (maxWhole + itemCost)
	// maxWhole is how many bytes of files an answer may hold. It is the largest frame that common
	// clients accept. A larger answer is read while it is written; if a file changes meanwhile, the
	// connection ends, so that no client mixes parts of two versions.
	maxWhole = 10 << 20
	// callerBudget is how much of memoryBudget one of several callers may hold. It is half, so that a
	// caller that does not read its answers leaves memory to others, and more than maxWhole.
	callerBudget = memoryBudget / 2
	// smallAnswer is how many bytes a call of one of several callers may hold without being counted:
	// small documents must not wait for callers that do not read. callerCalls bounds such calls.
	smallAnswer = 64 << 10
	// callerCalls is how many calls of one of several callers are processed at a time.
	callerCalls = 32
)

// A Memory is shared by all answers of a process: bytes that they hold until they are written, and
// places at the disk. Shares belong to callers and not to sessions or projects, of which a caller can
// have any number.
type Memory struct {
	budget  int64 // bytes
	bytes   *semaphore.Weighted
	disk    *semaphore.Weighted // places at the disk
	hanging atomic.Int64        // pieces of work at the disk that were left behind
	cache   cache
	held    atomic.Int64 // bytes

	mu      sync.Mutex
	callers map[string]*share // of callers with calls; guarded by mu
}

// A share bounds one of several callers.
type share struct {
	calls int           // calls that are admitted or wait; guarded by mu of the memory
	seats chan struct{} // one for each admitted call
	turns chan struct{} // one for each piece of work that computes now
	bytes *semaphore.Weighted
}

// NewMemory returns the memory of a process.
func NewMemory() *Memory { return newMemory(memoryBudget) }

// NewClientMemory returns the memory of a process with one client.
func NewClientMemory() *Memory { return newMemory(clientBudget) }

func newMemory(budget int64) *Memory {
	return &Memory{
		budget:  budget,
		bytes:   semaphore.NewWeighted(budget),
		disk:    semaphore.NewWeighted(maxAtDisk),
		callers: make(map[string]*share),
	}
}

// Usage says how much of a memory is in use.
type Usage struct {
	Bytes   int64 // held by answers
	Callers int   // of several callers: those with calls
	Hanging int   // reads that the disk does not answer
}

// Usage returns how much of the memory is in use now.
func (m *Memory) Usage() Usage {
	m.mu.Lock()
	defer m.mu.Unlock()
	return Usage{m.held.Load(), len(m.callers), int(m.hanging.Load())}
}

// Enter admits a call of one of several callers, and waits while the caller has too many calls. Reads
// with the returned context count as the caller's, until leave is called.
func (m *Memory) Enter(ctx context.Context, caller string) (admitted context.Context, leave func(), err error) {
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
	default: // rare; only then does the context need a channel
	}
	select {
	case s.seats <- struct{}{}:
	case <-ctx.Done():
		a.forget()
		return nil, nil, ctx.Err()
	}
	return a, a.leave, nil
}

// Turn waits until a caller may compute for some milliseconds or more, as searching and rendering do.
// Of each of several callers, as many calls may compute as there are processors: with 32 calls, a
// caller would leave a 33rd of the processors to a caller with one call. Call done at the end of the
// work. Turns must not be nested.
func Turn(ctx context.Context) (done func(), err error) {
	a, ok := ctx.Value(admissionKey{}).(*admission)
	if !ok {
		return func() {}, nil
	}
	select {
	case a.share.turns <- struct{}{}:
		a.turns.Add(1)
		return func() { a.turns.Add(-1); <-a.share.turns }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Waiting gives the turn of a call back, if it has one, while wait runs, which computes nothing, so that other calls of the caller go on.
// The call has its turn again when Waiting returns.
func Waiting(ctx context.Context, wait func() error) error {
	if a, ok := ctx.Value(admissionKey{}).(*admission); ok && a.turns.Load() > 0 {
		<-a.share.turns
		defer func() { a.share.turns <- struct{}{} }()
	}
	return wait()
}

// An admission is the context of an admitted call.
type admission struct {
	context.Context // of the request
	memory          *Memory
	caller          string
	share           *share
	turns           atomic.Int32 // that the call has
	left            atomic.Bool
}

type admissionKey struct{}

func (a *admission) Value(key any) any {
	if key == (admissionKey{}) {
		return a
	}
	return a.Context.Value(key)
}

// leave ends the call. Further calls of leave do nothing.
func (a *admission) leave() {
	if !a.left.Swap(true) {
		<-a.share.seats
		a.forget()
	}
}

// forget removes a call from its share, and drops a share without calls.
func (a *admission) forget() {
	a.memory.mu.Lock()
	defer a.memory.mu.Unlock()
	if a.share.calls--; a.share.calls == 0 {
		delete(a.memory.callers, a.caller)
	}
}

// A Budget is a part of a memory. A nil Budget has no bytes.
type Budget struct {
	memory *Memory
	share  *share // or nil
	size   int64
	once   sync.Once
}

// Acquire waits for size bytes, or for the whole memory if it is smaller. A call acquires once.
func (m *Memory) Acquire(ctx context.Context, size int64) (*Budget, error) {
	b := &Budget{memory: m, size: min(size, m.budget)}
	if a, ok := ctx.Value(admissionKey{}).(*admission); ok {
		if size <= smallAnswer {
			return nil, nil
		}
		b.share, b.size = a.share, min(size, callerBudget)
		if err := b.share.bytes.Acquire(ctx, b.size); err != nil {
			return nil, err
		}
	}
	if err := m.bytes.Acquire(ctx, b.size); err != nil {
		if b.share != nil {
			b.share.bytes.Release(b.size)
		}
		return nil, err
	}
	m.held.Add(b.size)
	return b, nil
}

// Release gives the bytes back. Further calls do nothing.
func (b *Budget) Release() {
	if b == nil {
		return
	}
	b.once.Do(func() {
		b.memory.held.Add(-b.size)
		b.memory.bytes.Release(b.size)
		if b.share != nil {
			b.share.bytes.Release(b.size)
		}
	})
}

// buffers are idle buffers for files, by size. Each size is a quarter of a power of two larger than
// the previous one, so that at most a fifth of a buffer stays empty.
var buffers [maxBufferClass + 1]sync.Pool

const (
	minShift       = 10
	minBuffer      = 1 << minShift
	maxBufferClass = 4 * (25 - minShift) // 32 MiB; larger buffers are not kept
)

// bufferClass returns the class of buffers that hold n bytes, and their size.
func bufferClass(n int) (class, size int) {
	if n <= minBuffer {
		return 0, minBuffer
	}
	// n-1 lies in [2^shift, 2^(shift+1)), whose quarters are the classes.
	shift := bits.Len(uint(n-1)) - 1
	quarter := 1 << (shift - 2)
	size = (n + quarter - 1) / quarter * quarter
	return 4*(shift-minShift) + size/quarter - 4, size
}

// A Buffer is reusable memory for a file or for a page of a list.
type Buffer struct {
	Data  []byte // as long as the buffer
	class int
}

// NewBuffer returns a buffer of n bytes or more.
func NewBuffer(n int) *Buffer {
	class, size := bufferClass(n)
	if class > maxBufferClass {
		return &Buffer{make([]byte, n), class}
	}
	if b, ok := buffers[class].Get().(*Buffer); ok {
		return b
	}
	return &Buffer{make([]byte, size), class}
}

// Free gives the buffer back. Its data must not be used afterwards.
func (b *Buffer) Free() {
	if b.class <= maxBufferClass {
		buffers[b.class].Put(b)
	}
}
