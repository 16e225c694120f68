package webclient

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fairqueue"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

func TestAHostIsAskedOnceASecondAndTwiceAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPace(time.Second, DefaultConnections)
		begin := time.Now()
		var mu sync.Mutex
		var starts []time.Duration
		atWork, most := 0, 0
		var wg sync.WaitGroup
		for range 6 {
			wg.Go(func() {
				turn, err := p.wait(t.Context(), "example.com", false, 0, fairqueue.Ask{})
				if err != nil {
					t.Error(err)
					return
				}
				turn.sent()
				mu.Lock()
				starts = append(starts, time.Since(begin))
				atWork++
				most = max(most, atWork)
				mu.Unlock()
				time.Sleep(5 * time.Second)
				mu.Lock()
				atWork--
				mu.Unlock()
				turn.done()
			})
		}
		wg.Wait()
		must.Equal(t, perHost/2, most, "requests at a time")
		want := []time.Duration{0, 1, 5, 6, 10, 11}
		for i := range want {
			if starts[i] != want[i]*time.Second {
				t.Errorf("starts %v, want %v seconds", starts, want)
				break
			}
		}
		if turn, err := p.wait(t.Context(), "other.example", false, 0, fairqueue.Ask{}); err != nil || time.Since(begin) != 16*time.Second {
			t.Errorf("another host had to wait: %v", err)
		} else {
			turn.done()
		}
	})
}

func TestThePaceOfAHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPace(time.Second, DefaultConnections)
		begin := time.Now()
		turn := func(host string, ofUser bool, delay time.Duration) time.Duration {
			t.Helper()
			turn := must.Get(p.wait(t.Context(), host, ofUser, delay, fairqueue.Ask{}))(t)
			turn.done()
			return time.Since(begin)
		}
		for range 3 {
			must.Equal(t, time.Duration(0), turn("own", true, 0), "the wait for the user's own host")
		}
		turn("slow", false, 7*time.Second)
		must.Equal(t, 7*time.Second, turn("slow", false, 0), "the wait for a Crawl-delay")
		p.hold("held", begin.Add(time.Minute))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := p.wait(ctx, "held", true, 0, fairqueue.Ask{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a host that asked to wait was asked: %v", err)
		}
		must.Equal(t, time.Minute, turn("held", true, 0), "the wait for a held host")
		for i := range 3 * maxHosts {
			turn(fmt.Sprint("host", i), true, 0)
		}
		if len(p.hosts) > maxHosts {
			t.Errorf("%d hosts are remembered", len(p.hosts))
		}
	})
}

func TestAnIntervalBeginsWhenTheRequestIsSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPace(time.Second, DefaultConnections)
		var sent []time.Time
		for _, connecting := range []time.Duration{3 * time.Second, 0, 500 * time.Millisecond, 0} {
			turn := must.Get(p.wait(t.Context(), "example.com", true, time.Second, fairqueue.Ask{}))(t)
			time.Sleep(connecting)
			sent = append(sent, time.Now())
			turn.sent()
			turn.done()
		}
		for i := 1; i < len(sent); i++ {
			if gap := sent[i].Sub(sent[i-1]); gap < time.Second {
				t.Errorf("the host saw %v between two requests", gap)
			}
		}
	})
}

// Slow requests of one caller, of several callers and of crawls do not keep other callers from a host.
func TestASlowHostIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPace(time.Second, DefaultConnections)
		ask := func(slow context.Context, a fairqueue.Ask) {
			for range 5 {
				go func() {
					if turn, err := p.wait(slow, "example.com", false, 0, a); err == nil {
						turn.sent()
						<-slow.Done()
						turn.done()
					}
				}()
			}
			time.Sleep(10 * time.Second)
		}
		wait := func(caller string) time.Duration {
			t.Helper()
			began := time.Now()
			turn := must.Get(p.wait(t.Context(), "example.com", false, 0, fairqueue.Ask{Caller: caller}))(t)
			turn.sent()
			turn.done()
			return time.Since(began)
		}
		slow, cancel := context.WithCancel(t.Context())
		ask(slow, fairqueue.Ask{Caller: "alice", Background: true})
		ask(slow, fairqueue.Ask{Caller: "bob", Background: true})
		for _, caller := range []string{"carol", "alice", "bob", "carol"} {
			if d := wait(caller); d > 2*time.Second {
				t.Errorf("%s had to wait for %v, because of crawls", caller, d)
			}
		}
		cancel()
		slow, cancel = context.WithCancel(t.Context())
		defer cancel()
		ask(slow, fairqueue.Ask{Caller: "alice"})
		ask(slow, fairqueue.Ask{Caller: "alice", Background: true})
		for _, caller := range []string{"bob", "carol"} {
			if d := wait(caller); d > 2*time.Second {
				t.Errorf("%s had to wait for %v, because of alice", caller, d)
			}
		}
	})
}

// A request fails at once if too many requests wait for its host.
func TestTooManyWaitForAHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPace(time.Second, DefaultConnections)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		for range maxWaiting {
			go func() {
				if turn, err := p.wait(ctx, "example.com", true, 0, fairqueue.Ask{Caller: "alice"}); err == nil {
					<-ctx.Done()
					turn.done()
				}
			}()
		}
		synctest.Wait()
		_, err := p.wait(t.Context(), "example.com", true, 0, fairqueue.Ask{Caller: "alice"})
		if err == nil || err.Error() != "example.com: 500 requests wait already, 500 of them of this caller: try again in about 1s" {
			t.Error(err)
		}
		turn := must.Get(p.wait(t.Context(), "example.com", true, 0, fairqueue.Ask{Caller: "bob"}))(t)
		turn.done()
		cancel()
		synctest.Wait()
		if h := p.hosts["example.com"]; h.users != 0 || h.slots.Held()+h.turn.Held() != 0 {
			t.Error("something is still held")
		}
	})
}

// Slow hosts of one caller leave connections to other callers; the only caller of a process may use
// all connections.
func TestConnectionsAreShared(t *testing.T) {
	for caller, most := range map[string]int{"alice": DefaultConnections / 2, "": DefaultConnections} {
		synctest.Test(t, func(t *testing.T) {
			p := newPace(time.Second, DefaultConnections)
			ctx, cancel := context.WithCancel(t.Context())
			for i := range 2 * DefaultConnections {
				go func() {
					if turn, err := p.wait(ctx, fmt.Sprint("tarpit", i), true, 0, fairqueue.Ask{Caller: caller}); err == nil {
						<-ctx.Done()
						turn.done()
					}
				}()
			}
			synctest.Wait()
			must.Equal(t, most, p.connections.Held(), caller)
			if caller != "" {
				turn := must.Get(p.wait(t.Context(), "example.com", true, 0, fairqueue.Ask{Caller: "bob"}))(t)
				turn.done()
			}
			cancel()
		})
	}
}
