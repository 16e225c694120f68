// Package survey caches the report of a check of a served project, for a web page that shows it again
// and again while the project changes.
//
//	s := survey.New(survey.Options{Check: live.Check, Changed: live.Changed, Slots: slots})
//	go s.Run(ctx)
//	state := s.Look() // never waits; begins a check if the last one is out of date
//
// A check of a large project takes seconds, and answers to clients never wait for it:
//
//   - No check begins before a call of Look.
//   - Only one check runs at a time for a project, and for all projects that share slots.
//   - The report is cached. When the project changes, the report stays, marked as out of date.
//   - After a check, the next one waits as long as the check took. So a project that changes all the
//     time takes at most half of one processor while somebody looks.
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

// Slots limit the number of checks that run at the same time.
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
	// maxHidden is the maximum number of hidden files in a state.
	maxHidden = 2000
	// maxTime is the time limit of a check.
	maxTime = 10 * time.Minute
)

// errFailed reports that a check panicked.
var errFailed = errors.New("the check failed; the log of the server says why")

// A State is the result of the last check.
type State struct {
	Report  *check.Report // of the last check; nil: there was no check
	Err     error         // of the last check, which has no report then
	Current bool          // the project has not changed since the check began
	Running bool          // a check is running or about to begin
	Hidden  int           // the number of hidden files; the report holds the first of them
	Number  uint64        // grows with each change of the state
}

// A Survey caches the state of one project.
type Survey struct {
	options Options
	wanted  chan struct{} // capacity 1: a check is wanted

	mu      sync.Mutex      // guards the fields below
	state   State           // without Current
	stale   <-chan struct{} // closed when the project has changed since the last check began; nil: there was no check
	changed chan struct{}   // closed when the state changes
}

// New returns a survey. It begins no check before Run.
func New(o Options) *Survey {
	return &Survey{options: o, wanted: make(chan struct{}, 1), changed: make(chan struct{})}
}

// Look returns the state. If the state is out of date, a check begins as soon as a slot is free.
func (s *Survey) Look() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	state := s.state
	state.Current = s.current()
	if !state.Current {
		state.Running = true
		select {
		case s.wanted <- struct{}{}:
		default:
		}
	}
	return state
}

// Last returns the state without Current. It begins no check.
func (s *Survey) Last() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

// Number returns the number of the state. It begins no check.
func (s *Survey) Number() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.Number
}

// current reports whether the last check is up to date. s.mu is held.
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

// Changed returns a channel that is closed when the state changes: a check has ended, or the project
// has changed. A caller that must not miss a change calls Changed before Look.
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

// Run runs a check after each call of Look with an outdated state, until ctx ends. When it returns, no
// check is running.
func (s *Survey) Run(ctx context.Context) {
	var stale <-chan struct{} // of the last check, while it is up to date
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
			current := s.current()
			s.mu.Unlock()
			if current {
				continue // another call of Look wanted the same check
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

// check runs one check. It returns a channel that is closed when the project changes after the check
// began, or nil if ctx has ended.
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

// checked runs the check, and turns a panic into an error.
func (s *Survey) checked(ctx context.Context) (report *check.Report, err error) {
	defer func() {
		if p := recover(); p != nil {
			s.options.Logger.Error("a check failed", "panic", p, "stack", string(debug.Stack()))
			report, err = nil, errFailed
		}
	}()
	return s.options.Check(ctx)
}
