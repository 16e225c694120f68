package outbound

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"testing"
)

// FuzzAnswers has any bytes as the answer of a server, and net/http as the judge of what they are.
func FuzzAnswers(f *testing.F) {
	for _, status := range statusLines {
		f.Add([]byte(status + "Content-Length: 5\r\n\r\nhello"))
		f.Add([]byte(status + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"))
	}
	f.Fuzz(func(t *testing.T, answer []byte) { compare(t, answer) })
}

// TestAnswersAsOfNetHTTP has answers that are made of pieces, some of which do not go together.
// OUTBOUND_ANSWERS is their number.
func TestAnswersAsOfNetHTTP(t *testing.T) {
	count := 500
	if s := os.Getenv("OUTBOUND_ANSWERS"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		count = n
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range count {
		answer := []byte(statusLines[r.IntN(len(statusLines))])
		for range r.IntN(5) {
			answer = append(answer, fields[r.IntN(len(fields))]...)
		}
		answer = append(answer, "\r\n"...)
		for range r.IntN(4) {
			answer = append(answer, bodies[r.IntN(len(bodies))]...)
		}
		if r.IntN(3) == 0 {
			answer[r.IntN(len(answer))] = byte(r.IntN(256))
		}
		if r.IntN(4) == 0 {
			answer = answer[:r.IntN(len(answer))]
		}
		compare(t, answer)
	}
}

var (
	statusLines = []string{
		"HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 203 X\r\n", "HTTP/1.0 200 OK\r\n", "HTTP/2.0 200 OK\r\n", "HTTP/1.1 204 No Content\r\n", "HTTP/1.1 302 X\r\n", "HTTP/1.1 304 X\r\n",
		"HTTP/1.1 404 X\r\n", "HTTP/1.1 999 X\r\n", "HTTP/1.1 099 X\r\n", "HTTP/1.1 200\r\n", "HTTP/1.1 200 \n", "HTTP/1.1 +200 OK\r\n", "ICY 200 OK\r\n", "\r\nHTTP/1.1 200 OK\r\n",
		"HTTP/1.1 101 X\r\nUpgrade: x\r\nConnection: upgrade\r\n", "HTTP/1.1 100 X\r\n\r\nHTTP/1.1 200 OK\r\n", "HTTP/1.1 103 X\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\n",
		"HTTP/1.1 150 X\r\nContent-Length: 5\r\n\r\nHTTP/1.1 200 OK\r\n",
	}
	fields = []string{
		"Content-Length: 5\r\n", "Content-Length: 5\r\n", "Content-Length: 0\r\n", "Content-Length: 7\r\n", "Content-Length: -1\r\n", "Content-Length: +5\r\n", "Content-Length: 5, 5\r\n",
		"Content-Length: 99999999999999999999\r\n", "Content-Length: 9223372036854775807\r\n", "Content-Length: \r\n", "Transfer-Encoding: chunked\r\n", "Transfer-Encoding: chunked\r\n",
		"Transfer-Encoding: identity\r\n", "Transfer-Encoding: gzip, chunked\r\n", "Transfer-Encoding: chunked, chunked\r\n", "Trailer: X-A\r\n", "Connection: close\r\n", "Connection: keep-alive\r\n",
		"Location: /b\r\n", "X: a\r\n b\r\n", " X: y\r\n", "X : y\r\n", "X\r\n", ": y\r\n", "X: \x00\r\n", "X-Y: z\n", "X\x80: z\r\n",
	}
	bodies = []string{
		"hello", "5\r\nhello\r\n", "0\r\n\r\n", "0\r\nX-A: b\r\n\r\n", "5;ext=1\r\nhello\r\n", "5\nhello\n", "ffffffffffffffff\r\n", "-1\r\n", "\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nbad",
	}
)

// compare asks for an answer here and with net/http, which must agree on what it is.
func compare(t *testing.T, answer []byte) {
	t.Helper()
	dial := func(context.Context, string, string) (net.Conn, error) {
		near, far := net.Pipe()
		go func() {
			defer far.Close()
			if _, err := http.ReadRequest(bufio.NewReader(far)); err == nil {
				_, _ = far.Write(answer)
			}
		}()
		return near, nil
	}
	c := newClient(t)
	c.connections.dial = dial
	u := &url.URL{Scheme: "http", Host: "127.0.0.1", Path: "/"}
	var status int // 0: it fails
	var body []byte
	got, err := c.Get(t.Context(), Request{URL: u, Stay: true})
	if err == nil {
		status, body = http.StatusOK, got.Body
	} else if answered, ok := errors.AsType[*StatusError](err); ok {
		status = answered.Status
	} else if _, ok := errors.AsType[*RedirectError](err); ok {
		status = http.StatusFound
	}
	for _, idle := range c.connections.idle {
		defer c.connections.close(idle)
	}
	if c.connections.open != len(c.connections.idle) {
		t.Errorf("%q: %d connections are open, and %d are idle", answer, c.connections.open, len(c.connections.idle))
	}

	transport := &http.Transport{DialContext: dial, DisableCompression: true, MaxResponseHeaderBytes: maxHeaders}
	defer transport.CloseIdleConnections()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, u.String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var want int
	var wantBody []byte
	if res, err := transport.RoundTrip(req); err == nil {
		defer res.Body.Close()
		if len(codingsOf(res.Header)) > 0 {
			return // which net/http does not decode here
		}
		want = res.StatusCode
		switch want {
		case http.StatusOK, http.StatusNonAuthoritativeInfo:
			want = http.StatusOK
			if wantBody, err = io.ReadAll(res.Body); err != nil {
				want, wantBody = 0, nil
			}
		case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
			want = http.StatusFound
			if _, err := u.Parse(res.Header.Get("Location")); err != nil || res.Header.Get("Location") == "" {
				want = 0
			}
		}
	}
	if status != want || !bytes.Equal(body, wantBody) {
		t.Errorf("%q is %d %q, want %d %q", answer, status, body, want, wantBody)
	}
}
