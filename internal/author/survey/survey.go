// Package survey keeps what a check found of a project that is served, for people who look at it
// again and again while the project changes.
//
//	s := survey.New(survey.Options{Check: live.Check, Changed: live.Changed, Slots: slots})
//	go s.Run(ctx)
//	state := s.Look() // never waits; begins a check where the last one is out of date
//
// A check of a large project takes seconds, and nobody who serves clients waits for it:
//
//   - Nothing is checked before somebody looks.
//   - There is one check of a project at a time, whoever looks, and one of all projects that share slots.
//   - What it found is kept until the project changes, and shown as out of date from then on.
//   - After a check the project rests as long as the check took. So one that changes all the time
//     takes half of one processor at the most, while somebody looks.
package survey

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/mcp-docs-server/mcp-docs-server/internal/author/check"
)

// Slots bound how many checks there are at a time.
type Slots = semaphore.Weighted

// NewSlots returns slots for one check at a time.
func NewSlots() *Slots { return semaphore.NewWeighted(1) }

// Options describe a survey.
type Options struct {
	Check   func(context.Context) (*check.Report, error)
	Changed func() <-chan struct{} // returns a channel that is closed at the next change of the project
	Slots   *Slots
	Logger  *slog.Logger
}

const (
	// maxHidden is how many entries of what is hidden are kept.
	maxHidden = 2000
	// maxTime is how long a check may take.
	maxTime = 10 * time.Minute
)

// errFailed reports that a check had a mistake of its own.
var errFailed = errors.New("the check failed; the log of the server says why")

// A State is what is known of a project.
type State struct {
	Report  *check.Report // of the last check; nil: there was none
	Err     error         // of the last check, which has no report then
	Current bool          // the project has not changed since it began
	Running bool          // there is a check, or one is about to begin
	Hidden  int           // how many are hidden, of which the report has the first
	Number  uint64        // of the state: it grows with each change
}

// A Survey is that of one project.
type Survey struct {
	options Options
	wanted  chan struct{} // has room for one

	mu      sync.Mutex
	state   State           // but for Current; guarded by mu
	stale   <-chan struct{} // closed when the project has changed since the last check began; nil: there was none; guarded by mu
	changed chan struct{}   // closed when the state changes; guarded by mu
}

// New returns a survey, which checks nothing before Run.
func New(o Options) *Survey {
	return &Survey{options: o, wanted: make(chan struct{}, 1), changed: make(chan struct{})}
}

// Look returns what is known. Where it is out of date, a check begins as soon as there is room.
func (s *Survey) Look() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	state := s.state
	state.Current = s.current()
	if !state.Current {
		state.Running = true
		select {
		case s.wanted <- struct{}{}:
		default: // it is known already
		}
	}
	return state
}

// Number returns the number of the state, without a check.
func (s *Survey) Number() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.Number
}

// current reports whether the last check is still good. s.mu is held.
func (s *Survey) current() bool {
	if s.stale == nil {
		return false
	}
	select {
	case <-s.stale:
		return false
	default:
		return true
	}
}

// Changed returns a channel that is closed when Look returns something else: a check has ended, or
// the project has changed. Whoever wants to miss nothing asks for it before they look.
func (s *Survey) Changed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

// announce reports a change of the state. s.mu is held.
func (s *Survey) announce() {
	s.state.Number++
	close(s.changed)
	s.changed = make(chan struct{})
}

// Run checks whenever somebody looks at what is out of date, until ctx ends. It returns when
// nothing of it goes on.
func (s *Survey) Run(ctx context.Context) {
	var stale <-chan struct{} // of the last check, while it is good
	for {
		select {
		case <-ctx.Done():
			return
		case <-stale:
			stale = nil
			s.mu.Lock()
			s.announce()
			s.mu.Unlock()
		case <-s.wanted:
			s.mu.Lock()
			good := s.current()
			s.mu.Unlock()
			if good {
				continue // two wanted the same
			}
			began := time.Now()
			if stale = s.check(ctx); stale == nil {
				return
			}
			rest := time.NewTimer(time.Since(began))
			select {
			case <-ctx.Done():
				rest.Stop()
				return
			case <-rest.C:
			}
		}
	}
}

// check checks once, and returns a channel that is closed when the project changes after its
// beginning; nil: ctx has ended.
func (s *Survey) check(ctx context.Context) (stale <-chan struct{}) {
	if s.options.Slots.Acquire(ctx, 1) != nil {
		return nil
	}
	defer s.options.Slots.Release(1)
	stale = s.options.Changed() // before anything is read
	limited, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	report, err := s.checked(limited)
	if ctx.Err() != nil {
		return nil
	}
	state := State{Report: report, Err: err}
	if report != nil {
		if state.Hidden = len(report.Hidden); state.Hidden > maxHidden {
			report.Hidden = append(report.Hidden[:0:0], report.Hidden[:maxHidden]...)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	state.Number = s.state.Number
	s.state, s.stale = state, stale
	s.announce()
	return stale
}

// checked checks; a panic is an error.
func (s *Survey) checked(ctx context.Context) (report *check.Report, err error) {
	defer func() {
		if p := recover(); p != nil {
			s.options.Logger.Error("a check failed", "panic", p, "stack", string(debug.Stack()))
			report, err = nil, errFailed
		}
	}()
	return s.options.Check(ctx)
}
