// Command mcp-docs-server serves a project folder to MCP clients, and has commands with which an author
// creates, checks and publishes the project. This package is only wiring: it passes arguments, streams and
// signals to package cli, which returns the exit code.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli"
)

// bounce is the time within which a second signal counts as the first one: a terminal sends Ctrl-C to this program and
// to the program that started it, which may pass the signal on.
const bounce = 100 * time.Millisecond

func main() {
	os.Exit(interruptible(func(ctx context.Context) int {
		return cli.Run(ctx, os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr})
	}))
}

// interruptible calls run with a context that the first SIGINT or SIGTERM cancels. The second one ends the program
// with status 130, whatever run does.
func interruptible(run func(context.Context) int) int {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		cancel()
		for first := time.Now(); time.Since(first) < bounce; {
			<-signals
		}
		os.Exit(130)
	}()
	return run(ctx)
}
