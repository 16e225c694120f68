// Package wrangler runs two tools of Cloudflare through a [Tool]: wrangler, which deploys a Worker as the
// user who is logged in, and workerd, the runtime of Cloudflare, which runs a Worker on this computer. It
// knows neither the Worker nor the account of the user.
//
// npx starts exact versions of both: npm fetches a version once and keeps it, so that later runs need
// no network. This program contains no part of them.
package wrangler

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"golang.org/x/mod/semver"
)

// The versions of the tools.
const (
	Workerd = "1.20261023.1"

	Wrangler     = "4.164.0"
	wranglerNode = "v22.12.0"
	workerdNode  = "v16.0.0"
)

// stopDelay is how long a tool may take to end by itself.
const stopDelay = 2 * time.Second

// A Tool runs the tools.
//
// On Windows, npx is a batch file, and the Command Prompt splits an argument such as C:\Tom&Co, so
// callers must not pass paths that a user chose as arguments.
type Tool struct {
	Dir string   // the working folder
	Env []string // more variables of the environment
	In  io.Reader
	Out io.Writer
	Err io.Writer
}

// Deploy runs wrangler with some arguments in the folder of a Worker. wrangler may ask the user
// questions, so it gets standard input and output.
func (t Tool) Deploy(ctx context.Context, args ...string) error {
	npx, node, err := find(ctx, "wrangler, which deploys the Worker")
	if err != nil {
		return err
	}
	if semver.Compare(node, wranglerNode) < 0 {
		return fmt.Errorf("wrangler %s, which deploys the Worker, needs Node.js %s or later, and %s is installed: install a newer one (nodejs.org)", Wrangler, wranglerNode[1:], node[1:])
	}
	cmd := t.command(ctx, npx, append([]string{"--yes", "wrangler@" + Wrangler}, args...))
	cmd.Stdin, cmd.Stdout = t.In, t.Out
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = stopDelay
	return ended(ctx, "wrangler", cmd.Run())
}

// Serve runs workerd with a configuration in the working folder until ctx ends. When Serve returns, all
// processes that it started have ended. It calls ready, which waits for the server, when workerd has
// been started; the context of ready ends with workerd.
func (t Tool) Serve(ctx context.Context, config string, ready func(context.Context) error) error {
	npx, node, err := find(ctx, "workerd, which runs the Worker")
	if err != nil {
		return err
	}
	if semver.Compare(node, workerdNode) < 0 {
		return fmt.Errorf("workerd %s, which runs the Worker, needs Node.js %s or later, and %s is installed: install a newer one (nodejs.org)", Workerd, workerdNode[1:], node[1:])
	}
	cmd := t.command(context.WithoutCancel(ctx), npx, []string{"--yes", "workerd@" + Workerd, "serve", config})
	g, err := startGroup(cmd) // npx starts workerd, and the end of npx alone would leave it
	if err != nil {
		return err
	}
	defer g.close()
	running, cancel := context.WithCancelCause(ctx)
	done := make(chan error, 1)
	go func() {
		err := cmd.Wait()
		cancel(errEnded)
		done <- err
	}()
	failed := ready(running)
	if failed == nil {
		<-running.Done()
	}
	if context.Cause(running) == errEnded {
		err := <-done
		if err == nil {
			err = errEnded
		}
		return ended(ctx, "workerd", err)
	}
	g.end()
	select {
	case <-done:
	case <-time.After(stopDelay):
	}
	if failed != nil {
		return failed
	}
	return ctx.Err()
}

var errEnded = errors.New("it ended by itself")

func (t Tool) command(ctx context.Context, npx string, args []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, npx, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = t.Dir, t.Err, t.Err
	cmd.Env = append(os.Environ(), t.Env...)
	cmd.Env = append(cmd.Env, "NO_UPDATE_NOTIFIER=1", "WRANGLER_SEND_METRICS=false")
	cmd.WaitDelay = stopDelay
	return cmd
}

// find returns the path of npx and the version of Node.js.
func find(ctx context.Context, what string) (npx, version string, err error) {
	missing := func(name string) error {
		return fmt.Errorf("%s is not installed: npm fetches %s; install Node.js %s or later (nodejs.org), which contains it", name, what, wranglerNode[1:])
	}
	node, err := exec.LookPath("node")
	if err != nil {
		return "", "", missing("node")
	}
	if npx, err = exec.LookPath("npx"); err != nil {
		return "", "", missing("npx")
	}
	out, err := exec.CommandContext(ctx, node, "--version").Output()
	version = strings.TrimSpace(string(out))
	if err != nil || !semver.IsValid(version) {
		return "", "", fmt.Errorf("node --version does not say which Node.js it is (%q): install Node.js %s or later (nodejs.org)", version, wranglerNode[1:])
	}
	return npx, version, nil
}

// ended returns the error of a tool that has ended.
func ended(ctx context.Context, name string, err error) error {
	if err == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return fmt.Errorf("%s ended with code %d; what it printed says why", name, exit.ExitCode())
	}
	return fmt.Errorf("%s: %w", name, err)
}
