package streamable

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// A list is compressed for clients that accept gzip, and small answers have a Content-Length.
func TestEncodings(t *testing.T) {
	s := start(t, DefaultLimits, given.Resources("x/h/a=1"))
	session := s.session("2025-06-18")
	res := s.request(http.MethodPost, call("resources/list", ""), session, "Accept-Encoding: gzip")
	if res.Header.Get("Content-Encoding") != "gzip" || res.Header.Get("Vary") != "Accept-Encoding" {
		t.Errorf("%v", res.Header)
	}
	res = s.request(http.MethodPost, call("resources/read", `"uri":"x://h/a"`), session, "Accept-Encoding: gzip")
	if res.Header.Get("Content-Encoding") != "" || res.ContentLength <= 0 {
		t.Errorf("%v", res.Header)
	}
}

// A request that is sent slowly, or in chunks, is answered.
func TestChunkedBody(t *testing.T) {
	s := start(t, DefaultLimits, given.Resources("x/h/a=1"))
	session := s.session("2025-06-18")
	r, w := io.Pipe()
	go func() {
		body := call("ping", `"pad":"`+strings.Repeat("x", 3*smallBody)+`"`)
		for len(body) > 0 {
			n := min(len(body), 10_000)
			_, _ = io.WriteString(w, body[:n])
			body = body[n:]
		}
		w.Close()
	}()
	res := must.Get(http.DefaultTransport.RoundTrip(s.prepare(http.MethodPost, r, session)))(t)
	defer res.Body.Close()
	if data, _ := io.ReadAll(res.Body); res.StatusCode != 200 {
		t.Errorf("%d %s", res.StatusCode, data)
	}
}

// Slow bodies, of one caller or of many, do not delay the large messages of others.
func TestSlowBodies(t *testing.T) {
	s := start(t, DefaultLimits, given.Resources("x/h/a=1"))
	session := s.session("2025-06-18", "Caller: bob")
	address := strings.TrimSuffix(strings.TrimPrefix(s.url, "http://"), "/mcp")
	var first net.Conn
	for i := range 12 {
		conn := must.Get(net.Dial("tcp", address))(t)
		defer conn.Close()
		fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: x\r\nCaller: alice%d\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", i/2, maxBody, strings.Repeat(" ", 2*smallBody))
		if i == 0 {
			first = conn
		}
	}
	for full := false; !full; time.Sleep(time.Millisecond) {
		s.shared.bodies.mu.Lock()
		full = s.shared.bodies.used == bodyBudget
		s.shared.bodies.mu.Unlock()
	}
	began := time.Now()
	if status, body := s.post(call("ping", `"pad":"`+strings.Repeat("x", 3*smallBody)+`"`), session, "Caller: bob"); status != 200 || time.Since(began) > readTimeout/2 {
		t.Errorf("%d %s after %v", status, body, time.Since(began))
	}
	_ = first.SetReadDeadline(time.Now().Add(readTimeout))
	if answer, _ := io.ReadAll(first); len(answer) > 0 && !strings.Contains(string(answer), "too many large messages") {
		t.Errorf("a slow message: %s", answer)
	}
}

// A listen with a large body keeps no room for it.
func TestBodiesOfListens(t *testing.T) {
	s := start(t, DefaultLimits, given.Resources("x/h/a=1"))
	listen, headers := modern("subscriptions/listen", `"notifications":{}`+strings.Repeat(" ", 2*smallBody), "")
	for range 3 {
		events(s.request(http.MethodPost, listen, append(headers, "Caller: a")...))()
	}
	s.shared.bodies.mu.Lock()
	defer s.shared.bodies.mu.Unlock()
	if s.shared.bodies.used != 0 {
		t.Errorf("%d bytes are kept", s.shared.bodies.used)
	}
}

// An answer that cannot be completed ends the connection, so that no client takes a part for the whole.
func TestCutAnswerEndsTheConnection(t *testing.T) {
	tree := given.Resources("x/h/a=" + strings.Repeat("a", 11<<20))
	s := start(t, DefaultLimits, &changing{MapFS: tree})
	body, headers := modern("resources/read", `"uri":"x://h/a"`, "x://h/a")
	res, err := http.DefaultTransport.RoundTrip(s.prepare(http.MethodPost, strings.NewReader(body), headers...))
	if err != nil {
		return // as expected
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err == nil {
		t.Error("the answer seems whole")
	}
}

// changing is a tree whose files have other bytes each time they are opened.
type changing struct {
	fstest.MapFS
	mu    sync.Mutex
	times int
}

func (c *changing) Open(name string) (fs.File, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if name == "resources/x/h/a" {
		c.times++
		c.MapFS[name] = &fstest.MapFile{Data: bytes.Repeat([]byte{byte('a' + c.times)}, 11<<20), ModTime: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	}
	return c.MapFS.Open(name)
}
