package pdfium

import "github.com/tetratelabs/wazero/experimental"

// A memory is the linear memory of PDFium: it has its largest size from the start, so it is never copied.
type memory struct {
	all  []byte
	free func()
}

// reserve returns a memory. Without one, PDFium cannot start.
func reserve(_, _ uint64) experimental.LinearMemory {
	all, free, err := allocate(maxMemory)
	if err != nil {
		return &memory{nil, func() {}}
	}
	return &memory{all, free}
}

// Reallocate returns the start of the memory.
func (m *memory) Reallocate(size uint64) []byte {
	if size > uint64(len(m.all)) {
		return nil
	}
	return m.all[:size]
}

// Free frees the memory.
func (m *memory) Free() { m.free() }
