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
// An interval begins when a request has been sent, so that the host sees it too, however long
// connections take. All hosts together have a number of connections.
type pace struct {
	every       time.Duration // between two starts
	connections chan struct{} // holds one element for each request under way

	mu    sync.Mutex // guards all fields below
	hosts map[string]*hostPace
}

// A hostPace is the pace of one host. The pace's mu guards its fields; slots is a channel.
type hostPace struct {
	slots chan struct{} // holds one element for each request under way
	turn  chan struct{} // holds one element for the request that starts next, until it is sent
	next  time.Time     // of the next start
	users int           // requests that wait or are under way
}

func newPace(every time.Duration, connections int) *pace {
	return &pace{every: every, connections: make(chan struct{}, connections), hosts: make(map[string]*hostPace)}
}

// A turn is that of one request. Its owner calls done when it has the answer.
type turn struct {
	p     *pace
	h     *hostPace
	every time.Duration
	begun func() // lets the next request begin
}

// sent says that the request was sent, from when on the interval counts.
func (t *turn) sent() {
	t.p.mu.Lock()
	if next := time.Now().Add(t.every); t.every > 0 && next.After(t.h.next) {
		t.h.next = next
	}
	t.p.mu.Unlock()
	t.begun()
}

func (t *turn) done() {
	t.begun()
	<-t.p.connections
	<-t.h.slots
	t.p.leave(t.h)
}

// wait waits until a host may be asked. own says that the host needs no interval; least is the
// interval that the host itself, or whoever asks, wants.
func (p *pace) wait(ctx context.Context, host string, own bool, least time.Duration) (t *turn, err error) {
	every := least
	if !own {
		every = max(every, p.every)
	}
	h := p.enter(host)
	var held []chan struct{}
	defer func() {
		if err != nil {
			for _, c := range held {
				<-c
			}
			p.leave(h)
		}
	}()
	hold := func(c chan struct{}) error {
		select {
		case c <- struct{}{}:
			held = append(held, c)
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	if err := hold(h.slots); err != nil {
		return nil, err
	}
	if err := hold(h.turn); err != nil {
		return nil, err
	}
	if err := p.pause(ctx, h); err != nil {
		return nil, err
	}
	if err := hold(p.connections); err != nil {
		return nil, err
	}
	p.mu.Lock()
	if next := time.Now().Add(every); next.After(h.next) {
		h.next = next
	}
	p.mu.Unlock()
	t = &turn{p, h, every, sync.OnceFunc(func() { <-h.turn })}
	if every == 0 {
		t.begun()
	}
	return t, nil
}

// pause waits until the next start of a host.
func (p *pace) pause(ctx context.Context, h *hostPace) error {
	for {
		p.mu.Lock()
		wait := time.Until(h.next)
		p.mu.Unlock()
		if wait <= 0 {
			return nil
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return context.Cause(ctx)
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
		h = &hostPace{slots: make(chan struct{}, perHost), turn: make(chan struct{}, 1)}
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
