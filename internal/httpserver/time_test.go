package httpserver

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	answers "github.com/mcp-docs-server/mcp-docs-server/internal/mcp/server"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
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

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

// send sends a request and returns its answer, whose body the test closes at its end.
func send(t *testing.T, c *http.Client, method, url, body string, headers ...string) *http.Response {
	t.Helper()
	r := must.Get(http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body)))(t)
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Set(name, value)
	}
	res := must.Get(c.Do(r))(t)
	t.Cleanup(func() { res.Body.Close() })
	return res
}

// text returns the body of an answer.
func text(t *testing.T, res *http.Response) string {
	t.Helper()
	data := must.Get(io.ReadAll(res.Body))(t)
	return string(data)
}

// No deadline of a request ends a stream.
func TestStreamsOutliveDeadlines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, m := serveInMemory(t, options(site(t, "one")))
		transport := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return m.dial(), nil }}
		url := "http://127.0.0.1:3060/mcp"
		c := &http.Client{Transport: transport}
		session := "Mcp-Session-Id: " + send(t, c, "POST", url, hello).Header.Get("Mcp-Session-Id")
		text(t, send(t, c, "POST", url, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, session))
		res := send(t, c, "GET", url, "", session)
		if res.StatusCode != 200 {
			t.Fatal(res.Status)
		}
		comments := 0
		lines := bufio.NewScanner(res.Body)
		for began := time.Now(); time.Since(began) < 5*time.Minute && lines.Scan(); {
			if strings.HasPrefix(lines.Text(), ":") {
				comments++
			}
		}
		if comments < 10 {
			t.Errorf("the stream ended after %d comments: %v", comments, lines.Err())
		}
		res.Body.Close()
		transport.CloseIdleConnections()
	})
}

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

// A client is a connection without buffers, so a server waits if the client does not read.
type client struct {
	t *testing.T
	net.Conn
	in      *bufio.Reader
	session string // the header with the id of its session
}

func (m *memory) client(t *testing.T) *client {
	t.Helper()
	c := &client{t: t, Conn: m.dial()}
	c.in = bufio.NewReaderSize(c, 16) // the smallest size, so that the client receives only what it reads
	t.Cleanup(func() { c.Close() })
	return c
}

// send sends a request and does not read its answer.
func (c *client) send(method, body string, headers ...string) {
	c.t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "%s /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n%s", method, c.session)
	for _, header := range headers {
		b.WriteString(header + "\r\n")
	}
	if body != "" {
		fmt.Fprintf(&b, "Content-Length: %d\r\n", len(body))
	}
	must.Get(io.WriteString(c, b.String()+"\r\n"+body))(c.t)
}

// answer reads the answer.
func (c *client) answer() (header http.Header, body string) {
	c.t.Helper()
	res, err := http.ReadResponse(c.in, nil)
	must.Do(c.t, err)
	data, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode/100 != 2 {
		c.t.Fatalf("%s %s %v", res.Status, data, err)
	}
	return res.Header, string(data)
}

// begin begins a session.
func (c *client) begin() {
	c.t.Helper()
	c.send("POST", hello)
	header, _ := c.answer()
	c.session = "Mcp-Session-Id: " + header.Get("Mcp-Session-Id") + "\r\n"
	c.send("POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	c.answer()
}

// line reads until a line contains a text, and returns the line.
func (c *client) line(with string) string {
	c.t.Helper()
	for {
		line, err := c.in.ReadString('\n')
		if err != nil {
			c.t.Fatalf("no %s: %v", with, err)
		}
		if strings.Contains(line, with) {
			return line
		}
	}
}

// Clients that do not read their streams or answers are disconnected, delay no other client,
// and leave nothing behind.
func TestReadersThatDoNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one := siteOf(t, "one", strings.Repeat("a", 1<<20))
		srv := one.Server.(*answers.Server)
		s, m := serveInMemory(t, options(one))
		var streams, deaf []*client
		for i := range 40 {
			c := m.client(t)
			c.begin()
			c.send("GET", "")
			c.line("data:")
			if c.line("\n"); i%4 == 0 {
				deaf = append(deaf, c)
				continue
			}
			streams = append(streams, c)
		}
		for range 4 {
			c := m.client(t)
			c.begin()
			c.send("POST", `{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"x://h/name"}}`)
			deaf = append(deaf, c)
			c = m.client(t)
			c.send("POST", `{"jsonrpc":"2.0","id":9,"method":"subscriptions/listen","params":{"notifications":{"resourcesListChanged":true},`+meta+`}}`,
				"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: subscriptions/listen")
			deaf = append(deaf, c)
		}
		synctest.Wait()

		var scans [2]*loader.Catalog
		for i, tree := range []fstest.MapFS{{}, {"resources/x/h/new": {}}} {
			scans[i] = must.Get(loader.Scan(t.Context(), tree, loader.Options{}))(t)
		}
		began := time.Now()
		srv.Changed(scans[0], scans[1], func(loader.Resource) bool { return true })
		for _, c := range streams {
			c.line("notifications/resources/list_changed")
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("clients that read were notified after %v", took)
		}

		// Clients that read continue, and receive comments.
		for _, c := range streams {
			go func() { _, _ = io.Copy(io.Discard, c.in) }()
		}
		time.Sleep(writeTimeout + time.Second)
		synctest.Wait()
		if _, n := s.shared.Counts(); n != len(streams) {
			t.Errorf("%d streams are open, want %d", n, len(streams))
		}
		for _, c := range deaf {
			if _, err := io.Copy(io.Discard, c); err != nil {
				t.Error(err) // the rest and the end of the stream
			}
		}
		for _, c := range streams {
			c.Close()
		}
		synctest.Wait()
		if _, n := s.shared.Counts(); n != 0 {
			t.Errorf("%d streams are left", n)
		}
	})
}
