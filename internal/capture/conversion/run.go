package conversion

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/webpage"
)

const (
	// maxTime is longer than [maxCPU]: other processes want the processor too.
	maxTime   = 40 * time.Second
	maxOutput = 96 << 20 // bytes of a page as JSON
	maxReason = 1 << 10  // bytes of standard error
)

// run has a child convert a body, within the time.
func run(ctx context.Context, command func(context.Context) *exec.Cmd, r request, body []byte, most time.Duration) (*webpage.Page, error) {
	head, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	bounded, cancel := context.WithTimeoutCause(ctx, most, fmt.Errorf("the page is not converted within %v", most))
	defer cancel()
	stopped, stop := context.WithCancelCause(bounded)
	defer stop(nil)
	cmd := command(stopped)
	cmd.Env = []string{"LC_ALL=C"} // not nil, which would be the environment of this process
	cmd.WaitDelay = time.Second
	out := &limited{most: maxOutput, full: func() { stop(fmt.Errorf("the page has more than %d MiB when it is converted", maxOutput>>20)) }}
	reason := &limited{most: maxReason}
	cmd.Stdout, cmd.Stderr = out, reason
	in, err := cmd.StdinPipe() // it stays open: a child whose parent ends reads its end
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, fmt.Errorf("the page cannot be converted: no process for it: %w", err)
	}
	go func() {
		// A child that fails does not read the rest of the body. Its exit says why it failed.
		_, _ = io.Copy(in, io.MultiReader(bytes.NewReader(append(head, '\n')), bytes.NewReader(body)))
	}()
	err = cmd.Wait()
	if cause := context.Cause(stopped); cause != nil && err != nil {
		return nil, cause
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		first, _, _ := strings.Cut(strings.TrimSpace(strings.ToValidUTF8(reason.String(), "")), "\n")
		if first == "" {
			first = "the process for it ended: " + exit.String()
		}
		return nil, errors.New(first)
	}
	if err != nil {
		return nil, fmt.Errorf("the page cannot be converted: %w", err)
	}
	page := new(webpage.Page)
	if err := json.Unmarshal(out.Bytes(), page); err != nil {
		return nil, fmt.Errorf("the page cannot be converted: the process for it wrote no page: %w", err)
	}
	return page, nil
}

// A limited keeps the first bytes that are written to it.
type limited struct {
	bytes.Buffer
	most int
	full func() // called if there is more; nil: the rest is dropped
}

func (l *limited) Write(p []byte) (int, error) {
	n := min(len(p), l.most-l.Len())
	l.Buffer.Write(p[:n])
	if n < len(p) && l.full != nil {
		l.full()
		return n, io.ErrShortWrite
	}
	return len(p), nil
}

// ReadFrom replaces the method of [bytes.Buffer], which has no limit.
func (l *limited) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(struct{ io.Writer }{l}, r)
}
