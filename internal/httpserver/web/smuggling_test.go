package web

import (
	"io"
	"net"
	"net/url"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// The bytes after a request on its connection are not answered if a proxy may have taken them for a part
// of that request.
func TestRequestsWithTwoLengths(t *testing.T) {
	base := must.Get(url.Parse(serve(t, options(site(t, "one"))).urls[0]))(t)
	const next = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
	const chunked = "Transfer-Encoding: chunked\r\n"
	for name, test := range map[string]struct {
		request string // and the bytes after it
		answers int
	}{
		"one length": {"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}" + next, 2},
		"chunked":    {"POST /mcp HTTP/1.1\r\nHost: localhost\r\n" + chunked + "\r\n2\r\n{}\r\n0\r\n\r\n" + next, 1},
		// A proxy that uses Content-Length forwards all of it as one request.
		"both lengths":               {"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n" + chunked + "\r\n0\r\n\r\n" + next, 1},
		"both lengths, read by none": {"GET /none HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n" + chunked + "\r\n0\r\n\r\n" + next, 1},
		"both lengths, refused":      {"POST /mcp HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 50\r\n" + chunked + "\r\n0\r\n\r\n" + next, 1},
		// A proxy that uses Transfer-Encoding forwards the bytes after the 0 as the next request.
		"HTTP/1.0": {"POST /mcp HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\nContent-Length: 4\r\n" + chunked + "\r\n2\r\n{" + next, 1},
	} {
		t.Run(name, func(t *testing.T) {
			c := must.Get(net.Dial("tcp", base.Host))(t)
			defer c.Close()
			must.Get(io.WriteString(c, test.request))(t)
			_ = c.(*net.TCPConn).CloseWrite()
			all := must.Get(io.ReadAll(c))(t)
			if n := strings.Count(string(all), "HTTP/1."); n != test.answers {
				t.Errorf("%d answers, want %d:\n%s", n, test.answers, all)
			}
			if strings.Contains(string(all), `"healthy"`) != (test.answers == 2) {
				t.Errorf("the request after it:\n%s", all)
			}
		})
	}
}
