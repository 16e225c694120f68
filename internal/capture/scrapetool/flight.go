package scrapetool

import (
	"context"
	"sync"
)

// flights lets equal requests that come at the same time be fetched once. What is fetched goes on
// until nobody waits for it any more.
type flights struct {
	mu     sync.Mutex // guards flying, and waiting of each flight
	flying map[string]*flight
}

type flight struct {
	waiting int
	cancel  context.CancelFunc
	done    chan struct{} // closed when the fields below are set

	document *document
	err      error
	panicked any
}

// fetch returns what work returns, which may be called by another call for the same key.
func (f *flights) fetch(ctx context.Context, key string, work func(context.Context) (*document, error)) (*document, error) {
	f.mu.Lock()
	one := f.flying[key]
	if one == nil {
		detached, cancel := context.WithCancel(context.WithoutCancel(ctx))
		one = &flight{cancel: cancel, done: make(chan struct{})}
		if f.flying == nil {
			f.flying = make(map[string]*flight)
		}
		f.flying[key] = one
		go func() {
			defer cancel()
			func() {
				defer func() { one.panicked = recover() }() // it is that of the calls that wait
				one.document, one.err = work(detached)
			}()
			f.mu.Lock()
			if f.flying[key] == one {
				delete(f.flying, key)
			}
			f.mu.Unlock()
			close(one.done)
		}()
	}
	one.waiting++
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if one.waiting--; one.waiting == 0 {
			one.cancel()
			if f.flying[key] == one { // whoever comes now begins by itself
				delete(f.flying, key)
			}
		}
	}()
	select {
	case <-one.done:
		if one.panicked != nil {
			panic(one.panicked)
		}
		return one.document, one.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
