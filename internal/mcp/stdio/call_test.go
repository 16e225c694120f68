package stdio

import (
	"io"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

func TestCalls(t *testing.T) {
	tests := []struct {
		name, in string
		want     []string
		released int32
	}{
		{"a result, the id as it was spelled", take(`"\u0061"`, `{"result":"{\"a\":1}"}`), []string{`{"jsonrpc":"2.0","id":"\u0061","result":{"a":1}}`}, 1},
		{"an error with a code", take("1", `{"fail":"rpc"}`), []string{`{"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"none","data":{"uri":"x"}}}`}, 0},
		{"an error without", take("1", `{"fail":"oh"}`), []string{refusal(-32603, "1", "oh")}, 0},
		{"an id in flight", sleep("1", "1s") + take("1.0", `{}`) + ping(`"1"`) + "\n", []string{refusal(-32600, "1.0", "invalid request: id 1.0 is in use by a call in flight"), pong(`"1"`), pong("1")}, 2},
		{"a batch", batch(sleep("1", "1s"), take("2", `{"fail":"rpc"}`), take("3", `{}`)),
			[]string{"[" + pong("1") + `,{"jsonrpc":"2.0","id":2,"error":{"code":-32002...},` + pong("3") + "]"}, 2},
		{"a batch with faults", batch("1", take("1", `{}`), ping("2")),
			[]string{"[" + refusal(-32600, "null", "...") + "," + pong("1") + "," + pong("2") + "]"}, 2},
		{"a batch whose first call is cancelled, and its id again", batch(sleep("1", "1h"), sleep("2", "1s")) + cancelled("1") + take("1", `{}`),
			[]string{pong("1"), "[" + pong("2") + "]"}, 2},
		{"other calls run in parallel with a batch", batch(sleep("1", "2s")) + sleep("2", "1s") + ping("3") + "\n", []string{pong("3"), pong("2"), "[" + pong("1") + "]"}, 3},
		{"cancelled: no answer", sleep("1", "1h") + cancelled("1"), nil, 0},
		{"cancelled and stubborn: no answer", stubborn("1", "3s") + cancelled("1"), nil, 1},
		{"cancelled, and its id again", sleep("1", "1h") + cancelled("1") + sleep("2", "1s") + sleep("1", "2s"), []string{pong("2"), pong("1")}, 2},
		{"the end of the input waits for the answer", sleep("1", "3s"), []string{pong("1")}, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := start(t, 0)
				s.initialize("2025-03-26")
				before := s.released.Load()
				for line := range strings.SplitAfterSeq(test.in, "\n") {
					must.Get(io.WriteString(s.in, line))(t)
					synctest.Wait() // a call reaches its handler before it is cancelled
				}
				time.Sleep(4 * time.Second)
				synctest.Wait()
				s.mu.Lock()
				got := s.lines
				s.mu.Unlock()
				if !matches(got, test.want) {
					t.Errorf("got %q, want %q", got, test.want)
				}
				s.finish()
				if n := s.released.Load() - before; n != test.released || s.held.Load() != 0 {
					t.Errorf("%d results were released, want %d, and %d are held", n, test.released, s.held.Load())
				}
			})
		})
	}
}

// If a client does not read, at most maxRunning calls run, and their results are held until
// they are written.
func TestClientThatDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := startUnread(t, 0)
		go func() {
			for i := range 3 * maxRunning {
				if _, err := io.WriteString(c.in, take(strconv.Itoa(i), `{}`)); err != nil {
					return
				}
			}
		}()
		synctest.Wait()
		if begun, released := c.begun.Load(), c.released.Load(); begun != maxRunning || released != 0 {
			t.Errorf("%d calls run and %d results are released, want %d and 0", begun, released, maxRunning)
		}
		go c.listen()
		synctest.Wait()
		if begun, released := c.begun.Load(), c.released.Load(); begun != 3*maxRunning || released != begun {
			t.Errorf("then %d calls have run and %d results are released", begun, released)
		}
		c.finish()
	})
}

