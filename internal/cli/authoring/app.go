// Package authoring holds the commands for the author of a project: init creates a project; list, read,
// search, call and prompt show it as clients see it; check and explain find mistakes; config prints or
// edits the configuration of a client. No command here listens for clients.
package authoring

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsondoc"
)

// app is the shared state of commands with the methods of these commands.
type app struct {
	*command.App
	dependencies project.DependencyOptions
}

// warn prints problems of files of a project.
func (a *app) warn(p *project.Project, problems jsondoc.Problems) {
	problems = slices.Clone(problems)
	for i := range problems {
		problems[i].File = p.Show(problems[i].File)
	}
	a.Warn(problems)
}

// addDependencies adds the option --deps to a command. Without it, the configuration counts.
func (a *app) addDependencies(cmd *cobra.Command) {
	a.dependencies.Configured = true
	var flag command.DependencyFlag
	flag.Add(cmd)
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) (err error) {
		a.dependencies, err = flag.Options(cmd, true, "")
		return err
	}
}
