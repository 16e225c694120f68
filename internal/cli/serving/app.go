// Package serving holds the command serve: it serves a project to one client over standard input and
// output, or projects, from folders or from the store, to many clients over HTTP. It reads the options
// and their environment variables, and connects the packages that answer; it answers nothing itself.
package serving

import "github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"

// app is the shared state of commands with the methods of serve.
type app struct {
	*command.App
	fromVariable []string // options of serve with a value from a variable
	fromPort     bool     // the port of --http comes from PORT
}
