package web

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

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
