package fairqueue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A bench has callers who want turns. Each request has a name, under which it can be ended.
type bench struct {
	t     *testing.T
	turns *Turns
	ends  map[string]context.CancelFunc

	mu  sync.Mutex // guards has while goroutines run
	has []string   // a turn, in the order in which they got it
}

func newBench(t *testing.T, size, places int) *bench {
	return &bench{t: t, turns: New(size, places), ends: make(map[string]context.CancelFunc)}
}

// ask lets a request begin. It holds its turn until it is ended.
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

// asks lets several requests of a caller begin, which are named after it.
func (b *bench) asks(n int, a Ask) {
	for i := range n {
		b.ask(fmt.Sprint(a.Caller, i+1), a)
	}
}

// end ends a request, whether it waits or has a turn.
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

// close ends all requests, and looks whether anything is left.
func (b *bench) close() {
	b.t.Helper()
	for name := range b.ends {
		b.end(name)
	}
	if u := b.turns; len(b.has) > 0 || u.free != u.size || u.waiting+u.patient+len(u.flows) > 0 {
		b.t.Errorf("something is left: %d of %d turns are free, %d wait, %d flows", u.free, u.size, u.waiting, len(u.flows))
	}
}

// Whoever comes finds a turn, whatever those hold who came before: each leaves half of the turns.
func TestATurnIsLeft(t *testing.T) {
	for size := 1; size <= 12; size++ {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t, size, 1000)
			defer b.close()
			for i := range bits.Len(uint(size)) {
				caller := string(rune('a' + i))
				b.asks(size, Ask{Caller: caller})
				if !slices.Contains(b.has, caller+"1") {
					t.Errorf("of %d turns, caller %s has none; %v have", size, caller, b.has)
				}
			}
		})
	}
}

// Who was there first has no more than who comes later.
func TestShares(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, 12, 1000)
		defer b.close()
		b.asks(12, Ask{Caller: "a"})
		b.want("a1 a2 a3 a4 a5 a6")
		b.asks(12, Ask{Caller: "b"})
		b.want("a1 a2 a3 a4 a5 a6 b1 b2 b3")
		b.end("a1")
		b.want("a2 a3 a4 a5 a6 b1 b2 b3 b4")
		b.end("a2")
		b.end("a3")
		b.want("a4 a5 a6 b1 b2 b3 b4 a7")
	})
}

// Callers who hold as many turns as each other are served in turn, however much one of them wants.
func TestInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, 1, 1000)
		defer b.close()
		b.asks(4, Ask{Caller: "a"})
		b.asks(2, Ask{Caller: "b"})
		b.asks(2, Ask{Caller: "c"})
		var order []string
		for len(b.has) > 0 {
			order = append(order, b.has[0])
			b.end(b.has[0])
		}
		if got := strings.Join(order, " "); got != "a1 a2 b1 c1 a3 b2 c2 a4" {
			t.Error(got)
		}
	})
}

// Patient requests leave turns to people, those of their own caller among them, and have some of them
// in spite of people.
func TestPatient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, 4, 1000)
		for i := range 4 {
			b.ask(fmt.Sprint("job", i), Ask{Caller: "a", Patient: true})
		}
		b.want("job0 job1")
		b.asks(2, Ask{Caller: "a"})
		b.want("job0 job1 a1")
		b.asks(1, Ask{Caller: "b"})
		b.want("job0 job1 a1 b1")
		b.asks(1, Ask{Caller: "c"})
		b.end("job0") // a holds two more
		b.want("job1 a1 b1 c1")
		b.close()

		b = newBench(t, 1, 1000)
		defer b.close()
		b.ask("now", Ask{Caller: "a"})
		b.ask("job", Ask{Caller: "b", Patient: true})
		for i := range 6 {
			b.ask(fmt.Sprint(i), Ask{Caller: fmt.Sprint("other", i)})
		}
		var order []string
		for len(b.has) > 0 {
			order = append(order, b.has[0])
			b.end(b.has[0])
		}
		if got := strings.Join(order, " "); got != "now 0 1 2 job 3 4 5" {
			t.Error(got)
		}
	})
}

