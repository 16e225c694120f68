package streamable

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/mcp/server"
)

// Many large reads stay within the memory budget, and each is answered with the right bytes.
func TestLargeReadsAreStreamed(t *testing.T) {
	blob := bytes.Repeat([]byte("\x00\xff0123456789"), 12<<20/12)
	s := start(t, DefaultLimits, files("x/h/a.bin="+string(blob)))
	session := s.session("2025-06-18")
	want := base64.StdEncoding.EncodeToString(blob)
	var wait sync.WaitGroup
	for i := range 4 {
		wait.Go(func() {
			_, body := s.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"resources/read","params":{"uri":"x://h/a.bin"}}`, i), session)
			if !strings.Contains(body, want) {
				t.Errorf("read %d has other bytes", i)
			}
		})
	}
	wait.Wait()
}

// A list is compressed for clients that accept gzip, and small answers have a Content-Length.
func TestEncodings(t *testing.T) {
	s := start(t, DefaultLimits, files("x/h/a=1"))
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
	s := start(t, DefaultLimits, files("x/h/a=1"))
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
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url, r)
	req.Header.Set("Content-Type", "application/json")
	name, value, _ := strings.Cut(session, ": ")
	req.Header.Set(name, value)
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if data, _ := io.ReadAll(res.Body); res.StatusCode != 200 {
		t.Errorf("%d %s", res.StatusCode, data)
	}
}

// An answer that cannot be completed ends the connection, so that no client takes a part for the whole.
func TestCutAnswerEndsTheConnection(t *testing.T) {
	tree := files("x/h/a=" + strings.Repeat("a", 11<<20))
	s := start(t, DefaultLimits, &changing{MapFS: tree})
	body, headers := modern("resources/read", `"uri":"x://h/a"`, "x://h/a")
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url, strings.NewReader(body))
	req.Header.Set("Content-Type", "application/json")
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	res, err := http.DefaultTransport.RoundTrip(req)
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

// A panic while an answer is written becomes an error of the call, and the connection stays usable.
func TestPanicOfAResult(t *testing.T) {
	broken := false
	s := startWith(t, DefaultLimits, files("x/h/a=1"), server.Options{Live: func() server.Liveness {
		if broken {
			panic("the answer is being written")
		}
		return server.Liveness{}
	}})
	body, headers := modern("resources/list", "", "")
	for _, broken = range []bool{false, true, false} {
		want := `"result":{`
		if broken {
			want = `"error":{"code":-32603,"message":"internal error: see the log of the server"}`
		}
		for _, coding := range []string{"identity", "gzip"} {
			res := s.request(http.MethodPost, body, append(headers, "Accept-Encoding: "+coding)...)
			var from io.Reader = res.Body
			if res.Header.Get("Content-Encoding") == "gzip" {
				var err error
				if from, err = gzip.NewReader(res.Body); err != nil {
					t.Fatal(err)
				}
			}
			data, err := io.ReadAll(from)
			if err != nil || res.StatusCode != 200 || !strings.Contains(string(data), want) || !json.Valid(data) {
				t.Errorf("broken %v, %s: %v, %d %s", broken, coding, err, res.StatusCode, data)
			}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var outcomes []string
	for _, o := range s.observed {
		outcomes = append(outcomes, o.Outcome)
	}
	if diff := cmp.Diff([]string{"ok", "ok", "-32603", "-32603", "ok", "ok"}, outcomes); diff != "" {
		t.Error("outcomes (-want +got):\n", diff)
	}
}