// A call that is cancelled while the client does not read is not answered when the client reads
// again.
func TestCancelledBeforeItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := startUnread(t, 0)
		for i := range 5 {
			_, _ = io.WriteString(c.in, take(strconv.Itoa(i), `{}`))
			synctest.Wait()
		}
		for i := 1; i < 5; i++ {
			_, _ = io.WriteString(c.in, cancelled(strconv.Itoa(i)))
		}
		synctest.Wait()
		if n := c.released.Load(); n != 4 {
			t.Errorf("%d results are released, want 4", n)
		}
		go c.listen()
		if got := c.heard(); !matches(got, []string{pong("0")}) {
			t.Errorf("answers: %q", got)
		}
		c.finish()
	})
}

// A call that reports progress does not wait for a client that does not read: the client gets only
// the latest progress, before the answer.
func TestProgressDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := startUnread(t, 0)
		must.Get(io.WriteString(c.in, take("1", `{"report":1000}`)))(t)
		synctest.Wait()
		if c.held.Load() != 1 {
			t.Error("the call has not been answered")
		}
		go c.listen()
		synctest.Wait()
		c.mu.Lock()
		lines := c.lines
		c.mu.Unlock()
		if n := len(lines); n < 2 || n > 3 || lines[n-1] != pong("1") || lines[n-2] != `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1000}}` {
			t.Errorf("%q", lines)
		}
		c.finish()
	})
}

// Calls and notifications that follow initialize without waiting for its answer are handled after it.
func TestCallsWaitForInitialize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := startUnread(t, 0)
		var calls strings.Builder
		for i := range 2 * maxRunning { // more than may run; initialize must get a place nevertheless
			calls.WriteString(`{"jsonrpc":"2.0","id":` + strconv.Itoa(i) + `,"method":"version"}` + "\n")
		}
		_, _ = io.WriteString(c.in, initialize("2025-11-25")+initialized+calls.String())
		synctest.Wait()
		if c.hub.Counts().Streams != 0 || c.begun.Load() != 1 {
			t.Errorf("before initialize is answered, %d calls have begun and %d sessions are notified", c.begun.Load(), c.hub.Counts().Streams)
		}
		go c.listen()
		got := c.heard()
		if len(got) != 1+2*maxRunning || strings.Count(strings.Join(got, ""), `in version \"2025-11-25\"`) != 2*maxRunning {
			t.Errorf("%q", got)
		}
		if n := c.hub.Counts().Streams; n != 1 {
			t.Errorf("%d sessions are notified, want 1", n)
		}
		c.finish()
	})
}

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

// Unanswered messages have a bounded number, and a bounded number of bytes.
func TestReadAheadIsBounded(t *testing.T) {
	for _, test := range []struct {
		calls, size int
		read, begun int // before the first answer
	}{
		{1000, 2 << 10, maxAheadBytes/leastBytes + 1, maxRunning}, // the last one waits for room
		{10, maxAheadBytes / 8, 8, 7},
	} {
		synctest.Test(t, func(t *testing.T) {
			c := start(t, 0)
			var sent atomic.Int32
			go func() {
				for i := range test.calls {
					if _, err := io.WriteString(c.in, strings.Repeat(" ", test.size)+sleep(strconv.Itoa(i), "1s")); err != nil {
						return
					}
					sent.Add(1)
				}
			}()
			synctest.Wait()
			if read, begun := int(sent.Load()), int(c.begun.Load()); read < test.read || read > test.read+readBuffer/test.size+1 || begun != test.begun {
				t.Errorf("%d calls are read, want %d, and %d have begun, want %d", read, test.read, begun, test.begun)
			}
			time.Sleep(time.Minute)
			if n := len(c.heard()); n != test.calls {
				t.Errorf("%d answers", n)
			}
			c.finish()
		})
	}
}
