package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// A gate is an output that calls reached at the first write with a mark.
type gate struct {
	syncBuffer
	mark    string
	reached func()
	once    sync.Once
}

func (g *gate) Write(p []byte) (int, error) {
	if strings.Contains(string(p), g.mark) {
		g.once.Do(g.reached)
	}
	return g.syncBuffer.Write(p)
}

// doubtful starts a server whose compiler of templates waits, as it reports a warning, until open is closed. It returns when it waits.
func doubtful(ctx context.Context, t *testing.T, streams Streams) (open chan struct{}, ended chan int) {
	t.Helper()
	dir := given.Folder(t, goodConfig, "resources/x/h/a.md=text",
		`resources/templates.json=[{"uriTemplate": "x://h/{a}{b}", "name": "t"}, {"uriTemplate": "x://h/{a}.md", "name": "u", "description": "d"}]`)
	open, ended = make(chan struct{}), make(chan int, 1)
	waits := make(chan struct{})
	streams.Err = &gate{mark: "touch", reached: func() { close(waits); <-open }}
	go func() { ended <- Run(ctx, []string{"serve", dir}, streams) }()
	<-waits
	return open, ended
}

// The session answers while templates are still being compiled. Requests that need the templates
// wait.
func TestSessionBeforeTemplates(t *testing.T) {
	in, ours := io.Pipe()
	theirs, out := io.Pipe()
	open, ended := doubtful(t.Context(), t, Streams{In: in, Out: out})
	lines := bufio.NewScanner(theirs)
	answer := func() (id int, line string) {
		t.Helper()
		if !lines.Scan() {
			t.Fatal("no answer", lines.Err())
		}
		var a struct{ ID int }
		must.Do(t, json.Unmarshal(lines.Bytes(), &a))
		return a.ID, lines.Text()
	}
	go io.WriteString(ours, handshakeLines+`{"jsonrpc":"2.0","id":2,"method":"resources/list"}
{"jsonrpc":"2.0","id":3,"method":"resources/templates/list"}
{"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":"x://h/a.md"}}
{"jsonrpc":"2.0","id":9,"method":"ping"}
`)
	for _, want := range []int{1, 9} { // they wait for nothing
		if id, line := answer(); id != want || strings.Contains(line, "error") {
			t.Errorf("%d is answered with %s", want, line)
		}
	}
	close(open)
	for range 3 {
		if id, line := answer(); id == 2 && !strings.Contains(line, `"description":"d"`) || strings.Contains(line, `"error"`) {
			t.Errorf("answered with %s", line)
		}
	}
	ours.Close()
	go func() { _, _ = io.Copy(io.Discard, theirs) }()
	if code := <-ended; code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// Ending the program during the start does not wait for the templates.
func TestEndWhileCompiling(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	in, ours := io.Pipe()
	defer ours.Close()
	open, ended := doubtful(ctx, t, Streams{In: in, Out: io.Discard})
	cancel()
	if code := <-ended; code != 0 {
		t.Errorf("exit code %d", code)
	}
	close(open)
}
