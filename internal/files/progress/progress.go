// Package progress reports how much of long work is done. A library begins a step of its work, and adds what it has done:
//
//	s := progress.Begin(ctx, "reading", "documents", len(pages))
//	defer s.End()
//	s.Add(1)
//
// A command passes a context of [With], whose function is called at the start and at the end of each step. With any other
// context, a step reports to nobody. The package draws nothing: see [terminal.ProgressLine] of internal/cli.
package progress

import (
	"context"
	"sync/atomic"
	"time"
)

// Bytes is the unit of work that is measured in bytes.
const Bytes = "bytes"

// A Step is a part of long work. The step nil reports nothing.
type Step struct {
	Doing string // such as "reading"
	Unit  string // Bytes, or a noun in the plural; "": nothing is counted
	Begun time.Time

	done, total atomic.Int64
	end         func()
}

// New returns a step of total units that begins now; 0: their number is unknown.
func New(doing, unit string, total int64) *Step {
	s := &Step{Doing: doing, Unit: unit, Begun: time.Now()}
	s.total.Store(total)
	return s
}

type key struct{}

// With returns a context for work. At the start of each step of the work, begin is called with the step; the function that
// it returns is called at the end of the step. begin may be called by several goroutines at the same time.
func With(ctx context.Context, begin func(*Step) (end func())) context.Context {
	return context.WithValue(ctx, key{}, begin)
}

// Watch returns a context in which begun is called at the start of each step too.
func Watch(ctx context.Context, begun func(*Step)) context.Context {
	outer, ok := ctx.Value(key{}).(func(*Step) func())
	return With(ctx, func(s *Step) func() {
		if begun(s); ok {
			return outer(s)
		}
		return func() {}
	})
}

// Begin is [New], and calls the function of [With] with the step. Without such a function in ctx, it returns nil. The
// caller must call End.
func Begin[N int | int64](ctx context.Context, doing, unit string, total N) *Step {
	begin, ok := ctx.Value(key{}).(func(*Step) func())
	if !ok {
		return nil
	}
	s := New(doing, unit, int64(total))
	s.end = begin(s)
	return s
}

// Add adds n finished units. It may be called in several goroutines at the same time.
func (s *Step) Add(n int) {
	if s != nil {
		s.done.Add(int64(n))
	}
}

// Set replaces the numbers of finished and of all units.
func (s *Step) Set(done, total int64) {
	s.done.Store(done)
	s.total.Store(total)
}

// Share returns the numbers of finished and of all units.
func (s *Step) Share() (done, total int64) { return s.done.Load(), s.total.Load() }

// End ends the step.
func (s *Step) End() {
	if s != nil {
		s.end()
	}
}
