// Package capturing has the command capture, which keeps pages of the web as files of a project.
package capturing

import "github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"

// app is what all commands share, with the methods of the commands here.
type app struct{ *command.App }
