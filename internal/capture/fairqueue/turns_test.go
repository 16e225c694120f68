package fairqueue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// A bench makes requests for turns. Each request has a name, by which the test ends it.
type bench struct {
	t     *testing.T
	turns *Turns
	ends  map[string]context.CancelFunc

	mu  sync.Mutex // guards has while goroutines run
	has []string   // requests that hold a turn, in the order in which they got it
}

func newBench(t *testing.T, size, places int) *bench {
	return &bench{t: t, turns: New(size, places), ends: make(map[string]context.CancelFunc)}
}

// ask starts a request. It holds its turn until the test ends it.
func (b *bench) ask(name string, a Ask) {
	ctx, cancel := context.WithCancel(b.t.Context())
	b.ends[name] = cancel
	go func() {
		done, err := b.turns.Wait(ctx, a)
		if err != nil {
			return
		}
		b.mu.Lock()
		b.has = append(b.has, name)
		b.mu.Unlock()
		<-ctx.Done()
		b.mu.Lock()
		b.has = slices.DeleteFunc(b.has, func(other string) bool { return other == name })
		b.mu.Unlock()
		done()
		done() // has no effect
	}()
	synctest.Wait()
}

// asks starts several requests of a caller, which are named after it.
func (b *bench) asks(n int, a Ask) {
	for i := range n {
		b.ask(fmt.Sprint(a.Caller, i+1), a)
	}
}

// end ends a request, waiting or not.
func (b *bench) end(name string) {
	b.ends[name]()
	delete(b.ends, name)
	synctest.Wait()
}

func (b *bench) want(names string) {
	b.t.Helper()
	if got := strings.Join(b.has, " "); got != names {
		b.t.Errorf("turns have %q, want %q", got, names)
	}
}

// close ends all requests, and checks that nothing is left.
func (b *bench) close() {
	b.t.Helper()
	for name := range b.ends {
		b.end(name)
	}
	if u := b.turns; len(b.has) > 0 || u.free != u.size || u.waiting+u.background+len(u.flows) > 0 {
		b.t.Errorf("something is left: %d of %d turns are free, %d wait, %d flows", u.free, u.size, u.waiting, len(u.flows))
	}
}

// A caller that is alone gets all turns.
func TestUnshared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, 3, 2)
		defer b.close()
		b.asks(5, Ask{Unshared: true})
		b.want("1 2 3")
		_, err := b.turns.Wait(t.Context(), Ask{Unshared: true})
		if full, ok := errors.AsType[FullError](err); !ok || !strings.HasPrefix(string(full), "2 requests wait already, 2 of them") {
			t.Error(err)
		}
	})
}

// A request that finds the queue full learns when to try again. One caller cannot fill the queue for the others.
func TestFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, 2, 8)
		must.Equal(t, time.Second, b.turns.Expected(), "before anything is known")
		for range 4 { // each lasts four seconds
			done := must.Get(b.turns.Wait(t.Context(), Ask{Caller: "a"}))(t)
			time.Sleep(4 * time.Second)
			done()
		}
		b.asks(5, Ask{Caller: "a"}) // one of them has a turn
		began := time.Now()
		_, err := b.turns.Wait(t.Context(), Ask{Caller: "a"})
		if err == nil || err.Error() != "4 requests wait already, 4 of them of this caller: try again in about 9s" || time.Since(began) != 0 {
			t.Error(err)
		}
		b.asks(3, Ask{Caller: "b"})
		b.asks(1, Ask{Caller: "c"})
		must.Equal(t, 7, b.turns.waiting, "waiting")
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errors.New("over"))
		if _, err := b.turns.Wait(ctx, Ask{Caller: "d"}); err == nil || err.Error() != "over" {
			t.Error(err)
		}
		b.close()
	})
}

// A wanter is a request in the model.
type wanter struct {
	name string
	Ask
	rank int // in the order of callers
}

// A model implements the rules of the package comment in the plainest form, with lists.
type model struct {
	size    int
	has     []wanter
	waiting []wanter // in order of arrival
	rank    int
}

func count(list []wanter, is func(wanter) bool) (n int) {
	for _, w := range list {
		if is(w) {
			n++
		}
	}
	return n
}

