package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// A gate blocks each write that contains the mark until the gate is opened.
type gate struct {
	syncBuffer
	mark    string
	reached chan struct{} // closed when a write is blocked
	open    chan struct{}
	once    sync.Once
}

func newGate(mark string) *gate {
	return &gate{mark: mark, reached: make(chan struct{}), open: make(chan struct{})}
}

func (g *gate) Write(p []byte) (int, error) {
	if strings.Contains(string(p), g.mark) {
		g.once.Do(func() { close(g.reached) })
		<-g.open
	}
	return g.syncBuffer.Write(p)
}

// doubtful makes a project with a template that causes a warning of the compiler of templates.
func doubtful(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	must.Do(t, os.MkdirAll(filepath.Join(dir, "resources/x/h"), 0o777))
	for name, text := range map[string]string{
		"mcp-docs-server.json":     `{"name": "n", "package": "n", "version": "1.0.0"}`,
		"resources/x/h/a.md":       "text",
		"resources/templates.json": `[{"uriTemplate": "x://h/{a}{b}", "name": "t"}, {"uriTemplate": "x://h/{a}.md", "name": "u", "description": "d"}]`,
	} {
		must.Write(t, filepath.Join(dir, name), text)
	}
	return dir
}

// The session answers while templates are still being compiled. Requests that need the templates
// wait.
func TestSessionBeforeTemplates(t *testing.T) {
	held := newGate("touch")
	in, ours := io.Pipe()
	theirs, out := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- Run(t.Context(), []string{"serve", doubtful(t)}, Streams{In: in, Out: out, Err: held})
		out.Close()
	}()
	lines := bufio.NewScanner(theirs)
	send := func(line string) {
		t.Helper()
		must.Get(io.WriteString(ours, line+"\n"))(t)
	}
	answer := func() (id int, line string) {
		t.Helper()
		if !lines.Scan() {
			t.Fatal("no answer", lines.Err())
		}
		var a struct{ ID int }
		must.Do(t, json.Unmarshal(lines.Bytes(), &a))
		return a.ID, lines.Text()
	}
	<-held.reached
	send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	if id, line := answer(); id != 1 || !strings.Contains(line, "serverInfo") {
		t.Errorf("initialize is answered with %s", line)
	}
	send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	for i, request := range []string{
		`"method":"resources/list","params":{}`,
		`"method":"resources/templates/list","params":{}`,
		`"method":"resources/read","params":{"uri":"x://h/a.md"}`,
	} {
		send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,%s}`, i+2, request))
	}
	send(`{"jsonrpc":"2.0","id":9,"method":"ping"}`)
	if id, line := answer(); id != 9 {
		t.Errorf("before the ping, which waits for nothing: %s", line)
	}
	close(held.open)
	for range 3 {
		if id, line := answer(); id == 2 && !strings.Contains(line, `"description":"d"`) || strings.Contains(line, `"error"`) {
			t.Errorf("answered with %s", line)
		}
	}
	ours.Close()
	go func() { _, _ = io.Copy(io.Discard, theirs) }()
	if code := <-ended; code != 0 {
		t.Errorf("exit code %d: %s", code, held)
	}
}

// Ending the program during the start does not wait for the templates.
func TestEndWhileCompiling(t *testing.T) {
	held := newGate("touch")
	ctx, cancel := context.WithCancel(t.Context())
	in, ours := io.Pipe()
	defer ours.Close()
	ended := make(chan int, 1)
	go func() {
		ended <- Run(ctx, []string{"serve", doubtful(t)}, Streams{In: in, Out: io.Discard, Err: held})
	}()
	<-held.reached
	cancel()
	if code := <-ended; code != 0 {
		t.Errorf("exit code %d", code)
	}
	close(held.open)
}
