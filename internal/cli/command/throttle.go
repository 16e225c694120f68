package command

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	// warningsAtOnce is the number of warnings that are printed without a delay: enough for the
	// warnings of the first scan.
	warningsAtOnce = 2 * MaxLines
	// warningsEvery is the interval between warnings after that.
	warningsEvery = 5 * time.Second
	// repeats is how often the same warning is printed without a delay, and repeatEvery the
	// interval after that. A user who tries to fix a file sees each attempt; a link that is
	// replaced all the time causes two warnings.
	repeats     = 3
	repeatEvery = time.Minute
	// maxRemembered is the maximum number of remembered warnings.
	maxRemembered = 1000
)

// A throttle limits the number of warnings in a session. Its zero value is ready for use.
type throttle struct {
	mu      sync.Mutex // guards all fields below
	limiter *rate.Limiter
	printed map[string]*rate.Limiter
	dropped int
	last    time.Time // time of the last dropped warning
}

// allow reports whether to print a warning, and how many were dropped since the last printed one.
// When the limit is reached, the first dropped warning is reported at once, as 1 dropped.
func (t *throttle) allow(warning string, now time.Time) (ok bool, dropped int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.limiter == nil {
		t.limiter = rate.NewLimiter(rate.Every(warningsEvery), warningsAtOnce)
		t.printed = make(map[string]*rate.Limiter)
	}
	same := t.printed[warning]
	if same == nil {
		if len(t.printed) >= maxRemembered {
			clear(t.printed)
		}
		same = rate.NewLimiter(rate.Every(repeatEvery), repeats)
		t.printed[warning] = same
	}
	if !same.AllowN(now, 1) {
		return false, 0 // it is still on the screen
	}
	if !t.limiter.AllowN(now, 1) {
		t.dropped++
		quiet := now.Sub(t.last) > repeatEvery
		if t.last = now; quiet {
			return false, 1
		}
		return false, 0
	}
	dropped, t.dropped = t.dropped, 0
	return true, dropped
}
