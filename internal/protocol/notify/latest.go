package notify

import (
	"context"
	"sync"
	"time"
)

// Latest holds the latest notification until it is taken, so that no sender waits for a client that
// reads slowly. Its methods may be called concurrently.
type Latest struct {
	wake chan struct{} // has room for one

	mu   sync.Mutex // guards next
	next *Notification
}

// NewLatest returns an empty Latest.
func NewLatest() *Latest { return &Latest{wake: make(chan struct{}, 1)} }

// Put replaces the notification in l.
func (l *Latest) Put(n Notification) {
	l.mu.Lock()
	l.next = &n
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default: // a wake-up is already pending
	}
}

// Wake returns a channel that has a value when there may be a notification to take.
func (l *Latest) Wake() <-chan struct{} { return l.wake }

// Take removes and returns the notification, if there is one.
func (l *Latest) Take() (n Notification, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.next == nil {
		return Notification{}, false
	}
	n, l.next = *l.next, nil
	return n, true
}

// Next is [Subscriber.Next] for the notification in l.
func (l *Latest) Next(ctx context.Context, over <-chan struct{}, pause <-chan time.Time) (Notification, error) {
	return next(ctx, l.Take, l.wake, nil, over, pause)
}
