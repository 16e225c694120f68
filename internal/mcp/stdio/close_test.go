package stdio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

// connect returns a bare connection, what a client writes to and what it reads
// from.
func connect(t *testing.T) (mcp.Connection, *io.PipeWriter, *io.PipeReader) {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c, err := (&Transport{In: inR, Out: outW}).Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return c, inW, outR
}

func TestCloseWhileClientDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, in, _ := connect(t)
		go func() {
			for i := 0; ; i++ {
				if _, err := io.WriteString(in, ping(fmt.Sprint(i))+"\n"); err != nil {
					return
				}
			}
		}()
		const writers = maxWithSDK
		wrote := make(chan error, writers)
		for range writers {
			msg, err := c.Read(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			go func() {
				wrote <- c.Write(context.Background(), &jsonrpc.Response{ID: msg.(*jsonrpc.Request).ID, Result: []byte("{}")})
			}()
		}
		synctest.Wait()
		if len(wrote) != 0 {
			t.Fatal("a write ended though nobody reads")
		}
		closed := make(chan error, 3)
		for range 3 {
			go func() { closed <- c.Close() }()
		}
		for range 3 {
			if err := <-closed; err != nil {
				t.Errorf("close: %v", err)
			}
		}
		for range writers {
			if err := <-wrote; err == nil {
				t.Error("write reported success")
			}
		}
		if _, err := c.Read(t.Context()); err != io.EOF {
			t.Errorf("read after close: %v", err)
		}
		if err := c.Write(t.Context(), &jsonrpc.Request{Method: "x"}); !errors.Is(err, mcp.ErrConnectionClosed) {
			t.Errorf("write after close: %v", err)
		}
	})
}

func TestServerSurvivesClientThatDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inR, inW := io.Pipe()
		outR, outW := io.Pipe()
		ctx, cancel := context.WithCancel(t.Context())
		ran := make(chan error, 1)
		tr := &Transport{In: inR, Out: outW}
		go func() { ran <- newServer().Run(ctx, tr) }()
		go func() { _, _ = io.WriteString(inW, many(1000, "0s")) }()
		synctest.Wait()
		cancel()
		synctest.Wait()
		// The SDK waits for its handlers, which wait for the client.
		outR.Close()
		if err := <-ran; !errors.Is(err, context.Canceled) {
			t.Errorf("run: %v", err)
		}
	})
}

func TestCloseUnblocksRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _, _ := connect(t)
		read := make(chan error, 1)
		go func() {
			_, err := c.Read(context.Background())
			read <- err
		}()
		synctest.Wait()
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if err := <-read; err != io.EOF {
			t.Errorf("read: %v", err)
		}
	})
}

// stuck is an input that nothing can wake.
type stuck struct{ end chan struct{} }

func (s stuck) Read([]byte) (int, error) { <-s.end; return 0, io.EOF }
func (s stuck) Close() error             { return nil }

func TestCloseLeavesStuckReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := stuck{make(chan struct{})}
		c, err := (&Transport{In: in, Out: io.Discard}).Connect(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took != closeGrace {
			t.Errorf("close took %v", took)
		}
		close(in.end)
	})
}

func TestContexts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, in, out := connect(t)
		soon := func() context.Context {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			t.Cleanup(cancel)
			return ctx
		}
		if _, err := c.Read(soon()); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("read: %v", err)
		}
		// Nobody reads: the first frame is being written, the second waits.
		for _, method := range []string{"first", "second"} {
			if err := c.Write(soon(), &jsonrpc.Request{Method: method}); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("write: %v", err)
			}
		}
		go func() {
			if err := c.Write(t.Context(), &jsonrpc.Request{Method: "third"}); err != nil {
				t.Error(err)
			}
			c.Close()
		}()
		got, _ := io.ReadAll(out)
		want := `{"jsonrpc":"2.0","method":"first"}` + "\n" + `{"jsonrpc":"2.0","method":"third"}` + "\n"
		if string(got) != want {
			t.Errorf("got %s", got)
		}
		in.Close()
	})
}

func TestBrokenOutputEndsSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inR, inW := io.Pipe()
		outR, outW := io.Pipe()
		outR.Close()
		ss, err := newServer().Connect(t.Context(), &Transport{In: inR, Out: outW}, nil)
		if err != nil {
			t.Fatal(err)
		}
		go func() { _, _ = io.WriteString(inW, "garbage\n") }()
		if err := ss.Wait(); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("wait: %v", err)
		}
	})
}

func TestBrokenInputIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, in, _ := connect(t)
		broken := errors.New("disk on fire")
		in.CloseWithError(broken)
		if _, err := c.Read(t.Context()); !errors.Is(err, broken) {
			t.Errorf("read: %v", err)
		}
		c.Close()
	})
}

// The pipes of the operating system wake up otherwise than io.Pipe does.
func TestCloseWithOSPipes(t *testing.T) {
	inR, inW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer inW.Close()
	outR, outW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer outR.Close()
	c, err := (&Transport{In: inR, Out: outW}).Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 2)
	go func() {
		_, err := c.Read(context.Background())
		ended <- err
	}()
	go func() {
		ended <- c.Write(context.Background(), &jsonrpc.Request{Method: strings.Repeat("x", 1<<20)})
	}()
	time.Sleep(10 * time.Millisecond) // let the pipe fill; passes without it too
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	for range 2 {
		if err := <-ended; err == nil {
			t.Error("no error after close")
		}
	}
}

func TestConnectRefuses(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for name, test := range map[string]struct {
		ctx context.Context
		tr  Transport
	}{
		"no input":       {t.Context(), Transport{Out: io.Discard}},
		"no output":      {t.Context(), Transport{In: strings.NewReader("")}},
		"negative limit": {t.Context(), Transport{In: strings.NewReader(""), Out: io.Discard, MaxFrameBytes: -1}},
		"ended context":  {ended, Transport{In: strings.NewReader(""), Out: io.Discard}},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := test.tr.Connect(test.ctx); err == nil {
				t.Error("connected")
			}
		})
	}
}

// A frame whose turn comes at the same time as its end, or that of the connection, is not written.
func TestNoFrameAfterTheEnd(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for range 100 {
		closed := make(chan struct{})
		w := newFrameWriter(io.Discard, closed, nil)
		frame := func(*jsonwire.Writer) error { t.Error("the frame is written"); return nil }
		if err := w.put(ended, frame); err != errNoFrame {
			t.Errorf("after the end of the call: %v", err)
		}
		close(closed)
		if err := w.put(t.Context(), frame); err != mcp.ErrConnectionClosed {
			t.Errorf("after the end of the connection: %v", err)
		}
	}
}
