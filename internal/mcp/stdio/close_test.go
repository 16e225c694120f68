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
