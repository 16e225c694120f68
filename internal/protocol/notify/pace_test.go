package notify

import (
	"testing"
	"testing/synctest"
	"time"
)

// paced makes changes, each after a pause, and returns the times of the announcements since the
// start.
func paced(t *testing.T, pauses []time.Duration) []time.Duration {
	var times []time.Duration
	synctest.Test(t, func(t *testing.T) {
		h := New(nil)
		time.Sleep(time.Minute)
		start := time.Now()
		note := func(a announcement) {
			if !a.empty() {
				times = append(times, time.Since(start))
			}
		}
		var flush func()
		flush = func() {
			h.mu.Lock()
			defer h.mu.Unlock()
			note(h.pacer.due(time.Now(), flush))
		}
		for _, pause := range pauses {
			time.Sleep(pause)
			h.mu.Lock()
			note(h.pacer.add(announcement{Lists: Lists{Resources: true}}, time.Now(), flush))
			h.mu.Unlock()
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		h.mu.Lock()
		defer h.mu.Unlock()
		if !h.pacer.pending.empty() {
			t.Error("the last change is never announced")
		}
	})
	return times
}

func TestPace(t *testing.T) {
	times := paced(t, []time.Duration{0})
	if len(times) != 1 || times[0] != 0 {
		t.Errorf("a single change is announced at %v", times)
	}
	times = paced(t, []time.Duration{0, 10 * time.Millisecond, 10 * time.Millisecond})
	if len(times) != 2 || times[1] != 120*time.Millisecond {
		t.Errorf("a burst is announced at %v", times)
	}
	for _, pause := range []time.Duration{time.Millisecond, 30 * time.Millisecond, 99 * time.Millisecond, 101 * time.Millisecond, 150 * time.Millisecond, 400 * time.Millisecond, 900 * time.Millisecond} {
		const seconds = 10
		n := int(seconds * time.Second / pause)
		pauses := make([]time.Duration, n)
		for i := range pauses {
			pauses[i] = pause
		}
		times := paced(t, pauses)
		if len(times) > 2+seconds+1 || len(times) < min(n, seconds-2) {
			t.Errorf("a change every %v for %d s is announced %d times: %v", pause, seconds, len(times), times)
		}
		end := time.Duration(n) * pause
		if last := times[len(times)-1]; last < end || last > end+ceiling {
			t.Errorf("a change every %v: the last announcement comes at %v, the last change at %v", pause, last, end)
		}
		for i := 1; i < len(times); i++ {
			if times[i]-times[i-1] > 2*ceiling {
				t.Errorf("a change every %v is not announced between %v and %v", pause, times[i-1], times[i])
			}
		}
	}
}
