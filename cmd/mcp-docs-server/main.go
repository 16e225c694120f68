// Command mcp-docs-server serves a project folder to MCP clients.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli"
)

// bounce is the time within which a second signal is the first one again: a program that started this one passes on
// Ctrl-C, which the terminal has sent to both.
const bounce = 100 * time.Millisecond

func main() {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		cancel()
		for first := time.Now(); time.Since(first) < bounce; {
			<-signals
		}
		os.Exit(130) // the second one ends the program whatever it does
	}()
	os.Exit(cli.Run(ctx, os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}
