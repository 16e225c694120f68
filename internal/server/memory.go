package server

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"

	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
)

const (
	// memoryBudget is how many bytes of contents all answers may hold at a time, until they are
	// written. An answer of more has it all for itself.
	memoryBudget = 24 << 20
	// maxWhole is how many bytes of files an answer may hold whole before the first of them goes
	// out. It is the frame that common clients take; an answer beyond it is read while it is
	// written, and if a file changes meanwhile, the connection ends rather than have the client
	// take parts of two files for one.
	maxWhole = 10 << 20
	// callerBudget is how much of memoryBudget one of several callers may hold: half, so that one
	// that does not read leaves the others something, and more than maxWhole.
	callerBudget = memoryBudget / 2
	// callerCalls is how many calls of one of several callers are worked on at a time.
	callerCalls = 32
	// reserved is what one answer may hold: the files of a folder, each in a buffer of its own.
	reserved = maxWhole + maxFolderFiles*itemCost
)

// A memory is what all answers share. It is kept by caller and not by session: a caller can have
// any number of these.
type memory struct {
	bytes *semaphore.Weighted

	mu      sync.Mutex
	callers map[string]*seats // those that have a call now; guarded by mu
}

// seats are what one of several callers may have.
type seats struct {
	taken int // calls that are admitted or wait; guarded by the memory
	calls chan struct{}
	bytes *semaphore.Weighted
}

// A seat is the place of one call. A nil seat has no limit of its own.
type seat struct {
	memory *memory
	caller string
	of     *seats
	once   sync.Once
}

type (
	seatKey     struct{} // of the call's seat, in its context
	reservedKey struct{} // of memory that was set aside, in the context
)

func newMemory() *memory {
	return &memory{bytes: semaphore.NewWeighted(memoryBudget), callers: make(map[string]*seats)}
}

// enter admits a call. It waits while its caller has too many. A listen, which only waits, takes
// no seat.
func (m *memory) enter(ctx context.Context, c *protocol.Call) (*seat, error) {
	if !c.Shared || c.Method == protocol.MethodListen || ctx.Value(reservedKey{}) != nil {
		return nil, nil
	}
	m.mu.Lock()
	of := m.callers[c.Caller]
	if of == nil {
		of = &seats{calls: make(chan struct{}, callerCalls), bytes: semaphore.NewWeighted(callerBudget)}
		m.callers[c.Caller] = of
	}
	of.taken++
	m.mu.Unlock()
	s := &seat{memory: m, caller: c.Caller, of: of}
	select {
	case of.calls <- struct{}{}:
		return s, nil
	case <-ctx.Done():
		m.forget(s)
		return nil, ctx.Err()
	}
}

// leave ends the call.
func (s *seat) leave() {
	if s != nil {
		s.once.Do(func() {
			<-s.of.calls
			s.memory.forget(s)
		})
	}
}

func (m *memory) forget(s *seat) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s.of.taken--; s.of.taken == 0 {
		delete(m.callers, s.caller)
	}
}

// A budget is a part of the memory that all answers have together.
type budget struct {
	of   *memory
	by   *seats // or nil
	size int64
	once sync.Once
}

// acquire waits for a part of that size, or for all that there may be. Where memory was set aside
// for the context, that is it.
func (m *memory) acquire(ctx context.Context, size int64) (*budget, error) {
	if ctx.Value(reservedKey{}) != nil {
		return nil, nil
	}
	b := &budget{of: m, size: min(size, memoryBudget)}
	if s, ok := ctx.Value(seatKey{}).(*seat); ok && s != nil {
		b.by, b.size = s.of, min(size, callerBudget)
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
	return b, nil
}

func (b *budget) release() {
	if b == nil {
		return
	}
	b.once.Do(func() {
		b.of.bytes.Release(b.size)
		if b.by != nil {
			b.by.bytes.Release(b.size)
		}
	})
}

// Reserve sets memory aside for calls that are answered one after the other, of which c is one.
func (s *Server) Reserve(ctx context.Context, c *protocol.Call) (context.Context, func(), error) {
	seat, err := s.memory.enter(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	b, err := s.memory.acquire(context.WithValue(ctx, seatKey{}, seat), reserved)
	if err != nil {
		seat.leave()
		return nil, nil, err
	}
	return context.WithValue(ctx, reservedKey{}, true), func() {
		b.release()
		seat.leave()
	}, nil
}
