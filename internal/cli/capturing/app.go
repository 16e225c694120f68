// Package capturing holds the command capture, which saves web pages as files of a project.
package capturing

import "github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"

// app is the shared state of commands with the methods of capture.
type app struct{ *command.App }