// first reports whether no request with the same Ask has waited longer.
func (m *model) first(i int) bool {
	return slices.IndexFunc(m.waiting, func(w wanter) bool { return w.Ask == m.waiting[i].Ask }) == i
}

func (m *model) arrive(name string, a Ask) {
	m.waiting = append(m.waiting, wanter{name: name, Ask: a})
	if i := len(m.waiting) - 1; m.first(i) {
		m.toBack(i)
	}
	m.serve()
}

func (m *model) toBack(i int) {
	m.rank++
	if m.waiting[i].rank = m.rank; m.waiting[i].Background {
		m.waiting[i].rank += courtesy
	}
}

func (m *model) leave(name string) {
	m.has = slices.DeleteFunc(m.has, func(w wanter) bool { return w.name == name })
	if i := slices.IndexFunc(m.waiting, func(w wanter) bool { return w.name == name }); i >= 0 {
		gone, first := m.waiting[i], m.first(i)
		m.waiting = slices.Delete(m.waiting, i, i+1)
		for j := range m.waiting {
			if first && m.waiting[j].Ask == gone.Ask { // takes the place of its caller
				m.waiting[j].rank = gone.rank
				break
			}
		}
	}
	m.serve()
}

func (m *model) serve() {
	for {
		free, best := m.size-len(m.has), -1
		held := func(a wanter) int { return count(m.has, func(w wanter) bool { return w.Caller == a.Caller }) }
		for i, w := range m.waiting {
			mine := count(m.has, func(o wanter) bool { return o.Ask == w.Ask })
			if w.Background {
				mine = held(w)
			}
			jobs := count(m.has, func(o wanter) bool { return o.Background })
			if !m.first(i) || free == 0 || mine >= free || w.Background && jobs >= max(m.size/2, 1) {
				continue
			}
			if best < 0 || cmp.Or(cmp.Compare(held(w), held(m.waiting[best])), cmp.Compare(w.rank, m.waiting[best].rank)) < 0 || held(w) == held(m.waiting[best]) && w.rank == m.waiting[best].rank && !w.Background {
				best = i
			}
		}
		if best < 0 {
			return
		}
		one := m.waiting[best]
		m.waiting = slices.Delete(m.waiting, best, best+1)
		m.has = append(m.has, one)
		for j := range m.waiting {
			if m.waiting[j].Ask == one.Ask {
				m.toBack(j)
				break
			}
		}
	}
}

// Whatever the order in which requests come, end and give up, the turns go where the rules say, no caller holds all
// turns while another waits, and no request is overtaken forever.
func TestSchedules(t *testing.T) {
	for seed := range uint64(60) {
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 1))
			size, callers := 1+r.IntN(6), 1+r.IntN(5)
			b, m := newBench(t, size, 1000), &model{size: size}
			defer b.close()
			passed := make(map[string]int)
			for step := range 120 {
				if names := slices.Sorted(maps.Keys(b.ends)); len(names) == 0 || r.IntN(5) < 2 && len(names) < 30 {
					name, a := fmt.Sprint("r", step), Ask{Caller: fmt.Sprint("c", r.IntN(callers)), Background: r.IntN(4) == 0}
					b.ask(name, a)
					m.arrive(name, a)
				} else {
					name := names[r.IntN(len(names))]
					if len(b.has) > 0 && r.IntN(3) > 0 {
						name = b.has[r.IntN(len(b.has))]
					}
					before := slices.Clone(b.has)
					b.end(name)
					m.leave(name)
					for _, w := range m.waiting {
						if len(b.has) >= len(before) && slices.Contains(before, name) {
							passed[w.name]++
						}
						if passed[w.name] > 4*30 {
							t.Fatalf("seed %d: %s waits for %d turns", seed, w.name, passed[w.name])
						}
					}
				}
				var want []string
				holders := make(map[string]bool)
				for _, w := range m.has {
					want = append(want, w.name)
					holders[w.Caller] = true
				}
				got := slices.Clone(b.has)
				slices.Sort(got)
				slices.Sort(want)
				if !slices.Equal(got, want) {
					t.Fatalf("seed %d, step %d: turns have %v, want %v", seed, step, got, want)
				}
				if size > 2 && len(m.has) == size && len(holders) == 1 {
					t.Fatalf("seed %d, step %d: one caller has all turns", seed, step)
				}
			}
		})
	}
}
