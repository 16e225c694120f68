// Package probe asks an MCP server for its name and version: it starts the program of the server as a
// client does, or calls its URL, and does one handshake. It is for servers that the user of this
// computer has configured in clients. Answers are limited in size and time. They may contain control
// characters: callers must make them printable before they show them.
package probe

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

const (
	// timeout is long, because npx may have to download the program.
	timeout = time.Minute
	// grace is how long a program may take to end after its input has ended.
	grace = 5 * time.Second
	// maxAnswer is the maximum size of a message, in bytes.
	maxAnswer = 1 << 20
)

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"mcp-docs-server doctor","version":"1"}}}`

// An Answer is the name and version of a server.
type Answer struct{ Name, Version string }

// ErrToken reports that a server refuses calls without a token.
var ErrToken = errors.New("it answers, but needs a token")

// Start starts a program with additional environment variables, does a handshake over its standard
// streams and ends the program.
func Start(ctx context.Context, program string, args []string, env map[string]string) (a Answer, err error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = os.Environ()
	for name, value := range env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.WaitDelay = grace
	message := new(lastLine)
	cmd.Stderr = message
	in, err := cmd.StdinPipe()
	if err != nil {
		return a, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return a, err
	}
	if err := cmd.Start(); err != nil {
		return a, err
	}
	// A child of the program may keep the output open after the program has been killed.
	stop := context.AfterFunc(ctx, func() { out.Close() })
	defer stop()
	a, err = shake(in, out)
	in.Close()
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("there is no answer within %v", timeout)
	}
	if errors.Is(err, bufio.ErrTooLong) {
		cancel() // the program may write without end
	}
	ending := time.AfterFunc(grace, cancel)
	defer ending.Stop()
	_, _ = io.Copy(io.Discard, out)
	ended := cmd.Wait()
	if err == nil {
		return a, nil
	}
	if failed, ok := errors.AsType[*exec.ExitError](ended); ok && message.String() != "" {
		return a, fmt.Errorf("%v: %s", failed, message)
	}
	return a, err
}

// shake begins a session.
func shake(in io.Writer, out io.Reader) (Answer, error) {
	if _, err := io.WriteString(in, initialize+"\n"); err != nil {
		return Answer{}, errors.New("it ends before it reads a request")
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, maxAnswer)
	for lines.Scan() {
		if a, ok, err := read(lines.Bytes()); ok {
			return a, err
		}
	}
	return Answer{}, cmp.Or(lines.Err(), errors.New("it ends without an answer"))
}

// read parses a message, and reports whether it is the answer to the handshake.
func read(message []byte) (a Answer, ok bool, err error) {
	var answer struct {
		ID     json.RawMessage
		Result struct {
			ServerInfo Answer
		}
		Error *struct{ Message string }
	}
	if json.Unmarshal(message, &answer) != nil || string(answer.ID) != "1" {
		return a, false, nil
	}
	if answer.Error != nil {
		return a, true, fmt.Errorf("it refuses the handshake: %s", answer.Error.Message)
	}
	return answer.Result.ServerInfo, true, nil
}

// Ask does a handshake over streamable HTTP. It sends no token and follows no redirect.
func Ask(ctx context.Context, url string) (a Answer, err error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(initialize))
	if err != nil {
		return a, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		return a, err
	}
	defer res.Body.Close()
	switch {
	case res.StatusCode == http.StatusUnauthorized || res.StatusCode == http.StatusForbidden:
		return a, ErrToken
	case res.StatusCode != http.StatusOK:
		return a, fmt.Errorf("it answers with HTTP %d", res.StatusCode)
	}
	lines := bufio.NewScanner(io.LimitReader(res.Body, maxAnswer))
	lines.Buffer(nil, maxAnswer)
	for lines.Scan() {
		if a, ok, err := read(bytes.TrimPrefix(lines.Bytes(), []byte("data:"))); ok {
			return a, err
		}
	}
	return a, cmp.Or(lines.Err(), errors.New("it does not answer as an MCP server"))
}

// A lastLine keeps the last line that is written to it.
type lastLine struct {
	mu   sync.Mutex // guards text
	text []byte
}

// maxLine is the maximum number of bytes of a line that are kept.
const maxLine = 1000

func (l *lastLine) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, p...)
	if over := len(l.text) - 2*maxLine; over > 0 {
		l.text = l.text[over:]
	}
	return len(p), nil
}

func (l *lastLine) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := bytes.TrimSpace(l.text)
	text = text[bytes.LastIndexByte(text, '\n')+1:]
	return string(text[max(0, len(text)-maxLine):])
}
