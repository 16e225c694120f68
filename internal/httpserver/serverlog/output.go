package serverlog

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"time"
)

const (
	// delay is how long a line waits for others, to be written with them: so short that nobody who
	// reads along notices, and so long that a busy server makes one system call for many lines.
	delay = 5 * time.Millisecond
	// full is how many bytes of lines wait at most.
	full = 32 << 10
)

// An Output writes lines. Those that come through [Output.Lazy] wait a little for others; what is
// written to the Output itself is written at once, behind those that wait. So the order stays.
type Output struct {
	w io.Writer

	mu      sync.Mutex // guards all fields below
	waiting []byte
	timer   *time.Timer // that writes what waits; nil before the first line
	closed  bool        // nothing waits any more
}

// NewOutput returns an output to w. Its owner closes it.
func NewOutput(w io.Writer) *Output { return &Output{w: w} }

// Write writes what waits, and then p.
func (o *Output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.waiting) == 0 {
		return o.w.Write(p)
	}
	o.waiting = append(o.waiting, p...)
	return len(p), o.flush()
}

// Flush writes what waits.
func (o *Output) Flush() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.flush()
}

// Close writes what waits. From now on nothing waits.
func (o *Output) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	if o.timer != nil {
		o.timer.Stop()
	}
	return o.flush()
}

func (o *Output) flush() error {
	if len(o.waiting) == 0 {
		return nil
	}
	_, err := o.w.Write(o.waiting)
	o.waiting = o.waiting[:0]
	return err
}

// Lazy returns a writer of lines that may wait.
func (o *Output) Lazy() io.Writer { return lazy{o} }

type lazy struct{ *Output }

func (l lazy) Write(p []byte) (int, error) {
	o := l.Output
	o.mu.Lock()
	defer o.mu.Unlock()
	first := len(o.waiting) == 0
	o.waiting = append(o.waiting, p...)
	switch {
	case o.closed, len(o.waiting) >= full:
		return len(p), o.flush() // the timer, if it runs, finds less
	case o.timer == nil:
		o.timer = time.AfterFunc(delay, func() { _ = o.Flush() })
	case first:
		o.timer.Reset(delay)
	}
	return len(p), nil
}

// Urgent returns a handler like h, which writes to [Output.Lazy], that does not let warnings and
// errors wait.
func (o *Output) Urgent(h slog.Handler) slog.Handler { return urgent{h, o} }

type urgent struct {
	slog.Handler
	out *Output
}

func (u urgent) Handle(ctx context.Context, r slog.Record) error {
	err := u.Handler.Handle(ctx, r)
	if r.Level >= slog.LevelWarn {
		if flushing := u.out.Flush(); err == nil {
			err = flushing
		}
	}
	return err
}

func (u urgent) WithAttrs(attrs []slog.Attr) slog.Handler {
	return urgent{u.Handler.WithAttrs(attrs), u.out}
}

func (u urgent) WithGroup(name string) slog.Handler { return urgent{u.Handler.WithGroup(name), u.out} }
