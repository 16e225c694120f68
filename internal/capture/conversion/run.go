package conversion

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/webpage"
)

const (
	maxOutput = 96 << 20 // bytes of a page as JSON
	maxReason = 1 << 10  // bytes of standard error
)

// A child is a process that converts one page after the other.
type child struct {
	cmd    *exec.Cmd
	kill   context.CancelFunc
	in     io.WriteCloser // it stays open: a child whose parent ends reads its end
	out    io.Reader
	reason io.Reader // standard error; nothing reads it before the end
}

// start starts a child.
func start(command func(context.Context) *exec.Cmd) (*child, error) {
	ctx, kill := context.WithCancel(context.Background())
	p := &child{cmd: command(ctx), kill: kill}
	p.cmd.Env = []string{"LC_ALL=C"} // not nil, which would be the environment of this process
	var errs [3]error
	p.in, errs[0] = p.cmd.StdinPipe()
	p.out, errs[1] = p.cmd.StdoutPipe()
	p.reason, errs[2] = p.cmd.StderrPipe()
	err := errors.Join(errs[:]...)
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		kill()
		return nil, fmt.Errorf("the page cannot be converted: no process for it: %w", err)
	}
	return p, nil
}

// end ends a child, and waits for it.
func (p *child) end() error {
	p.kill()
	return p.cmd.Wait()
}

// convert has the child convert a page. alive reports that it can convert another one; otherwise it has ended.
func (p *child) convert(ctx context.Context, r request) (page *webpage.Page, err error, alive bool) {
	head, err := json.Marshal(r)
	if err != nil {
		return nil, err, true
	}
	stop := context.AfterFunc(ctx, p.kill)
	written := make(chan struct{})
	go func() {
		defer close(written)
		// A child that ends does not read the rest of the body. Its exit says why it ended.
		_, _ = io.Copy(p.in, io.MultiReader(bytes.NewReader(append(head, '\n')), bytes.NewReader(r.body)))
	}()
	out := &io.LimitedReader{R: p.out, N: maxOutput}
	var a answer
	err = json.NewDecoder(out).Decode(&a)
	if alive = stop() && err == nil; alive {
		<-written
		if a.Error != "" {
			err = errors.New(a.Error)
		}
		return a.Page, err, true
	}
	p.kill()
	<-written
	said, _ := io.ReadAll(io.LimitReader(p.reason, maxReason))
	exit := p.end()
	reason, _, _ := strings.Cut(strings.TrimSpace(strings.ToValidUTF8(string(said), "")), "\n")
	switch {
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case out.N <= 0:
		err = fmt.Errorf("the page has more than %d MiB when it is converted", maxOutput>>20)
	case reason != "":
		err = errors.New(reason)
	default:
		err = fmt.Errorf("the page cannot be converted: the process for it has ended: %w", cmp.Or(exit, err))
	}
	return nil, err, false
}
