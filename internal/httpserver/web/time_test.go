package web

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// dial connects to a server of a project.
func dial(t *testing.T, s Site) net.Conn {
	_, m := serveInMemory(t, options(s))
	return m.dial()
}

// A body that is announced as too large is refused before it arrives.
func TestTooLargeBodiesAreNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := dial(t, site(t, "one"))
		defer conn.Close()
		go func() {
			_, _ = io.WriteString(conn, "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 1000000000000\r\n\r\n{")
		}()
		began := time.Now()
		answer, _ := io.ReadAll(conn)
		if !bytes.HasPrefix(answer, []byte("HTTP/1.1 413 ")) || time.Since(began) > time.Second {
			t.Errorf("%q after %v", answer, time.Since(began))
		}
	})
}

// A client cannot keep a connection open by not sending the announced body, even if no handler reads it.
func TestBodiesThatDoNotArrive(t *testing.T) {
	const (
		host  = "Host: 127.0.0.1\r\n"
		right = host + "Content-Type: application/json\r\n"
		half  = "Content-Length: 100\r\n\r\n{\"a"
	)
	for name, test := range map[string]struct{ request, status string }{
		"body of a message":              {"POST /mcp HTTP/1.1\r\n" + right + half, "400"},
		"chunks of a message":            {"POST /mcp HTTP/1.1\r\n" + right + "Transfer-Encoding: chunked\r\n\r\n", "400"},
		"body after 100 Continue":        {"POST /mcp HTTP/1.1\r\n" + right + "Expect: 100-continue\r\nContent-Length: 100\r\n\r\n", "100"},
		"body of a wrong media type":     {"POST /mcp HTTP/1.1\r\n" + host + half, "415"},
		"body for another host":          {"POST /mcp HTTP/1.1\r\nHost: other.example\r\n" + half, "403"},
		"body for a path without any":    {"POST /none HTTP/1.1\r\n" + host + half, "404"},
		"body of a GET":                  {"GET /mcp HTTP/1.1\r\n" + right + half, "400"},
		"body of a DELETE":               {"DELETE /mcp HTTP/1.1\r\n" + right + half, "400"},
		"body of a health check":         {"POST /health HTTP/1.1\r\n" + host + half, "405"},
		"head":                           {"POST /mcp HTTP/1.1\r\nHo", "400"},
		"second request":                 {"GET /health HTTP/1.1\r\n" + host + "\r\n", "200"},
		"first request":                  {"", ""},
		"large body that stops half way": {"POST /mcp HTTP/1.1\r\n" + right + "Content-Length: 1000000\r\n\r\n" + string(bytes.Repeat([]byte(" "), 200_000)), "400"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				conn := dial(t, site(t, "one"))
				defer conn.Close()
				go func() { _, _ = io.WriteString(conn, test.request) }()
				began := time.Now()
				answer, _ := io.ReadAll(conn)
				if took := time.Since(began); took > idleTimeout {
					t.Errorf("the connection ended after %v", took)
				}
				if want := "HTTP/1.1 " + test.status; test.status != "" && !bytes.HasPrefix(answer, []byte(want)) {
					t.Errorf("the answer is %q, not %s", answer, want)
				}
			})
		})
	}
}

// A client that reads a large answer in small pieces does not keep it, and its memory, for hours.
func TestClientsThatReadSlowly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := dial(t, siteOf(t, "large", strings.Repeat("a", 5<<20)))
		defer conn.Close()
		body := `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"x://h/name",` + meta + `}}`
		began := time.Now()
		go func() {
			fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nMCP-Protocol-Version: 2026-07-28\r\n"+
				"Mcp-Method: resources/read\r\nMcp-Name: x://h/name\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
		}()
		bite := make([]byte, 64<<10)
		var err error
		total := 0
		for err == nil {
			var n int
			n, err = io.ReadFull(conn, bite)
			total += n
			time.Sleep(25 * time.Second)
		}
		if total < len(bite) || total > 1<<20 || time.Since(began) > 5*time.Minute {
			t.Errorf("%d bytes in %v", total, time.Since(began))
		}
	})
}
