package survey

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/author/check"
	"github.com/mcp-docs-server/mcp-docs-server/internal/author/explain"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/current"
)

const took = 4 * time.Second // the duration of a check

// A project counts its checks, which take some time.
type project struct {
	changes *current.Value[struct{}]
	checks  atomic.Int64
	atWork  *atomic.Int64 // of all projects
	most    *atomic.Int64
	err     error
	fail    bool
}

func (p *project) change() { p.changes.Publish(new(struct{})) }

func (p *project) check(ctx context.Context) (*check.Report, error) {
	n := p.checks.Add(1)
	p.most.Store(max(p.most.Load(), p.atWork.Add(1)))
	defer p.atWork.Add(-1)
	if p.fail {
		panic("a mistake")
	}
	select {
	case <-time.After(took):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return &check.Report{Errors: int(n), Hidden: make([]explain.Hidden, maxHidden+5)}, p.err
}

func start(t *testing.T, n int) (surveys []*Survey, projects []*project) {
	slots := NewSlots()
	atWork, most := new(atomic.Int64), new(atomic.Int64)
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	for range n {
		p := &project{changes: current.New[struct{}](), atWork: atWork, most: most}
		s := New(Options{Check: p.check, Changed: p.changes.Changed, Slots: slots, Logger: slog.New(slog.DiscardHandler)})
		projects, surveys = append(projects, p), append(surveys, s)
		go s.Run(ctx)
	}
	return surveys, projects
}

func TestOneCheckForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		surveys, projects := start(t, 1)
		s, p := surveys[0], projects[0]
		time.Sleep(time.Hour)
		if p.checks.Load() != 0 {
			t.Error("a check before anybody looked")
		}
		changed := s.Changed()
		for range 100 {
			if state := s.Look(); state.Report != nil || !state.Running || state.Current {
				t.Fatalf("before the first check has ended: %+v", state)
			}
		}
		<-changed
		state := s.Look()
		if p.checks.Load() != 1 || !state.Current || state.Running || state.Report.Errors != 1 || state.Hidden != maxHidden+5 || len(state.Report.Hidden) != maxHidden {
			t.Errorf("%d checks, %+v", p.checks.Load(), state)
		}
		time.Sleep(time.Hour)
		s.Look()
		synctest.Wait()
		if p.checks.Load() != 1 {
			t.Errorf("%d checks of a project that does not change", p.checks.Load())
		}
	})
}

func TestChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		surveys, projects := start(t, 1)
		s, p := surveys[0], projects[0]
		changed := s.Changed()
		s.Look()
		<-changed
		time.Sleep(took)
		changed = s.Changed()
		p.change()
		<-changed // like an open page that looks again
		time.Sleep(time.Hour)
		if p.checks.Load() != 1 {
			t.Error("a check that nobody looks at")
		}
		changed = s.Changed()
		if state := s.Look(); state.Current || !state.Running || state.Report.Errors != 1 {
			t.Errorf("after a change: %+v", state)
		}
		time.Sleep(took / 2)
		p.change() // while the check is running
		<-changed
		if state := s.Look(); state.Current || state.Report.Errors != 2 {
			t.Errorf("a change during a check: %+v", state)
		}
	})
}

// A project that changes all the time, while somebody looks all the time, is checked half of the time.
func TestRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		surveys, projects := start(t, 1)
		for range 100 {
			projects[0].change()
			surveys[0].Look()
			time.Sleep(took / 5)
		}
		if n := projects[0].checks.Load(); n < 9 || n > 11 {
			t.Errorf("%d checks in the time of 20", n)
		}
	})
}

func TestSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		surveys, projects := start(t, 5)
		for _, s := range surveys {
			s.Look()
		}
		time.Sleep(time.Minute)
		for i, s := range surveys {
			if projects[i].checks.Load() != 1 || !s.Look().Current {
				t.Errorf("project %d: %d checks", i, projects[i].checks.Load())
			}
		}
		if projects[0].most.Load() != 1 {
			t.Errorf("%d checks at a time", projects[0].most.Load())
		}
	})
}

func TestFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		surveys, projects := start(t, 2)
		projects[0].err, projects[1].fail = errors.New("the folder is gone"), true
		for _, s := range surveys {
			s.Look()
		}
		time.Sleep(time.Minute)
		if state := surveys[0].Look(); state.Err != projects[0].err || !state.Current {
			t.Errorf("%+v", state)
		}
		if state := surveys[1].Look(); !errors.Is(state.Err, errFailed) || state.Report != nil {
			t.Errorf("%+v", state)
		}
	})
}
