package docs

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadTime returns the processor time that this thread has taken.
func threadTime() time.Duration {
	var now unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &now) != nil {
		return 0
	}
	return time.Duration(now.Nano())
}
