//go:build linux && !race

package conversion

import "syscall"

// limitMemory bounds the address space of this process. The bound is larger than [maxMemory], since Go and the C library
// reserve more than they use: 1.8 GB at the start.
func limitMemory() {
	set(syscall.RLIMIT_AS, 6*maxMemory)
	set(syscall.RLIMIT_CORE, 0)
}

func set(resource int, n uint64) {
	// without it, [watchMemory] still bounds the memory
	_ = syscall.Setrlimit(resource, &syscall.Rlimit{Cur: n, Max: n})
}
