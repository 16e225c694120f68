package scrape

import (
	"context"
	"sync"
)

// turns let a number of pages be fetched at a time, and of these only some for one caller, so that
// one who asks for slow pages does not keep the others from theirs.
type turns struct {
	all chan struct{} // holds one element for each page under way

	mu  sync.Mutex // guards own
	own map[string]*share
}

// A share is what one caller has under way or waits for.
type share struct {
	slots chan struct{}
	users int
}

func newTurns() *turns {
	return &turns{all: make(chan struct{}, maxFetching), own: make(map[string]*share)}
}

// wait waits for a turn, which ends when done is called. The error is that of ctx.
func (t *turns) wait(ctx context.Context, caller string) (done func(), err error) {
	t.mu.Lock()
	s := t.own[caller]
	if s == nil {
		s = &share{slots: make(chan struct{}, maxOfCaller)}
		t.own[caller] = s
	}
	s.users++
	t.mu.Unlock()
	leave := func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if s.users--; s.users == 0 {
			delete(t.own, caller)
		}
	}
	select {
	case s.slots <- struct{}{}:
	case <-ctx.Done():
		leave()
		return nil, context.Cause(ctx)
	}
	select {
	case t.all <- struct{}{}:
	case <-ctx.Done():
		<-s.slots
		leave()
		return nil, context.Cause(ctx)
	}
	return func() {
		<-t.all
		<-s.slots
		leave()
	}, nil
}
