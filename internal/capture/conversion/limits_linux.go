//go:build linux && !race

package conversion

import "syscall"

// limitMemory bounds the address space of this process. The bound is larger than [maxMemory], since Go and the C library
// reserve more than they use: 1.8 GB at the start.
func limitMemory() {
	set(syscall.RLIMIT_AS, 6*maxMemory)
	set(syscall.RLIMIT_CORE, 0)
}

// limitTime bounds the processor time of this process, which converts one more page.
func limitTime() {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	set(syscall.RLIMIT_CPU, uint64(used.Utime.Sec+used.Stime.Sec)+maxCPU)
}

func set(resource int, n uint64) {
	_ = syscall.Setrlimit(resource, &syscall.Rlimit{Cur: n, Max: n}) // without it, the parent still bounds the time
}
