package hosts

import (
	"container/list"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// mostCallers is how many callers a limiter remembers, which takes some 3 MB. Beyond that, it
// forgets the callers that have been inactive longest: they may then begin with a full burst again,
// as after a pause.
const mostCallers = 10_000

// A Limiter limits the rate of requests of each caller. It is safe for concurrent use.
type Limiter struct {
	limit rate.Limit
	burst int
	most  int

	mu      sync.Mutex // guards all fields below
	callers map[string]*list.Element
	order   list.List // of *caller; the one with the latest request is at the front
}

type caller struct {
	key    string
	bucket *rate.Limiter
}

// NewLimiter returns a limiter that allows each caller limit requests per second, and burst at
// once.
func NewLimiter(limit rate.Limit, burst int) *Limiter {
	return &Limiter{limit: limit, burst: max(burst, 1), most: mostCallers, callers: map[string]*list.Element{}}
}

// Allow counts a request of a caller. If there are too many, it returns false and the time until
// the next one is allowed.
func (l *Limiter) Allow(key string) (wait time.Duration, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, known := l.callers[key]
	if known {
		l.order.MoveToFront(e)
	} else {
		e = l.order.PushFront(&caller{key, rate.NewLimiter(l.limit, l.burst)})
		l.callers[key] = e
		if l.order.Len() > l.most {
			delete(l.callers, l.order.Remove(l.order.Back()).(*caller).key)
		}
	}
	now := time.Now()
	r := e.Value.(*caller).bucket.ReserveN(now, 1)
	if wait = r.DelayFrom(now); wait > 0 {
		r.CancelAt(now) // a refused request does not count
		return wait, false
	}
	return 0, true
}

// AddrKey returns the key of an address for a limiter. For an IPv6 address it is the /64 network,
// because one client can have all addresses in it.
func AddrKey(a netip.Addr) string {
	switch {
	case !a.IsValid():
		return "address:unknown"
	case a.Is6():
		p, _ := a.WithZone("").Prefix(64)
		return "address:" + p.String()
	}
	return "address:" + a.String()
}
