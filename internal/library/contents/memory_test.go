package contents

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// However many reads there are, together they hold at most the budget until they are released.
func TestReadBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n, size = 5, 5 << 20 // more than fit at a time
		tree := &watched{MapFS: fstest.MapFS{}}
		for i := range n {
			tree.MapFS[fmt.Sprintf("resources/x/h/%d", i)] = &fstest.MapFile{Data: bytes.Repeat([]byte{byte('a' + i)}, size)}
		}
		f := start(t, tree)
		f.whole = maxWhole
		read := make(chan *Contents)
		for i := range n {
			go func() {
				c, err := f.open(t.Context(), fmt.Sprintf("x://h/%d", i))
				if err != nil {
					t.Error(err)
				}
				read <- c
			}()
		}
		for left := n; left > 0; {
			var held []*Contents
			for {
				synctest.Wait()
				select {
				case c := <-read:
					held = append(held, c)
					continue
				default:
				}
				break
			}
			if most := memoryBudget / size; len(held) != min(most, left) {
				t.Errorf("%d files are held, want %d", len(held), min(most, left))
			}
			left -= len(held)
			for _, c := range held {
				items, err := f.write(c)
				if err != nil || items[0].text() != strings.Repeat(items[0].text()[:1], size) {
					t.Errorf("%v", err)
				}
			}
		}
		f.idle()
	})
}

// Budgets belong to callers: a caller that does not take its answers leaves memory to other callers,
// and to reads without a caller.
func TestBudgetOfCallers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const size = 5 << 20
		f := start(t, given.Resources("x/h/a="+strings.Repeat("a", size)))
		f.whole = maxWhole
		taken := make(chan *Contents, 100)
		call := func(caller string) {
			go func() {
				ctx, leave, err := f.memory.Enter(t.Context(), caller)
				if err != nil {
					return
				}
				defer leave()
				if c, err := f.open(ctx, "x://h/a"); err == nil {
					if taken <- c; caller == "slow" {
						<-t.Context().Done()
					}
				}
			}()
		}
		for range 2 * callerCalls {
			call("slow")
		}
		synctest.Wait()
		if n := len(taken); n != callerBudget/size {
			t.Errorf("a caller that takes no answers has %d", n)
		}
		for i := range 5 {
			call("quick")
			synctest.Wait()
			if len(taken) != callerBudget/size+1 {
				t.Fatalf("read %d of another caller waits", i)
			}
			first := len(taken) - 1
			for range first {
				taken <- <-taken
			}
			(<-taken).Release()
		}
		if u := f.memory.Usage(); u.Callers != 1 {
			t.Errorf("in use: %+v", u)
		}
		cancelled, cancel := context.WithCancel(t.Context())
		cancel()
		if _, _, err := f.memory.Enter(cancelled, "slow"); err == nil {
			t.Error("a call that is cancelled is admitted")
		}
		for len(taken) > 0 {
			(<-taken).Release()
		}
	})
}

// While callers do not take their answers, small reads of other callers do not wait, and their own
// small reads wait only if they have too many calls.
func TestSmallReadsDoNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const size = 5 << 20
		f := start(t, given.Resources("x/h/large="+strings.Repeat("a", size), "x/h/small="+strings.Repeat("b", 4<<10)))
		f.whole = maxWhole
		ctx, cancel := context.WithCancel(t.Context())
		var held []*Contents
		opened := make(chan *Contents)
		for _, caller := range []string{"slow", "slower", "slowest"} {
			for range 4 {
				go func() {
					admitted, leave, err := f.memory.Enter(ctx, caller)
					if err != nil {
						return
					}
					defer leave()
					if c, err := f.open(admitted, "x://h/large"); err == nil {
						opened <- c
						<-ctx.Done()
					}
				}()
			}
		}
		for range memoryBudget / size {
			held = append(held, <-opened)
		}
		synctest.Wait()
		for _, caller := range []string{"slow", "quick"} {
			admitted, leave, err := f.memory.Enter(t.Context(), caller)
			must.Do(t, err)
			c := must.Get(f.open(admitted, "x://h/small"))(t)
			c.Release()
			leave()
		}
		cancel()
		for _, c := range held {
			c.Release()
		}
		synctest.Wait()
		f.idle()
	})
}

// One caller with many calls has as many turns at a time as there are processors. Other callers, and
// work without a caller, do not wait for it.
// A call that waits for something else gives its turn to other calls of the caller.
func TestWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, over := NewMemory(), make(chan struct{})
		enter := func() context.Context {
			admitted, leave, err := m.Enter(t.Context(), "caller")
			must.Do(t, err)
			t.Cleanup(leave)
			return admitted
		}
		wait := func() error { <-over; return nil }
		for range 2 * runtime.GOMAXPROCS(0) {
			ctx := enter()
			go func() {
				if done, err := Turn(ctx); err == nil {
					_ = Waiting(ctx, wait)
					done()
				}
			}()
		}
		go func() { _ = Waiting(enter(), wait) }() // without a turn
		synctest.Wait()
		short, cancel := context.WithTimeout(enter(), time.Second)
		defer cancel()
		done, err := Turn(short)
		if err != nil {
			t.Fatal("calls that wait keep their turns")
		}
		done()
		close(over)
		synctest.Wait()
		for range runtime.GOMAXPROCS(0) {
			done, err := Turn(short)
			must.Do(t, err)
			defer done()
		}
	})
}

func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := NewMemory()
		most := runtime.GOMAXPROCS(0)
		var working atomic.Int64
		over := make(chan struct{})
		compute := func(ctx context.Context) {
			done, err := Turn(ctx)
			if err != nil {
				return
			}
			working.Add(1)
			<-over
			working.Add(-1)
			done()
		}
		enter := func(caller string) (admitted context.Context) {
			admitted, leave, err := m.Enter(t.Context(), caller)
			must.Do(t, err)
			t.Cleanup(leave)
			return admitted
		}
		for range callerCalls {
			ctx := enter("greedy")
			go compute(ctx)
		}
		synctest.Wait()
		if n := working.Load(); n != int64(most) {
			t.Errorf("of %d calls of a caller, %d compute, want %d", callerCalls, n, most)
		}
		cancelled, cancel := context.WithCancel(enter("other"))
		go compute(cancelled)
		go compute(t.Context())
		synctest.Wait()
		if n := working.Load(); n != int64(most+2) {
			t.Errorf("%d compute, want %d", n, most+2)
		}
		for range most {
			go compute(cancelled)
		}
		synctest.Wait()
		cancel()
		synctest.Wait()
		close(over) // the other calls get their turns, one after the other
		synctest.Wait()
		if n := working.Load(); n != 0 {
			t.Errorf("%d compute in the end", n)
		}
	})
}
