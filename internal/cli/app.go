package cli

import (
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/progress"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
)

// Streams are the standard streams of the process.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// maxLines is the maximum number of problems that are printed at a time.
const maxLines = 100

// app holds the state that the commands share.
type app struct {
	streams Streams
	line    *progress.Line // of work that takes long; standard error on a terminal goes through it
	config  string         // --config
	docs    string         // --docs
	project string         // --project

	warnings     throttle
	logger       *slog.Logger // of all that serve --http says; nil: lines are printed as they are
	fromVariable []string     // options of serve whose value comes from a variable
	fromPort     bool         // the port of --http comes from PORT
}

// quietly returns an app that prints nothing, for completion: the shell would show it in the line
// that is typed.
func (a *app) quietly() *app {
	return &app{streams: Streams{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard}, line: progress.On(io.Discard), config: a.config, docs: a.docs, project: a.project}
}

// reading is the work of reading a project.
func reading(p *project.Project) progress.Work {
	return progress.Work{Name: "reading " + printable(p.Place()), Unit: "folders"}
}

// A usageError is a mistake in the command line itself.
type usageError struct{ reason string }

func (e *usageError) Error() string { return e.reason }

// misuse returns the error for a mistake in the command line.
func misuse(reason string) error { return &usageError{reason} }

func unknownCommand(parent *cobra.Command, name string) error {
	reason := fmt.Sprintf("unknown command %q", name)
	if near := parent.SuggestionsFor(name); len(near) > 0 {
		reason += fmt.Sprintf("; did you mean %q?", near[0])
	}
	return &usageError{reason}
}

// positional checks the number of arguments; its error says what they are.
func positional(least, most int, usage string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return misuse(fmt.Sprintf("%s takes %s, not %d arguments", cmd.Name(), usage, len(args)))
		}
		return nil
	}
}

// addJSON gives a command the option --json.
func addJSON(cmd *cobra.Command, value *bool, usage string) {
	cmd.Flags().BoolVar(value, "json", false, usage)
}

func completeFolders(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}
