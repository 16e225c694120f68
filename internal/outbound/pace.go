package outbound

import (
	"context"
	"sync"
	"time"
)

const (
	perHost = 2 // requests to a host at a time

	// maxHosts is how many hosts are remembered. Beyond it, those that may be asked at once are
	// forgotten.
	maxHosts = 1000
)

// A pace says when a host may be asked: [perHost] requests at a time, and one start in an interval.
type pace struct {
	every time.Duration // between two starts

	mu    sync.Mutex // guards all fields below
	hosts map[string]*hostPace
}

// A hostPace is the pace of one host. The pace's mu guards its fields; slots is a channel.
type hostPace struct {
	slots chan struct{} // holds one element for each request under way
	next  time.Time     // of the next start
	users int           // requests that wait or are under way
}

func newPace(every time.Duration) *pace {
	return &pace{every: every, hosts: make(map[string]*hostPace)}
}

// wait waits until a host may be asked. The caller calls done when it has the answer. own says that
// the host needs no interval; least is the interval that the host itself asks for.
func (p *pace) wait(ctx context.Context, host string, own bool, least time.Duration) (done func(), err error) {
	h := p.enter(host)
	select {
	case h.slots <- struct{}{}:
	case <-ctx.Done():
		p.leave(h)
		return nil, context.Cause(ctx)
	}
	release := func() {
		<-h.slots
		p.leave(h)
	}
	for {
		p.mu.Lock()
		now := time.Now()
		wait := h.next.Sub(now)
		if wait <= 0 {
			every := least
			if !own {
				every = max(every, p.every)
			}
			h.next = now.Add(every)
			p.mu.Unlock()
			return release, nil
		}
		p.mu.Unlock()
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			release()
			return nil, context.Cause(ctx)
		}
	}
}

// hold lets nobody ask a host until a time.
func (p *pace) hold(host string, until time.Time) {
	h := p.enter(host)
	p.mu.Lock()
	if until.After(h.next) {
		h.next = until
	}
	p.mu.Unlock()
	p.leave(h)
}

func (p *pace) enter(host string) *hostPace {
	p.mu.Lock()
	defer p.mu.Unlock()
	h := p.hosts[host]
	if h == nil {
		if len(p.hosts) >= maxHosts {
			p.forget()
		}
		h = &hostPace{slots: make(chan struct{}, perHost)}
		p.hosts[host] = h
	}
	h.users++
	return h
}

func (p *pace) leave(h *hostPace) {
	p.mu.Lock()
	defer p.mu.Unlock()
	h.users--
}

// forget removes the hosts that nobody asks and that may be asked at once. p.mu is held.
func (p *pace) forget() {
	now := time.Now()
	for host, h := range p.hosts {
		if h.users == 0 && !h.next.After(now) {
			delete(p.hosts, host)
		}
	}
}
