package cli

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	// warningsAtOnce is how many warnings are printed however fast they come: those of a first reading, and some.
	warningsAtOnce = 2 * maxLines
	// warningsEvery is how often there is another one after that.
	warningsEvery = 5 * time.Second
	// repeats is how often the same warning is printed at once, and repeatEvery how often after that. Somebody who tries to mend
	// a file sees each attempt; a link that is exchanged all the time has two warnings.
	repeats     = 3
	repeatEvery = time.Minute
	// maxRemembered is how many warnings are remembered.
	maxRemembered = 1000
)

// A throttle bounds how many warnings a session prints. Its zero value is ready for use.
type throttle struct {
	mu      sync.Mutex // guards all below
	limiter *rate.Limiter
	printed map[string]*rate.Limiter
	dropped int
	last    time.Time // when one was dropped
}

// allow reports whether a warning is to be printed, and how many were not since the last one that was. Where warnings begin
// to be too many, the first one that is not printed is also reported as 1 dropped at once.
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
		return false, 0 // it is on the screen
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
