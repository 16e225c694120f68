package webclient

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fairqueue"
)

const (
	// perHost is how many requests to a host may be under way. One caller gets half of them.
	perHost = 4
	// maxWaiting is how many requests may wait for a host.
	maxWaiting = 1000

	// maxHosts is how many hosts are remembered. Beyond it, hosts without a pending interval are
	// forgotten.
	maxHosts = 1000
)

// A pace decides when a request to a host may start: [perHost] requests at a time, which callers share
// by package fairqueue, and one start per interval. An interval begins when a request has been sent,
// so that the host sees the interval however long connections take. All hosts together have a number
// of connections, which callers share too.
type pace struct {
	every       time.Duration
	connections *fairqueue.Turns

	mu    sync.Mutex // guards all fields below
	hosts map[string]*hostPace
}

// A hostPace is the pace of one host. The mu of the pace guards next and users.
type hostPace struct {
	slots *fairqueue.Turns
	turn  *fairqueue.Turns // for the next request to start, until it is sent
	next  time.Time
	users int
}

func newPace(every time.Duration, connections int) *pace {
	return &pace{every: every, connections: fairqueue.New(connections, maxWaiting), hosts: make(map[string]*hostPace)}
}

// A turn is the permission for one request. Its owner calls done when it has the answer.
type turn struct {
	p     *pace
	h     *hostPace
	every time.Duration
	held  []func()
	begun func()
}

// sent says that the request was sent: the interval begins again.
func (t *turn) sent() {
	t.count()
	t.begun()
}

// count begins an interval.
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

// wait waits until a request to a host may start. A host of the user needs no interval, but for its
// own Crawl-delay.
func (p *pace) wait(ctx context.Context, host string, ofUser bool, delay time.Duration, ask fairqueue.Ask) (t *turn, err error) {
	every := delay
	if !ofUser {
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
	slot, err := h.slots.Wait(ctx, ask)
	if full, ok := errors.AsType[fairqueue.FullError](err); ok {
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
	// one caller may use all connections, but not all slots of a host
	ask.Unshared = ask.Caller == ""
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

// pause waits until the time in next, which p.mu guards and others may move.
func (p *pace) pause(ctx context.Context, next *time.Time) error {
	for {
		p.mu.Lock()
		wait := time.Until(*next)
		p.mu.Unlock()
		if wait <= 0 {
			return nil
		}
		if err := Pause(ctx, wait); err != nil {
			return err
		}
	}
}

// hold delays all requests to a host until a time.
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
			now := time.Now()
			maps.DeleteFunc(p.hosts, func(_ string, h *hostPace) bool { return h.users == 0 && !h.next.After(now) })
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

// Pause waits for a time, or until ctx ends. It returns the cause if ctx has ended.
func Pause(ctx context.Context, d time.Duration) error {
	if d <= 0 || ctx.Err() != nil {
		return context.Cause(ctx)
	}
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// RetryAfter reads the value of Retry-After: seconds or a date (RFC 9110, 10.2.3). A time in the past becomes one
// nanosecond, so that the request is repeated. 0: no valid value.
func RetryAfter(value string, now time.Time) time.Duration {
	value = strings.TrimSpace(value)
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return max(1, time.Duration(seconds)*time.Second)
	}
	if date, err := http.ParseTime(value); err == nil {
		return max(1, date.Sub(now))
	}
	return 0
}