// The only caller has all turns.
func TestOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, 3, 2)
		defer b.close()
		b.asks(5, Ask{Only: true})
		b.want("1 2 3")
		_, err := b.turns.Wait(t.Context(), Ask{Only: true})
		if full, ok := errors.AsType[*FullError](err); !ok || full.Waiting != 2 || full.Own != 2 {
			t.Error(err)
		}
	})
}

// A queue that is full says when to come back, and is not full for all because of one.
func TestFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, 2, 8)
		if got := b.turns.Expected(); got != time.Second {
			t.Errorf("%v before anything is known", got)
		}
		for range 4 { // which last four seconds
			done, err := b.turns.Wait(t.Context(), Ask{Caller: "a"})
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(4 * time.Second)
			done()
		}
		b.asks(5, Ask{Caller: "a"}) // of which one has a turn
		began := time.Now()
		_, err := b.turns.Wait(t.Context(), Ask{Caller: "a"})
		if err == nil || err.Error() != "4 requests wait already, 4 of them of this caller: try again in about 9s" || time.Since(began) != 0 {
			t.Error(err)
		}
		b.asks(3, Ask{Caller: "b"})
		b.asks(1, Ask{Caller: "c"})
		if b.turns.waiting != 7 {
			t.Errorf("%d wait", b.turns.waiting)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errors.New("over"))
		if _, err := b.turns.Wait(ctx, Ask{Caller: "d"}); err == nil || err.Error() != "over" {
			t.Error(err)
		}
		b.close()
	})
}

// A wanter is a request as the model has it.
type wanter struct {
	name string
	Ask
	rank int // in the order of callers
}

// A model has the rules of the package comment in the plainest form: lists.
type model struct {
	size    int
	has     []wanter
	waiting []wanter // as they came
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

// first reports whether nobody of the same caller and kind waits for longer.
func (m *model) first(i int) bool {
	return slices.IndexFunc(m.waiting, func(w wanter) bool { return w.Ask == m.waiting[i].Ask }) == i
}

func (m *model) arrive(name string, a Ask) {
	m.waiting = append(m.waiting, wanter{name: name, Ask: a})
	if i := len(m.waiting) - 1; m.first(i) {
		m.behind(i)
	}
	m.serve()
}

func (m *model) behind(i int) {
	m.rank++
	if m.waiting[i].rank = m.rank; m.waiting[i].Patient {
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
		of := func(a wanter) int { return count(m.has, func(w wanter) bool { return w.Caller == a.Caller }) }
		for i, w := range m.waiting {
			mine := count(m.has, func(o wanter) bool { return o.Ask == w.Ask })
			if w.Patient {
				mine = of(w)
			}
			jobs := count(m.has, func(o wanter) bool { return o.Patient })
			if !m.first(i) || free == 0 || mine >= free || w.Patient && jobs >= max(m.size/2, 1) {
				continue
			}
			if best < 0 || cmp.Or(cmp.Compare(of(w), of(m.waiting[best])), cmp.Compare(w.rank, m.waiting[best].rank)) < 0 || of(w) == of(m.waiting[best]) && w.rank == m.waiting[best].rank && !w.Patient {
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
				m.behind(j)
				break
			}
		}
	}
}

// schedules is how many random schedules are tried.
func schedules() int {
	n, err := strconv.Atoi(os.Getenv("TURNS_SCHEDULES"))
	if err != nil {
		return 60
	}
	return n
}

// In whatever order requests come, end and give up, those have turns whom the rules give them; no
// caller holds all turns while another waits; and nobody is passed by for ever.
func TestSchedules(t *testing.T) {
	for seed := range uint64(schedules()) {
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 1))
			size, callers := 1+r.IntN(6), 1+r.IntN(5)
			b, m := newBench(t, size, 1000), &model{size: size}
			defer b.close()
			passed := make(map[string]int)
			for step := range 120 {
				if names := sorted(b.ends); len(names) == 0 || r.IntN(5) < 2 && len(names) < 30 {
					name, a := fmt.Sprint("r", step), Ask{Caller: fmt.Sprint("c", r.IntN(callers)), Patient: r.IntN(4) == 0}
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

func sorted[V any](m map[string]V) (names []string) {
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
