package webclient

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fairqueue"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/pause"
)

const (
	// perHost is how many requests to a host there are at a time. One caller has half of them.
	perHost = 4
	// maxWaiting is how many wait for a host.
	maxWaiting = 1000

	// maxHosts is how many hosts are remembered. Beyond it, those that may be asked at once are
	// forgotten.
	maxHosts = 1000
)

// A pace says when a host may be asked: [perHost] requests at a time, which callers share as package
// turns has it, and one start in an interval.
// An interval begins when a request has been sent, so that the host sees it too, however long
// connections take. All hosts together have a number of connections, which callers share too.
type pace struct {
	every       time.Duration    // between two starts
	connections *fairqueue.Turns // one for each request under way

	mu    sync.Mutex // guards all fields below
	hosts map[string]*hostPace
}

// A hostPace is the pace of one host. The pace's mu guards its fields, but slots and turn.
type hostPace struct {
	slots *fairqueue.Turns // one for each request under way
	turn  *fairqueue.Turns // one for the request that starts next, until it is sent
	next  time.Time        // of the next start
	users int              // requests that wait or are under way
}

// A wish is what a request wants besides what its host needs.
type wish struct {
	caller  string // for whom it is; "": the only caller of the process
	patient bool   // nobody waits for it: it leaves connections and turns to the others
}

func newPace(every time.Duration, connections int) *pace {
	return &pace{every: every, connections: fairqueue.New(connections, maxWaiting), hosts: make(map[string]*hostPace)}
}

// A turn is that of one request. Its owner calls done when it has the answer.
type turn struct {
	p     *pace
	h     *hostPace
	every time.Duration
	held  []func() // called when the answer is there
	begun func()   // lets the next request begin
}

// sent says that the request was sent, from when on the intervals count.
func (t *turn) sent() {
	t.count()
	t.begun()
}

// count lets the intervals begin.
func (t *turn) count() {
	t.p.mu.Lock()
	defer t.p.mu.Unlock()
	now := time.Now()
	if next := now.Add(t.every); t.every > 0 && next.After(t.h.next) {
		t.h.next = next
	}
}

func (t *turn) done() {
	t.begun()
	for _, release := range t.held {
		release()
	}
	t.p.leave(t.h)
}

// wait waits until a host may be asked. own says that the host needs no interval; least is the one
// that the host itself wants.
func (p *pace) wait(ctx context.Context, host string, own bool, least time.Duration, r wish) (t *turn, err error) {
	every := least
	if !own {
		every = max(every, p.every)
	}
	h := p.enter(host)
	var held []func()
	defer func() {
		if err != nil {
			for _, release := range held {
				release()
			}
			p.leave(h)
		}
	}()
	ask := fairqueue.Ask{Caller: r.caller, Patient: r.patient}
	slot, err := h.slots.Wait(ctx, ask)
	if full, ok := errors.AsType[*fairqueue.FullError](err); ok {
		return nil, fmt.Errorf("%s: %w", host, full)
	}
	if err != nil {
		return nil, err
	}
	held = append(held, slot)
	start, err := h.turn.Wait(ctx, ask)
	if err != nil {
		return nil, err
	}
	held = append(held, start)
	if err := p.pause(ctx, &h.next); err != nil {
		return nil, err
	}
	ask.Only = r.caller == "" // a host is spared even so
	connection, err := p.connections.Wait(ctx, ask)
	if err != nil {
		return nil, err
	}
	t = &turn{p: p, h: h, every: every, held: []func(){connection, slot}}
	t.begun = sync.OnceFunc(start)
	t.count()
	if every == 0 {
		t.begun()
	}
	return t, nil
}

// pause waits until the next start, which p.mu guards.
func (p *pace) pause(ctx context.Context, next *time.Time) error {
	for {
		p.mu.Lock()
		wait := time.Until(*next)
		p.mu.Unlock()
		if wait <= 0 {
			return nil
		}
		if err := pause.For(ctx, wait); err != nil {
			return err
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
		h = &hostPace{slots: fairqueue.New(perHost, maxWaiting), turn: fairqueue.New(1, perHost)}
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
