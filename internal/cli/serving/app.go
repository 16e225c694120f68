// Package serving has the command serve: a project for one client over standard input and output, or
// projects for several over HTTP.
package serving

import "github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"

// app is what all commands share, with the methods of the command here.
type app struct {
	*command.App
	fromVariable []string // options of serve whose value comes from a variable
	fromPort     bool     // the port of --http comes from PORT
}
