package browser

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/runtime"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// fake returns a connection to a simulated browser: answer gets each message and returns the messages to send back,
// "" to end.
func fake(t *testing.T, answer func(message string) []string, on func(*session, string, jsonv2.Value)) (*conn, *session) {
	t.Helper()
	ours, theirs := pipes(t)
	go func() {
		defer theirs.close()
		for {
			data, _, err := theirs.read()
			if err != nil {
				return
			}
			for _, s := range answer(string(data)) {
				if s == "" {
					return
				}
				if err := theirs.write([]byte(s)); err != nil {
					return
				}
			}
		}
	}()
	ctx, end := context.WithCancelCause(context.Background())
	t.Cleanup(func() { end(io.EOF) })
	c, root := newConn(ctx, end, ours, on)
	return c, root
}

func pipes(t *testing.T) (a, b *pipe) {
	t.Helper()
	r1, w1, err := os.Pipe()
	must.Do(t, err)
	r2, w2, err := os.Pipe()
	must.Do(t, err)
	return newPipe(r1, w2), newPipe(r2, w1)
}

func evaluateBy(ctx context.Context, s *session) error {
	_, err := cdp.Call(ctx, s, runtime.Evaluate, runtime.EvaluateParams{Expression: "1"})
	return err
}

func TestACallGetsItsAnswer(t *testing.T) {
	events := make(chan string, 10)
	_, root := fake(t, func(m string) []string {
		id := fmt.Sprint(idOf([]byte(m)))
		switch {
		case strings.Contains(m, `"id":1,`):
			return []string{`{"method":"A.b","params":{"text":"\ud800"}}`, `{"method":"A.c","params":{},"sessionId":"none"}`, `{"id":77,"result":{}}`, `{"id":` + id + `,"result":{"result":{"type":"string"}}}`}
		case strings.Contains(m, `"id":2,`):
			return []string{`{"id":` + id + `,"error":{"code":-1,"message":"no","data":"more"}}`}
		case strings.Contains(m, `"id":3,`): // larger than maxMessage
			return []string{`{"method":"A.d","params":{"a":"` + strings.Repeat("x", maxMessage) + `"}}`, `{"id":` + id + `,"result":{"result":{"type":"` + strings.Repeat("x", maxMessage) + `"}}}`}
		case strings.Contains(m, `"id":4,`):
			return nil
		}
		return []string{""} // the end
	}, func(_ *session, method string, _ jsonv2.Value) { events <- method })
	ctx := t.Context()
	if err := evaluateBy(ctx, root); err != nil || <-events != "A.b" {
		t.Error(err)
	}
	if err := evaluateBy(ctx, root); err == nil || !strings.HasSuffix(err.Error(), "no: more") {
		t.Error(err)
	}
	if err := evaluateBy(ctx, root); !errors.Is(err, errLarge) {
		t.Error(err)
	}
	short, cancel := context.WithTimeoutCause(ctx, time.Millisecond, errors.New("too slow"))
	defer cancel()
	if err := evaluateBy(short, root); err == nil || err.Error() != "too slow" {
		t.Error(err)
	}
	for range 2 { // at the end, and after it
		if err := evaluateBy(ctx, root); err == nil || !strings.Contains(err.Error(), "has ended") {
			t.Error(err)
		}
	}
	must.Equal(t, 0, len(events), "events of an unknown session")
}

func TestABrowserThatReadsNothingIsNotWrittenTo(t *testing.T) {
	ours, theirs := pipes(t)
	defer theirs.close()
	ctx, end := context.WithCancelCause(context.Background())
	defer end(io.EOF)
	c, root := newConn(ctx, end, ours, func(*session, string, jsonv2.Value) {})
	var err error
	for range 2 * maxWaiting {
		if _, err = c.send(root.id, "A.b", map[string]string{"a": strings.Repeat("x", 100)}, nil); err != nil {
			break
		}
	}
	if err == nil || !strings.Contains(err.Error(), "reads nothing") {
		t.Error(err)
	}
}

func TestKeys(t *testing.T) {
	for s, want := range map[string]string{
		"Enter": "{Enter Enter 13 \r}", "a": "{a  0 a}", "é": "{é  0 é}", "+": "{+  0 +}", "arrowleft": "{ArrowLeft ArrowLeft 37 }", "space": "{  Space 32  }",
	} {
		k, err := parseKey(s)
		if got := fmt.Sprint(k); err != nil || got != want {
			t.Errorf("%s: %q, %v", s, got, err)
		}
	}
	for _, s := range []string{"", "ab", "\x00", "Control+a"} {
		if k, err := parseKey(s); err == nil {
			t.Errorf("%q is %v", s, k)
		}
	}
}
