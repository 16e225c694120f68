// Package capturing holds the command capture, which saves web pages and whole sites as files of a project.
// It reads the options and prints the results; package folder of internal/capture fetches and writes.
package capturing

import "github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"

// app is the shared state of commands with the methods of capture.
type app struct{ *command.App }
