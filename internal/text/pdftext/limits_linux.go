//go:build linux && !race

package pdftext

import "syscall"

// limitProcess bounds the processor time and the address space of this process. The second is
// larger than [MaxMemory], since Go reserves more than it uses.
func limitProcess() {
	set := func(resource int, n uint64) {
		_ = syscall.Setrlimit(resource, &syscall.Rlimit{Cur: n, Max: n}) // without it, the parent still bounds the time
	}
	set(syscall.RLIMIT_CPU, maxCPU)
	set(syscall.RLIMIT_AS, 4*MaxMemory)
	set(syscall.RLIMIT_CORE, 0)
}
