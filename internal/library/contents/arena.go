package contents

import (
	"runtime"
	"sync"
)

const (
	// blockSize is what the memory of an arena is handed out in.
	blockSize = 64 << 10
	// arenaSize is room for what all answers may hold, and for gaps between. Only what is used of it
	// takes memory.
	arenaSize = memoryBudget + 8<<20
	// minArena is how large a file must be to have a buffer in an arena.
	minArena = 128 << 10
)

// An arena is memory for large buffers that the garbage collector does not count. It lets the heap
// grow to twice of what is held: with 24 MiB of files in it, to 24 MiB of garbage more. And what is
// given back here is used again at once, the lowest addresses first, so that no more pages are
// touched than were held at a time.
//
// The addresses stay mapped: a defect that used a buffer too late would read other bytes, as from
// any buffer that is used again, and would not end the process.
type arena struct {
	mu     sync.Mutex   // guards all fields below
	memory []byte       // nil before the first use
	absent bool         // the system gives no such memory
	blocks []blockState // one for each block of memory
	armed  bool         // collected is called after the next collection
}

type blockState uint8

const (
	untouched blockState = iota // takes no memory
	idle                        // free since the last collection or longer
	fresh                       // free since then
	taken
)

// fileMemory is the arena of the process.
var fileMemory arena

// take returns memory of n bytes or more and its first block, or nil if there is no such room.
func (a *arena) take(n int) (memory []byte, first int) {
	count := (n + blockSize - 1) / blockSize
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.memory == nil && !a.absent {
		a.memory = mapMemory(arenaSize)
		a.absent = a.memory == nil
		a.blocks = make([]blockState, len(a.memory)/blockSize)
	}
	for i, free := 0, 0; i < len(a.blocks); i++ {
		if a.blocks[i] == taken {
			free = 0
			continue
		}
		if free++; free == count {
			first = i + 1 - count
			a.set(first, count, taken)
			a.arm()
			return a.memory[first*blockSize : (i+1)*blockSize : (i+1)*blockSize], first
		}
	}
	return nil, 0
}

// free gives back memory that take returned.
func (a *arena) free(first, count int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.set(first, count, fresh)
}

func (a *arena) set(first, count int, to blockState) {
	for i := range count {
		a.blocks[first+i] = to
	}
}

// arm has collected called after the next collection of garbage.
func (a *arena) arm() {
	if !a.armed {
		a.armed = true
		runtime.AddCleanup(&struct{ of *arena }{a}, (*arena).collected, a)
	}
}

// collected gives back to the system what nobody has used since the collection before, as a
// sync.Pool would.
func (a *arena) collected() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.armed = false
	used := false
	for i := 0; i < len(a.blocks); {
		first, state := i, a.blocks[i]
		for i < len(a.blocks) && a.blocks[i] == state {
			i++
		}
		switch state {
		case idle:
			if dropPages(a.memory[first*blockSize : i*blockSize]) {
				a.set(first, i-first, untouched)
			}
		case fresh:
			a.set(first, i-first, idle)
			used = true
		case taken:
			used = true
		}
	}
	if used {
		a.arm()
	}
}
