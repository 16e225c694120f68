package stdio

import (
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// The end of the input waits until a slow client has read a whole array.
func TestBatchEndOfInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := startUnread(t, 0)
		_, _ = io.WriteString(c.in, batch(take("1", `{}`), take("2", `{}`)))
		c.in.Close()
		synctest.Wait()
		time.Sleep(drainTimeout / 2)
		go c.listen()
		if got, want := c.heard(), "["+pong("1")+","+pong("2")+"]"; !matches(got, []string{want}) {
			t.Errorf("got %q, want %q", got, want)
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

// A call whose result does not fit gets an error. The calls before and after it are
// answered.
func TestBatchBytesAreBounded(t *testing.T) {
	const mebi = 1 << 20
	fill := func(id string, bytes int) string { return take(id, `{"fill":`+strconv.Itoa(bytes)+`}`) }
	tests := []struct {
		in   string
		want string
	}{
		{batch(fill("1", 4*mebi), fill("2", 7*mebi), fill("3", 5*mebi), take("4", `{}`)), "1 result, 2 -32603, 3 result, 4 result, "},
		{batch(fill("1", 11*mebi), fill("2", 9*mebi)), "1 -32603, 2 result, "},
		{batch(fill("1", maxBatchBytes-len(`,{"jsonrpc":"2.0","id":1,"result":""}`)), take("2", `{"fail":"rpc"}`), take("3", `{}`)), "1 result, 2 -32002, 3 -32603, "},
		{batch(fill("1", maxBatchBytes-len(`,{"jsonrpc":"2.0","id":1,"result":""}`)+1), take("2", `{}`)), "1 -32603, 2 result, "},
	}
	for _, test := range tests {
		synctest.Test(t, func(t *testing.T) {
			s := start(t, 0)
			lines := s.say(test.in)
			if len(lines) != 1 {
				t.Fatalf("%d lines", len(lines))
			}
			var list []struct {
				ID     int
				Result json.RawMessage
				Error  struct {
					Code    int
					Message string
				}
			}
			if err := json.Unmarshal([]byte(lines[0]), &list); err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			for _, a := range list {
				got.WriteString(strconv.Itoa(a.ID))
				if a.Result != nil {
					got.WriteString(" result, ")
				} else {
					got.WriteString(" " + strconv.Itoa(a.Error.Code) + ", ")
					if a.Error.Code == -32603 && !strings.Contains(a.Error.Message, "ask for this one alone") {
						t.Error(a.Error.Message)
					}
				}
			}
			if got.String() != test.want {
				t.Errorf("got %s want %s", got.String(), test.want)
			}
			if s.held.Load() != 0 {
				t.Error("a result was not released")
			}
			s.finish()
		})
	}
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
