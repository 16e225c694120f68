package web

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	answers "github.com/mcp-docs-server/mcp-docs-server/internal/mcp/server"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

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
