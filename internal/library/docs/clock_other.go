//go:build !linux

package docs

import "time"

var start = time.Now()

// threadTime returns a tenth of the time since the start: this system does not tell the processor time of a thread, and a thread
// waits for a processor.
func threadTime() time.Duration { return time.Since(start) / 10 }
