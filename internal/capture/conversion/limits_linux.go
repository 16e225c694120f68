//go:build linux && !race

package conversion

import "syscall"

// limitProcess bounds the processor time and the address space of this process. The second is
// larger than [maxMemory], since Go and the C library reserve more than they use: 1.8 GB at the start.
func limitProcess() {
	set := func(resource int, n uint64) {
		_ = syscall.Setrlimit(resource, &syscall.Rlimit{Cur: n, Max: n}) // without it, the parent still bounds the time
	}
	set(syscall.RLIMIT_CPU, maxCPU)
	set(syscall.RLIMIT_AS, 6*maxMemory)
	set(syscall.RLIMIT_CORE, 0)
}
