package contents

import (
	"math/bits"
	"sync"
)

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
