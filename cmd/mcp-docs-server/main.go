// Command mcp-docs-server serves a project folder to MCP clients.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := cli.Run(ctx, os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr})
	stop()
	os.Exit(code)
}
