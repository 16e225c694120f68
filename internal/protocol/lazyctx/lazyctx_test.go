package lazyctx

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

type key struct{}

// A context ends as one of WithCancelCause does, whether or not somebody has asked for its channel.
func TestContext(t *testing.T) {
	cause := errors.New("cause")
	synctest.Test(t, func(t *testing.T) {
		for _, asked := range []bool{false, true} {
			parent, cancel := context.WithCancelCause(context.WithValue(t.Context(), key{}, 1))
			first, second, third := New(parent), New(parent), New(parent)
			child, stop := context.WithCancel(third)
			all := []*Context{first, second, third}
			for _, c := range all {
				if asked {
					c.Done()
				}
				if c.Err() != nil || context.Cause(c) != nil || c.Value(key{}) != 1 {
					t.Errorf("asked: %t: %v, %v, %v", asked, c.Err(), context.Cause(c), c.Value(key{}))
				}
			}
			first.End(cause)
			<-first.Done()
			if first.Err() != context.Canceled || context.Cause(first) != cause || second.Err() != nil || third.Err() != nil {
				t.Errorf("asked: %t: %v, %v, %v, %v", asked, first.Err(), context.Cause(first), second.Err(), third.Err())
			}
			third.End(context.Canceled)
			<-child.Done()
			if context.Cause(child) != context.Canceled {
				t.Error(context.Cause(child))
			}
			stop()
			cancel(cause)
			<-second.Done()
			if second.Err() != context.Canceled || context.Cause(second) != cause {
				t.Errorf("asked: %t: %v, %v", asked, second.Err(), context.Cause(second))
			}
			if _, ok := second.Deadline(); ok {
				t.Error("there is a deadline")
			}
		}
	})
}

// The end of work that nobody waits for is not announced; where somebody might wait, it is.
func TestDone(t *testing.T) {
	c := New(t.Context())
	c.End(nil)
	if c.Err() != nil {
		t.Error(c.Err())
	}
	done := c.Done()
	c.End(nil)
	<-done
	if c.Err() != context.Canceled {
		t.Error(c.Err())
	}
}

// What does the context of a call cost that nobody waits for?
func BenchmarkContext(b *testing.B) {
	parent, cancel := context.WithCancel(b.Context())
	defer cancel()
	b.Run("lazy", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			c := New(parent)
			if c.Err() != nil {
				b.Fatal(c.Err())
			}
			c.End(nil)
		}
	})
	b.Run("WithCancel", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			c, cancel := context.WithCancel(parent)
			if c.Err() != nil {
				b.Fatal(c.Err())
			}
			cancel()
		}
	})
}
