package stdio

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestEndOfInput(t *testing.T) {
	listen := `{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{` + meta2026 + "}}\n"
	const pace = time.Microsecond
	tests := []struct {
		name string
		in   string
		want int // answers
		took time.Duration
	}{
		{"nothing", "", 0, 0},
		{"no newline", ping("1"), 1, 0},
		{"cut off", ping("1") + "\n{", 2, 0},
		{"slow calls", sleep("1", "1s") + sleep("2", "4s") + sleep("3", "2s"), 3, 4 * time.Second},
		{"too slow a call", sleep("1", "1s") + sleep("2", "1h"), 1, drainTimeout},
		{"too slow and stubborn", stubborn("1", "6s"), 0, drainTimeout},
		{"listen", listen + sleep("1", "1s"), 1, time.Second},
		{"cancelled", sleep("1", "1h") + sleep("2", "1s") + cancelled("1"), 1, time.Second},
		{"cancelled and stubborn", stubborn("1", "7s") + sleep("2", "1s") + cancelled("1"), 1, drainTimeout},
		{"batch", batch(sleep("1", "1s"), sleep("2", "2s")), 1, 3 * time.Second},
		{"more than run at a time", many(2*maxRunning+10, "1s"), 2*maxRunning + 10, 3 * time.Second},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := start(t, 0)
				s.initialize("2025-03-26")
				began := time.Now()
				go func() {
					for line := range strings.Lines(test.in) {
						_, _ = io.WriteString(s.in, line)
						// Let a call reach its handler before it is cancelled.
						time.Sleep(pace)
					}
					s.in.Close()
				}()
				if err := <-s.ended; err != nil {
					t.Errorf("session ended with %v", err)
				}
				if got := s.heard(); len(got) != test.want {
					t.Errorf("got %d answers, want %d: %s", len(got), test.want, clip(strings.Join(got, "\n")))
				}
				if took := time.Since(began).Round(time.Second); took != test.took {
					t.Errorf("took %v, want %v", took, test.took)
				}
				if !s.closed() {
					t.Error("output still open")
				}
				time.Sleep(time.Hour) // stubborn calls end
			})
		})
	}
}

func many(n int, d string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(sleep(fmt.Sprint(i), d))
	}
	return b.String()
}

func TestCancelReachesFullServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, 0)
		s.initialize("2025-11-25")
		s.expect(many(maxRunning, "1h"))
		s.expect(ping(`"a"`) + "\n" + ping(`"b"`) + "\n")
		s.expect(ping(`"a"`)+"\n", refusal(-32600, `"a"`, "...in use..."))
		s.expect(cancelled(`"a"`))   // not running yet: removed
		s.expect(ping(`"a"`) + "\n") // its id is free
		s.expect(cancelled("5"), pong(`"a"`), pong(`"b"`))
		for i := range maxRunning {
			s.expect(cancelled(fmt.Sprint(i)))
		}
		s.finish()
	})
}

func TestReadAheadIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, 0)
		s.initialize("2025-11-25")
		sent := make(chan int, 1)
		go func() {
			n := 0
			for range 1000 {
				if _, err := io.WriteString(s.in, sleep(fmt.Sprint(n), "1s")+strings.Repeat(" ", 2<<10)); err != nil {
					break
				}
				n++
			}
			sent <- n
		}()
		synctest.Wait()
		select {
		case <-sent:
			t.Error("all calls were read while none was answered")
		default:
		}
		time.Sleep(3 * time.Minute)
		if got := len(s.heard()); got != 1000 {
			t.Errorf("%d answers", got)
		}
		s.finish()
	})
}

// A byte order mark before a message does not belong to it: some clients send one.
func TestByteOrderMark(t *testing.T) {
	for _, in := range []string{"\ufeff" + ping("1"), ping("2") + "\r\n\ufeff" + ping("1") + "\r\n"} {
		l, err := readLine(bufio.NewReader(strings.NewReader("\ufeff"+ping("1")+"\r\n")), len(ping("1")))
		if string(l.data) != ping("1") || l.tooLong || err != nil {
			t.Errorf("%q is read as %q, %v", in, l.data, err)
		}
	}
}
