// Package publishing holds the commands that make a project available to others: publish, for npm
// packages, desktop bundles, server.json, Cloudflare Workers and the store of replicas; and store, which lists, restores and removes versions there. It reads options, asks for a check of the
// files and reports to the user; the packages of internal/publish make the files.
package publishing

import "github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"

// app is the shared state of commands with the methods of these commands.
type app struct{ *command.App }
