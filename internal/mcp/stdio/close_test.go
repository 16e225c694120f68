package stdio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

// The end of the context ends a session whose client does not read, within closeGrace
// if a stream cannot be woken up.
func TestEndWhileClientDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := startUnread(t, 0)
		go func() {
			for i := 0; ; i++ {
				if _, err := io.WriteString(c.in, ping(fmt.Sprint(i))+"\n"); err != nil {
					return
				}
			}
		}()
		synctest.Wait()
		began := time.Now()
		c.stop()
		if err := <-c.ended; !errors.Is(err, context.Canceled) {
			t.Errorf("run: %v", err)
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("the end takes %v", took)
		}
		if n, released := c.begun.Load(), c.released.Load(); n < maxRunning || released != n {
			t.Errorf("%d calls were answered and %d results released", n, released)
		}
	})
}

// A stuck stream cannot be woken up.
type stuck struct{ end chan struct{} }

func (s stuck) Read([]byte) (int, error)  { <-s.end; return 0, io.EOF }
func (s stuck) Write([]byte) (int, error) { <-s.end; return 0, io.ErrClosedPipe }
func (s stuck) Close() error              { return nil }

func TestEndLeavesStuckStreams(t *testing.T) {
	for name, want := range map[string]time.Duration{"input": 0, "output": closeGrace} {
		synctest.Test(t, func(t *testing.T) {
			s := stuck{make(chan struct{})}
			inR, inW := io.Pipe()
			tr := &Transport{In: inR, Out: s, Handler: newTaker()}
			if name == "input" {
				tr.In, tr.Out = s, io.Discard
			} else {
				go func() { _, _ = io.WriteString(inW, ping("1")+"\n") }()
			}
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- tr.Run(ctx) }()
			synctest.Wait()
			began := time.Now()
			cancel()
			<-ended
			if took := time.Since(began); took != want {
				t.Errorf("%s: the end takes %v, want %v", name, took, want)
			}
			close(s.end)
		})
	}
}

func TestBrokenOutputEndsSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := startUnread(t, 0)
		c.out.Close()
		go func() { _, _ = io.WriteString(c.in, "garbage\n") }()
		if err := <-c.ended; !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("run: %v", err)
		}
	})
}

func TestBrokenInputIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := start(t, 0)
		broken := errors.New("disk on fire")
		c.in.CloseWithError(broken)
		if err := <-c.ended; !errors.Is(err, broken) {
			t.Errorf("run: %v", err)
		}
	})
}

// Pipes of the operating system wake up differently than io.Pipe.
func TestEndWithOSPipes(t *testing.T) {
	inR, inW, err := os.Pipe()
	must.Do(t, err)
	defer inW.Close()
	outR, outW, err := os.Pipe()
	must.Do(t, err)
	defer outR.Close()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- (&Transport{In: inR, Out: outW, Handler: newTaker()}).Run(ctx) }()
	must.Get(io.WriteString(inW, take("1", `{"fill":1000000}`)))(t)
	time.Sleep(10 * time.Millisecond) // lets the pipe fill; the test passes without it too
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("run: %v", err)
	}
}

// A result that a client has read is released and audited before the session
// ends, but the end does not wait longer.
func TestEndWaitsForAnswers(t *testing.T) {
	for late, released := range map[time.Duration]int32{closeGrace / 2: 1, time.Hour: 0} {
		synctest.Test(t, func(t *testing.T) {
			c := start(t, 0)
			c.expect(take("1", `{"result":"{}","late":`+strconv.Itoa(int(late))+`}`), pong("1"))
			began := time.Now()
			c.stop()
			<-c.ended
			if n := c.released.Load(); n != released {
				t.Errorf("an answer whose release takes %v: %d are released, want %d", late, n, released)
			}
			if took := time.Since(began); took > closeGrace {
				t.Errorf("the end takes %v", took)
			}
			time.Sleep(late)
		})
	}
}

// A frame is not written if its call ends at the same time as its turn comes.
func TestNoFrameAfterTheEnd(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for range 100 {
		w := newFrameWriter(io.Discard)
		if err := w.put(ended, func(*jsonwire.Writer) error { t.Error("the frame is written"); return nil }); err != errNoFrame {
			t.Error(err)
		}
	}
}

// An incomplete frame ends the session, because a client could not find its end.
func TestCutFrame(t *testing.T) {
	for _, in := range []string{take("1", `{"result":"cut"}`) + ping("2") + "\n", batch(take("1", `{"result":"cut"}`), ping("2"))} {
		synctest.Test(t, func(t *testing.T) {
			c := start(t, 0)
			_, _ = io.WriteString(c.in, in)
			if err := <-c.ended; err == nil || !strings.Contains(err.Error(), "it changed") {
				t.Errorf("the session ends with %v", err)
			}
			for _, line := range c.heard() {
				if strings.Contains(line, "half") {
					t.Errorf("an incomplete frame looks complete: %s", line)
				}
			}
			if n := c.held.Load(); n != 0 {
				t.Errorf("%d results were not released", n)
			}
		})
	}
}

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
