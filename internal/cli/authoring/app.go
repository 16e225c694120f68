// Package authoring holds the commands for the author of a project: to create a project, to see it as
// clients do, to find mistakes, and to configure clients.
package authoring

import "github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"

// app is the shared state of commands with the methods of these commands.
type app struct{ *command.App }
