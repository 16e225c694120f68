// Package publishing holds the commands that make a project available to others: publish, for npm
// packages, desktop bundles, container images and server.json, and cloudflare, for a Worker.
package publishing

import "github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"

// app is the shared state of commands with the methods of these commands.
type app struct{ *command.App }
