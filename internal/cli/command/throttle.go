package command

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	// warningsAtOnce is the number of warnings that are printed without a delay: enough for the
	// warnings of the first scan, and for a user who tries to fix a file.
	warningsAtOnce = 2 * MaxLines
	// warningsEvery is the interval between warnings after that: a link that is replaced all the time causes two
	// each time.
	warningsEvery = time.Minute
)

// A throttle limits the number of warnings in a session. Its zero value is ready for use.
type throttle struct {
	mu       sync.Mutex // guards all fields below
	limiter  *rate.Limiter
	dropping bool // the last warning was dropped
}

// allow reports whether to print a warning. If not, first reports whether it is the first dropped warning since the
// last printed one.
func (t *throttle) allow(now time.Time) (ok, first bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.limiter == nil {
		t.limiter = rate.NewLimiter(rate.Every(warningsEvery), warningsAtOnce)
	}
	ok = t.limiter.AllowN(now, 1)
	first = !ok && !t.dropping
	t.dropping = !ok
	return ok, first
}
