package stdio

import "sync"

// A tally counts goroutines. Other than with a [sync.WaitGroup], one may start
// while somebody waits.
type tally struct {
	mu      sync.Mutex // guards all fields below
	running int
	none    chan struct{} // closed when none runs; nil if nobody waits
}

// start runs f in a goroutine that is counted.
func (t *tally) start(f func()) {
	t.mu.Lock()
	t.running++
	t.mu.Unlock()
	go func() {
		defer t.end()
		f()
	}()
}

func (t *tally) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.running--; t.running == 0 && t.none != nil {
		close(t.none)
		t.none = nil
	}
}

// idle returns a channel that is closed when none of the goroutines runs. It is
// for one that waits.
func (t *tally) idle() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	none := make(chan struct{})
	if t.running == 0 {
		close(none)
	} else {
		t.none = none
	}
	return none
}
