package latest

import (
	"context"
	"errors"
	"testing"
)

func TestValue(t *testing.T) {
	v := New[int]()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := v.Load(ended); !errors.Is(err, context.Canceled) || v.Peek() != nil {
		t.Errorf("before the first value: %v, %v", err, v.Peek())
	}
	first, second := new(int), new(int)
	loaded := make(chan *int)
	for range 2 {
		go func() {
			got, err := v.Load(t.Context())
			if err != nil {
				t.Error(err)
			}
			loaded <- got
		}()
	}
	if old := v.Publish(first); old != nil {
		t.Errorf("before the first value there was %p", old)
	}
	for range 2 {
		if got := <-loaded; got != first {
			t.Errorf("a waiting reader got %p, want %p", got, first)
		}
	}
	<-v.Ready()
	if old := v.Publish(second); old != first {
		t.Errorf("before the second value there was %p, want %p", old, first)
	}
	changed := v.Changed()
	select {
	case <-changed:
		t.Error("a change was reported before there was one")
	default:
	}
	third := new(int)
	v.Publish(third)
	<-changed
	v.Publish(second)
	if got, err := v.Load(ended); got != second || err != nil || v.Peek() != second {
		t.Errorf("current is %p, %v, want %p", got, err, second)
	}
}

func TestUntil(t *testing.T) {
	v := New[int]()
	go func() {
		for i := range 5 {
			v.Publish(&i)
		}
	}()
	got, err := v.Until(t.Context(), func(n *int) bool { return *n == 4 })
	if err != nil || *got != 4 {
		t.Errorf("%v, %v", got, err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := v.Until(ended, func(*int) bool { return false }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
