package stdio

import (
	"io"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A batch holds one result at a time, however many calls it has, and one batch is answered at a
// time.
func TestBatchHoldsOneResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, 0)
		calls := make([]string, 100)
		for i := range calls {
			calls[i] = sleep(strconv.Itoa(i), "1s")
		}
		s.expect(batch(calls[:60]...) + batch(calls[60:]...))
		time.Sleep(time.Duration(len(calls)) * time.Second)
		if got := s.heard(); len(got) != 2 || strings.Count(strings.Join(got, ""), `"result"`) != len(calls) {
			t.Errorf("answers: %q", got)
		}
		if most := s.most.Load(); most != 1 {
			t.Errorf("%d results were held at a time", most)
		}
		s.finish()
	})
}

// When the answers of a batch are large together, its other calls get errors.
func TestBatchBytesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, 0)
		lines := s.say(batch(take("1", `{"fill":600000}`), take("2", `{"fill":600000}`), take("3", `{}`), ping("4")))
		if len(lines) != 1 || len(lines[0]) < 1_200_000 || strings.Count(lines[0], "ask for this one alone") != 2 {
			t.Errorf("%d lines: %.200s", len(lines), lines)
		}
		s.finish()
	})
}

// Unanswered messages have a bounded number of bytes.
func TestBytesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := start(t, 0)
		go func() {
			for i := range 10 {
				if _, err := io.WriteString(c.in, strings.Repeat(" ", maxAheadBytes/8)+sleep(strconv.Itoa(i), "1s")); err != nil {
					return
				}
			}
		}()
		synctest.Wait()
		if n := c.begun.Load(); n != 7 {
			t.Errorf("%d calls have begun", n)
		}
		time.Sleep(3 * time.Second)
		if n := len(c.heard()); n != 10 {
			t.Errorf("%d answers", n)
		}
		c.finish()
	})
}
