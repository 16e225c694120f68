package contents

import "golang.org/x/sys/unix"

// mapMemory returns memory that takes pages when it is written to, or nil.
func mapMemory(n int) []byte {
	memory, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	if err != nil {
		return nil
	}
	return memory
}

// dropPages gives the pages of memory back. It may be used again, and then begins with zeros.
func dropPages(memory []byte) bool { return unix.Madvise(memory, unix.MADV_DONTNEED) == nil }
