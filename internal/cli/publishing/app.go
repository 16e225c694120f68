// Package publishing has the commands that make something others can install or reach: publish, for
// npm packages, desktop bundles, container images and a server.json, and cloudflare, for a Worker.
package publishing

import "github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"

// app is what all commands share, with the methods of the commands here.
type app struct{ *command.App }
