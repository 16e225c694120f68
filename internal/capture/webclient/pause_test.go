package webclient

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		if err := Pause(t.Context(), time.Hour); err != nil || time.Since(begin) != time.Hour {
			t.Error(err, time.Since(begin))
		}
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := Pause(short, time.Hour); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		if err := Pause(t.Context(), -1); err != nil {
			t.Error(err)
		}
		if err := Pause(short, 0); !errors.Is(err, context.DeadlineExceeded) {
			t.Error("a pause that is over before it begins hides that the context has ended")
		}
	})
}
