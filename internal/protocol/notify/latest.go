package notify

import "sync"

// Latest holds the latest notification that was not taken out, so that nobody waits for a client
// that reads slowly. Its methods may be called at the same time.
type Latest struct {
	wake chan struct{} // has room for one

	mu   sync.Mutex // guards next
	next *Notification
}

// NewLatest returns one that holds nothing.
func NewLatest() *Latest { return &Latest{wake: make(chan struct{}, 1)} }

// Put replaces what it holds.
func (l *Latest) Put(n Notification) {
	l.mu.Lock()
	l.next = &n
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default: // whoever takes it out is to wake up already
	}
}

// Wake returns a channel that has a value when there may be something to take out.
func (l *Latest) Wake() <-chan struct{} { return l.wake }

// Take takes out what it holds, if it holds something.
func (l *Latest) Take() (n Notification, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.next == nil {
		return Notification{}, false
	}
	n, l.next = *l.next, nil
	return n, true
}
