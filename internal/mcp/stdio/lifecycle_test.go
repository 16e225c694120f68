package stdio

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

func TestEndOfInput(t *testing.T) {
	listen := `{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` + meta2026 + "}}\n"
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
		{"too slow and stubborn", sleep("1", "6s", `,"stubborn":true`), 0, 6 * time.Second},
		{"listen", listen + sleep("1", "1s"), 2, time.Second},
		{"cancelled", sleep("1", "1h") + sleep("2", "1s") + cancelled("1"), 1, time.Second},
		{"cancelled and stubborn", sleep("1", "7s", `,"stubborn":true`) + sleep("2", "1s") + cancelled("1"), 1, 7 * time.Second},
		{"batch", "[" + strings.TrimSpace(sleep("1", "1s")) + "," + strings.TrimSpace(sleep("2", "2s")) + "]\n", 1, 2 * time.Second},
		{"more than run at a time", many(2*maxWithSDK+10, "1s"), 2*maxWithSDK + 10, 4 * time.Second},
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
				if err := s.server.Wait(); err != nil {
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
		s.expect(many(maxWithSDK, "1h"))
		s.expect(ping(`"a"`) + "\n" + ping(`"b"`) + "\n")
		s.expect(ping(`"a"`)+"\n", refusal(-32600, `"a"`, "...in use..."))
		s.expect(cancelled(`"a"`))   // itself not running yet: gone
		s.expect(ping(`"a"`) + "\n") // its id is free
		s.expect(cancelled("5"), pong(`"a"`), pong(`"b"`))
		for i := range maxWithSDK {
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

func TestRunningBytesAreBounded(t *testing.T) {
	l := newLedger()
	calls := make([]*call, 5)
	for i := range calls {
		id, _ := jsonrpc.MakeID(float64(i))
		calls[i] = &call{id: id, size: maxRunningBytes / 3}
		if !l.add(calls[i]) {
			t.Fatal("not added")
		}
		if got, want := l.start(calls[i]), i < 3; got != want {
			t.Errorf("start %d: %v", i, got)
		}
	}
	l.written(l.finish(calls[0].id))
	if !l.start(calls[3]) || l.start(calls[4]) {
		t.Error("one call's bytes are not one call's room")
	}
}
