package stdio

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/notify"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// taker takes the method "take" over.
type taker struct {
	begun, released atomic.Int32
	ended           atomic.Int32 // contexts
	held, most      atomic.Int32 // results at a time
	reserved        atomic.Int32
	hub             *notify.Hub
}

func newTaker() *taker {
	return &taker{hub: notify.New(func(*loader.Catalog, loader.Resource) uint64 { return 0 })}
}

// A taken call waits for For, then fails with Fail if that is not empty, or has Result as its
// result, written as it is. Its release takes the time Late.
type taken struct {
	*taker
	For, Fail, Result string
	Late              time.Duration
	Report            int // notifications that belong to the call
}

func (t *taker) Handles(c *protocol.Call) bool { return c.Method == "take" }

func (t *taker) Answer(ctx context.Context, call *protocol.Call) (protocol.Result, error) {
	t.begun.Add(1)
	c := &taken{taker: t}
	if err := json.Unmarshal(call.Params, c); err != nil {
		return nil, err
	}
	for i := range c.Report {
		call.Notify(notify.Notification{Method: "notifications/progress", Params: []byte(fmt.Sprintf(`{"progress":%d}`, i+1))})
	}
	if c.For != "" {
		d, err := time.ParseDuration(c.For)
		if err != nil {
			return nil, err
		}
		select {
		case <-time.After(d):
		case <-ctx.Done():
			t.ended.Add(1)
			return nil, ctx.Err()
		}
	}
	switch c.Fail {
	case "":
		if n := t.held.Add(1); n > t.most.Load() {
			t.most.Store(n)
		}
		return c, nil
	case "rpc":
		return nil, &jsonrpc.Error{Code: -32002, Message: "none", Data: json.RawMessage(`{"uri":"x"}`)}
	}
	return nil, errors.New(c.Fail)
}

func (t *taker) Reserve(ctx context.Context, _ *protocol.Call) (context.Context, func(), error) {
	t.reserved.Add(1)
	return ctx, func() { t.reserved.Add(-1) }, nil
}

func (t *taker) Open(caller string) *notify.Subscriber { return t.hub.Open(caller) }

func (c *taken) WriteJSON(w *jsonwire.Writer) error {
	if c.Result == "cut" {
		w.RawString(`{"half":`)
		return errors.New("it changed")
	}
	w.RawString(c.Result)
	return nil
}

func (c *taken) Release() {
	time.Sleep(c.Late)
	c.held.Add(-1)
	c.released.Add(1)
}

func take(id, params string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"take","params":` + params + "}\n"
}

func inBatch(line string) string { return strings.TrimSpace(line) }

func startTaking(t *testing.T) (*session, *taker) {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	taker := newTaker()
	ss, err := newServer().Connect(context.Background(), &Transport{In: inR, Out: outW, Handler: taker}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &session{t: t, server: ss, in: inW}
	scan := bufio.NewScanner(outR)
	scan.Buffer(nil, 1<<30)
	go s.listen(scan)
	return s, taker
}

func TestHandler(t *testing.T) {
	tests := []struct {
		name, in string
		want     []string
		released int32
	}{
		{"a result, the id as it was spelled", take(`"\u0061"`, `{"result":"{\"a\":1}"}`), []string{`{"jsonrpc":"2.0","id":"\u0061","result":{"a":1}}`}, 1},
		{"an error with a code", take("1", `{"fail":"rpc"}`), []string{`{"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"none","data":{"uri":"x"}}}`}, 0},
		{"an error without", take("1", `{"fail":"oh"}`), []string{refusal(-32603, "1", "oh")}, 0},
		{"other methods are the SDK's", ping("1") + "\n", []string{pong("1")}, 0},
		{"an id in flight", take("1", `{"for":"1s","result":"{}"}`) + take("1", `{"result":"{}"}`), []string{`{"jsonrpc":"2.0","id":1,"error":{"code":-32600...`, `{"jsonrpc":"2.0","id":1,"result":{}}`}, 1},
		{"a batch", "[" + inBatch(take("1", `{"for":"1s","result":"{}"}`)) + "," + inBatch(take("2", `{"fail":"rpc"}`)) + "," + inBatch(take("3", `{"result":"{}"}`)) + "]\n",
			[]string{"[" + pong("1") + `,{"jsonrpc":"2.0","id":2,"error":{"code":-32002...},` + pong("3") + "]"}, 2},
		{"a batch with calls of the SDK and faults", "[1," + inBatch(take("1", `{"result":"{}"}`)) + "," + ping("2") + "," + inBatch(take("1", `{"result":"{}"}`)) + "]\n",
			[]string{"[" + refusal(-32600, "null", "...") + "," + pong("1") + "," + pong("2") + "," + refusal(-32600, "1", "...in use...") + "]"}, 1},
		{"a batch whose first call is cancelled, and its id again", "[" + inBatch(take("1", `{"for":"1h","result":"{}"}`)) + "," + inBatch(take("2", `{"for":"1s","result":"{}"}`)) + "]\n" + cancelled("1") + take("1", `{"result":"{}"}`),
			[]string{"[" + pong("2") + "]", pong("1")}, 2},
		{"a batch whose second call is cancelled before its turn", "[" + inBatch(take("1", `{"for":"1s","result":"{}"}`)) + "," + inBatch(take("2", `{"for":"1s","result":"{}"}`)) + "]\n" + cancelled("2") + take("2", `{"result":"{}"}`),
			[]string{"[" + pong("1") + "]", pong("2")}, 2},
		{"a batch that is cancelled whole", "[" + inBatch(take("1", `{"for":"1h","result":"{}"}`)) + "," + inBatch(take("2", `{"for":"1h","result":"{}"}`)) + "]\n" + cancelled("1") + cancelled("2"), nil, 0},
		{"cancelled: no answer", take("1", `{"for":"1h","result":"{}"}`) + cancelled("1"), nil, 0},
		{"cancelled, and its id again", take("1", `{"for":"1h","result":"{}"}`) + cancelled("1") + take("2", `{"for":"1s","result":"{}"}`) + take("1", `{"for":"2s","result":"{}"}`),
			[]string{pong("2"), pong("1")}, 2},
		{"cancelled while it waits for its turn", take("1", `{"result":"{}"}`) + take("2", `{"for":"1h","result":"{}"}`) + cancelled("2") + take("3", `{"result":"{}"}`), []string{pong("1"), pong("3")}, 2},
		{"the end of the input waits for the answer", take("1", `{"for":"3s","result":"{}"}`), []string{pong("1")}, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, taker := startTaking(t)
				s.initialize("2025-03-26")
				for line := range strings.SplitAfterSeq(test.in, "\n") {
					if _, err := io.WriteString(s.in, line); err != nil {
						t.Fatal(err)
					}
					synctest.Wait() // an id is free again once its call has ended
				}
				s.finish()
				got := s.heard()
				want := map[bool]int{}
				for _, w := range test.want {
					for _, g := range got {
						if matches([]string{g}, []string{w}) {
							want[true]++
							break
						}
					}
				}
				if len(got) != len(test.want) || want[true] != len(got) {
					t.Errorf("got %q, want %q", got, test.want)
				}
				if n := taker.reserved.Load(); n != 0 {
					t.Errorf("%d reservations are left", n)
				}
				if n := taker.released.Load(); n != test.released {
					t.Errorf("%d results were released, want %d", n, test.released)
				}
			})
		})
	}
}

