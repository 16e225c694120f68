//go:build !unix

package webpage

import "time"

var started = time.Now()

// processTime returns the time since this process was started.
func processTime() time.Duration { return time.Since(started) }
