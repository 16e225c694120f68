// Package authoring has the commands for the author of a project: to begin one, to look at what
// clients get of it, to find mistakes, and to configure clients.
package authoring

import "github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"

// app is what all commands share, with the methods of the commands here.
type app struct{ *command.App }