// A frame that was cut ends the session: a client could not find where it ends.
func TestHandlerCutFrame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, taker := startTaking(t)
		s.initialize("2025-06-18")
		_, _ = io.WriteString(s.in, take("1", `{"result":"cut"}`)+ping("2")+"\n")
		if err := s.server.Wait(); err == nil || !strings.Contains(err.Error(), "it changed") {
			t.Errorf("the session ends with %v", err)
		}
		for _, line := range s.heard() {
			if json.Valid([]byte(line)) && strings.Contains(line, "half") {
				t.Errorf("a frame that was cut looks whole: %s", line)
			}
		}
		if taker.released.Load() != 1 {
			t.Error("the result was not released")
		}
	})
}

// A client that does not read holds up as many calls as may run, and their results are kept until
// they are written.
func TestHandlerClientThatDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inR, inW := io.Pipe()
		outR, outW := io.Pipe()
		taker := newTaker()
		c, err := (&Transport{In: inR, Out: outW, Handler: taker}).Connect(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		read := make(chan error, 1)
		go func() {
			_, err := c.Read(t.Context())
			read <- err
		}()
		go func() {
			for i := range 3 * maxRunning {
				if _, err := io.WriteString(inW, take(strconv.Itoa(i), `{"result":"{}"}`)); err != nil {
					return
				}
			}
		}()
		synctest.Wait()
		if begun, released := taker.begun.Load(), taker.released.Load(); begun != maxRunning || released != 0 {
			t.Errorf("%d calls run and %d results are released, want %d and 0", begun, released, maxRunning)
		}
		go func() { _, _ = io.Copy(io.Discard, outR) }()
		synctest.Wait()
		if begun, released := taker.begun.Load(), taker.released.Load(); begun <= maxRunning || released != begun {
			t.Errorf("then %d calls have run and %d results are released", begun, released)
		}
		inW.Close()
		if err := <-read; err != io.EOF {
			t.Errorf("read: %v", err)
		}
		_ = c.Close()
	})
}

func TestHandlerEndsWithTheConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, taker := startTaking(t)
		s.initialize("2025-06-18")
		s.expect(take("1", `{"for":"1h","result":"{}"}`))
		_ = s.server.Close()
		synctest.Wait()
		if taker.ended.Load() != 1 {
			t.Error("the call goes on after the connection was closed")
		}
	})
}

