package contents

import (
	"bytes"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"testing"
	"testing/fstest"
)

// No two pieces share a byte, room that is given back is found again, and what does not fit is
// refused.
func TestArena(t *testing.T) {
	type piece struct {
		memory []byte
		first  int
		mark   byte
	}
	var a arena
	var held []piece
	rnd := rand.New(rand.NewPCG(1, 2))
	refused := 0
	for i := range 3000 {
		if len(held) > 0 && rnd.IntN(5) < 2 {
			n := rnd.IntN(len(held))
			p := held[n]
			held = slices.Delete(held, n, n+1)
			for at := 0; at < len(p.memory); at += blockSize {
				if p.memory[at] != p.mark || p.memory[at+blockSize-1] != p.mark {
					t.Fatalf("block %d belongs to two", p.first+at/blockSize)
				}
			}
			a.free(p.first, len(p.memory)/blockSize)
			continue
		}
		n := 1 + rnd.IntN(3<<20)
		memory, first := a.take(n)
		if memory == nil {
			refused++
			continue
		}
		if len(memory) < n || len(memory) >= n+blockSize || &memory[0] != &a.memory[first*blockSize] || cap(memory) != len(memory) {
			t.Fatalf("%d bytes have %d of %d at block %d", n, len(memory), cap(memory), first)
		}
		for at := 0; at < len(memory); at += blockSize {
			memory[at], memory[at+blockSize-1] = byte(i), byte(i)
		}
		held = append(held, piece{memory, first, byte(i)})
		if rnd.IntN(100) == 0 {
			a.collected()
		}
	}
	if refused == 0 {
		t.Error("the arena was never full")
	}
	for _, p := range held {
		a.free(p.first, len(p.memory)/blockSize)
	}
	if memory, _ := a.take(arenaSize); memory == nil {
		t.Error("an arena that nobody uses has no room")
	}
	if memory, _ := a.take(1); memory != nil {
		t.Error("a full arena has room")
	}
}

// What is not used between two collections of garbage is given back to the system, and what is held
// stays.
func TestArenaGivesPagesBack(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // collected is called here only
	var a arena
	kept, _ := a.take(blockSize)
	memory, first := a.take(3 * blockSize)
	kept[0], memory[0] = 1, 2
	a.free(first, 3)
	a.collected()
	if memory[0] != 2 {
		t.Error("memory that was just freed is given back already")
	}
	a.mu.Lock()
	armed := a.armed
	a.mu.Unlock()
	if !armed {
		t.Error("the next collection would not be noticed")
	}
	a.collected()
	if kept[0] != 1 || memory[0] != 0 || a.touched() != 1 {
		t.Errorf("%d and %d in %d blocks, want what is held only", kept[0], memory[0], a.touched())
	}
	again, at := a.take(2 * blockSize)
	if again == nil || at != first {
		t.Errorf("memory that was given back is not used again: block %d, not %d", at, first)
	}
	a.free(at, 2)
	a.free(0, 1)
	for a.touched() > 0 { // the garbage collector calls collected at some time behind each collection
		runtime.GC()
		runtime.Gosched()
	}
}

func (a *arena) touched() (n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, s := range a.blocks {
		if s != untouched {
			n++
		}
	}
	return n
}

// Many reads of a large file take no more memory than the budget says, and none of the heap, which
// would let garbage grow.
func TestLargeFilesTakeTheBudget(t *testing.T) {
	const size = 5 << 20
	f := start(t, fstest.MapFS{"resources/x/h/a": &fstest.MapFile{Data: bytes.Repeat([]byte{1}, size)}})
	f.memory, f.whole = NewClientMemory(), maxWhole
	for range 2 { // what other tests used
		fileMemory.collected()
	}
	before := fileMemory.touched()
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			c, err := f.open(t.Context(), "x://h/a")
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Release()
			if b := c.Files[0].buffer; b == nil || b.class != inArena {
				t.Error("a large file is in the heap")
			}
		})
	}
	all.Wait()
	const perFile = size/blockSize + 1 // a file is read into one byte more than it has
	if n := fileMemory.touched() - before; n > clientBudget/size*perFile {
		t.Errorf("%d blocks of memory were used, want at most %d", n, clientBudget/size*perFile)
	}
	if n := f.memory.Usage().Bytes; n != 0 {
		t.Errorf("%d bytes are held", n)
	}
}
