package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"sync"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// A client speaks to a project that is served, over pipes.
type client struct {
	t    *testing.T
	in   io.Writer
	out  *bufio.Scanner
	errs *syncBuffer
	id   int
}

// connect serves a folder and shakes hands.
func connect(t *testing.T, dir string, args ...string) *client {
	t.Helper()
	in, ours := io.Pipe()
	theirs, out := io.Pipe()
	c := &client{t: t, in: ours, out: bufio.NewScanner(theirs), errs: new(syncBuffer)}
	c.out.Buffer(nil, 1<<20)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		Run(t.Context(), append([]string{"serve", dir}, args...), Streams{In: in, Out: out, Err: c.errs})
		out.Close()
	}()
	t.Cleanup(func() {
		ours.Close()
		go func() { _, _ = io.Copy(io.Discard, theirs) }()
		<-ended
	})
	c.call("initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "t", "version": "1"}})
	c.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
	return c
}

func (c *client) send(message map[string]any) {
	c.t.Helper()
	line := must.Get(json.Marshal(message))(c.t)
	must.Get(c.in.Write(append(line, '\n')))(c.t)
}

// call returns the answer to a request, as it came.
func (c *client) call(method string, params map[string]any) string {
	c.t.Helper()
	c.id++
	c.send(map[string]any{"jsonrpc": "2.0", "id": c.id, "method": method, "params": params})
	for c.out.Scan() {
		var answer struct{ ID int }
		must.Do(c.t, json.Unmarshal(c.out.Bytes(), &answer))
		if answer.ID == c.id {
			return c.out.Text()
		}
	}
	c.t.Fatalf("no answer to %s: %v", method, c.out.Err())
	return ""
}

// A syncBuffer is a buffer that several goroutines may write.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
