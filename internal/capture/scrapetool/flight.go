package scrapetool

import (
	"context"
	"sync"
)

// flights fetches a page once for concurrent equal requests. The fetch is cancelled when no request
// waits for it any more, which singleflight of golang.org/x/sync does not do.
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

// fetch calls work, or waits for the work of another call with the same key, and returns its result.
func (f *flights) fetch(ctx context.Context, key string, work func(context.Context) (*document, error)) (*document, error) {
	f.mu.Lock()
	current := f.flying[key]
	if current == nil {
		detached, cancel := context.WithCancel(context.WithoutCancel(ctx))
		current = &flight{cancel: cancel, done: make(chan struct{})}
		if f.flying == nil {
			f.flying = make(map[string]*flight)
		}
		f.flying[key] = current
		go func() {
			defer cancel()
			func() {
				defer func() { current.panicked = recover() }() // the waiting calls panic with it
				current.document, current.err = work(detached)
			}()
			f.mu.Lock()
			if f.flying[key] == current {
				delete(f.flying, key)
			}
			f.mu.Unlock()
			close(current.done)
		}()
	}
	current.waiting++
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if current.waiting--; current.waiting == 0 {
			current.cancel()
			if f.flying[key] == current { // the next request starts a fetch of its own
				delete(f.flying, key)
			}
		}
	}()
	select {
	case <-current.done:
		if current.panicked != nil {
			panic(current.panicked)
		}
		return current.document, current.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
