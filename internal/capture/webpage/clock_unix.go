//go:build unix

package webpage

import (
	"syscall"
	"time"
)

// processTime returns the processor time that this process has taken.
func processTime() time.Duration {
	var used syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &used) != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