// What a client has read is given back before the connection is closed, and with it has its line of
// an audit, but nothing holds up the end.
func TestCloseWaitsForAnswers(t *testing.T) {
	for late, released := range map[time.Duration]int32{answerGrace / 2: 1, time.Hour: 0} {
		synctest.Test(t, func(t *testing.T) {
			inR, inW := io.Pipe()
			outR, outW := io.Pipe()
			taker := newTaker()
			c, err := (&Transport{In: inR, Out: outW, Handler: taker}).Connect(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			go c.Read(t.Context())
			_, _ = io.WriteString(inW, take("1", `{"result":"{}","late":`+strconv.Itoa(int(late))+`}`))
			if line, err := bufio.NewReader(outR).ReadString('\n'); err != nil || line != pong("1")+"\n" {
				t.Fatalf("%q, %v", line, err)
			}
			began := time.Now()
			_ = c.Close()
			if n := taker.released.Load(); n != released {
				t.Errorf("an answer that takes %v to be given back: %d are, want %d", late, n, released)
			}
			if took := time.Since(began); took > answerGrace {
				t.Errorf("Close takes %v", took)
			}
			synctest.Wait()
			time.Sleep(late)
		})
	}
}

// What is cancelled while it waits for a client that does not read is not answered when that reads
// again.
func TestHandlerCancelledBeforeItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inR, inW := io.Pipe()
		outR, outW := io.Pipe()
		taker := newTaker()
		c, err := (&Transport{In: inR, Out: outW, Handler: taker}).Connect(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		read := make(chan error, 1)
		go func() {
			_, err := c.Read(t.Context())
			read <- err
		}()
		for i := range 5 {
			_, _ = io.WriteString(inW, take(strconv.Itoa(i), `{"result":"{}"}`))
			synctest.Wait()
		}
		for i := 1; i < 5; i++ {
			_, _ = io.WriteString(inW, cancelled(strconv.Itoa(i)))
		}
		synctest.Wait()
		if n := taker.released.Load(); n != 4 {
			t.Errorf("%d results are released, want 4", n)
		}
		inW.Close()
		scan := bufio.NewScanner(outR)
		var got []string
		go func() {
			<-read
			_ = c.Close()
		}()
		for scan.Scan() {
			got = append(got, scan.Text())
		}
		if len(got) != 1 || got[0] != pong("0") {
			t.Errorf("answers: %q", got)
		}
	})
}

// A batch holds one result of the handler at a time, however many calls it has.
func TestHandlerBatchHoldsOneResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, taker := startTaking(t)
		s.initialize("2025-03-26")
		calls := make([]string, 100)
		for i := range calls {
			calls[i] = inBatch(take(strconv.Itoa(i), `{"result":"{}"}`))
		}
		if got := s.say("[" + strings.Join(calls, ",") + "]\n"); len(got) != 1 || strings.Count(got[0], `"result"`) != len(calls) {
			t.Errorf("answers: %q", got)
		}
		if most := taker.most.Load(); most != 1 {
			t.Errorf("%d results were held at a time", most)
		}
		s.finish()
	})
}

// Answered is called once, when the first answer has been written.
func TestAnswered(t *testing.T) {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	var written atomic.Int32
	calls := make(chan int32, 10)
	c, err := (&Transport{In: inR, Out: counted{outW, &written}, Answered: func() { calls <- written.Load() }}).Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	go c.Read(t.Context())
	lines := bufio.NewReader(outR)
	for range 3 {
		if _, err := io.WriteString(inW, "no JSON\n"); err != nil {
			t.Fatal(err)
		}
		if _, err := lines.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	_ = c.Close()
	if n := len(calls); n != 1 {
		t.Fatalf("it is called %d times", n)
	}
	if n := <-calls; n != 1 {
		t.Errorf("it is called when %d frames have been written", n)
	}
}

// A counted output counts what was written.
type counted struct {
	io.WriteCloser
	n *atomic.Int32
}

func (c counted) Write(p []byte) (int, error) {
	defer c.n.Add(1)
	return c.WriteCloser.Write(p)
}

// A call that reports progress does not wait for a client that does not read: of what came
// meanwhile it gets the latest, before the answer.
func TestProgressWaitsForNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inR, inW := io.Pipe()
		outR, outW := io.Pipe()
		taker := newTaker()
		ss, err := newServer().Connect(context.Background(), &Transport{In: inR, Out: outW, Handler: taker}, nil)
		if err != nil {
			t.Fatal(err)
		}
		s := &session{t: t, server: ss, in: inW}
		if _, err := io.WriteString(inW, take("1", `{"report":1000,"result":"{}"}`)); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if taker.held.Load() != 1 {
			t.Error("the call has not been answered")
		}
		go s.listen(bufio.NewScanner(outR))
		synctest.Wait()
		s.mu.Lock()
		lines := s.lines
		s.mu.Unlock()
		if n := len(lines); n < 2 || n > 3 || lines[n-1] != `{"jsonrpc":"2.0","id":1,"result":{}}` || lines[n-2] != `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1000}}` {
			t.Errorf("%q", lines)
		}
		s.finish()
	})
}
