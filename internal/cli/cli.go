// Package cli is the command line: it reads arguments and files, connects the other packages and
// reports to the user. Each of its subpackages serving, publishing, capturing and authoring has a
// group of commands. They share the package command; serving and authoring also share webaccess, for
// tools that reach the web.
//
// Standard output is for results and, under serve, only for the protocol;
// everything else goes to standard error. A failure is one line or, for several problems of a file,
// one line each.
//
// The exit code is 0 on success, 2 for an invalid command line, and 1 for every other failure:
// problems that were found, a missing file or resource, a server that cannot or may not start.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/authoring"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/capturing"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/publishing"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/serving"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/terminal"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/webaccess"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/fserr"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/progress"
)

// Streams are the standard streams of the process.
type Streams = command.Streams

// Exit codes.
const (
	exitFine = iota
	exitProblems
	exitUsage
	exitInterrupted = 130 // as a shell has it
)

// Run executes the command line args, which do not include the program's name, and returns the exit
// code. When ctx ends, a serving command stops at once, which is not a failure.
func Run(ctx context.Context, args []string, streams Streams) int {
	if len(args) == 1 && args[0] == webaccess.ConvertChild {
		return webaccess.RunConvertChild(streams)
	}
	a := command.New(streams)
	if a.Line.Terminal() {
		a.Streams.Err = a.Line
	}
	a.Line.Say = func(text string) { a.Say("%s", text) }
	ctx = progress.With(ctx, a.Line.Begin)
	root := newRoot(a)
	root.SetIn(streams.In)
	root.SetOut(streams.Out)
	root.SetErr(streams.Err)
	addCompletion(root)
	cmd, err := execute(ctx, root, args)
	if errors.Is(err, command.ErrFound) {
		return exitProblems
	} else if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		sayError(a, "interrupted")
		return exitInterrupted
	} else if err != nil {
		lines := strings.Split(fserr.Words(err), "\n")
		for _, line := range lines[:min(len(lines), command.MaxLines)] {
			sayError(a, line)
		}
		if more := len(lines) - command.MaxLines; more > 0 {
			sayError(a, fmt.Sprintf("and %d more", more))
		}
		if _, ok := errors.AsType[*command.UsageError](err); ok {
			help := `"mcp-docs-server help" for the commands and options`
			if cmd != root {
				help = fmt.Sprintf("\"%s --help\" for its arguments and options", cmd.CommandPath())
			}
			fmt.Fprintf(a.Streams.Err, "%srun %s.\n", command.LinePrefix, help)
			return exitUsage
		}
		return exitProblems
	}
	return exitFine
}

// execute runs a command line, and returns the command that it names.
func execute(ctx context.Context, root *cobra.Command, args []string) (*cobra.Command, error) {
	cmd, _, err := root.Find(args)
	if err == nil && (cmd == root || cmd.Name() == "serve") {
		if args, err = serving.JoinValues(cmd, args); err != nil {
			return cmd, err
		}
	}
	root.SetArgs(args)
	return root.ExecuteContextC(ctx)
}

// sayError prints or logs the error that ended a command.
func sayError(a *command.App, line string) {
	if a.Logger != nil {
		line = "error: " + line
	}
	a.Say("%s", line)
}

func newRoot(a *command.App) *cobra.Command {
	serve := serving.New(a)
	printVersion := false
	root := &cobra.Command{
		Use:   "mcp-docs-server",
		Short: "Serve a folder of files to MCP clients",
		Long: "mcp-docs-server turns a project folder into an MCP server: its Markdown is read and\n" +
			"searched, the files in prompts/ are prompts, the folders in skills/ that have a\n" +
			"SKILL.md are skills, and every file resources/<scheme>/<host>/… is a\n" +
			"resource with the URI <scheme>://<host>/….\n" +
			"Without a command it serves the current folder.",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			if info, err := os.Stat(args[0]); err == nil && info.IsDir() {
				return command.Misuse("unknown command %q; did you mean %q?", args[0], "serve "+args[0])
			}
			return command.UnknownCommand(cmd, args[0])
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if printVersion {
				return writeVersion(a)
			}
			return serve.RunE(cmd, args)
		},
	}
	root.SetFlagErrorFunc(command.WrongFlag)
	flags := root.PersistentFlags()
	flags.StringVarP(&a.Config, "config", "c", "", "the project's `FILE` mcp-docs-server.json; its folder is the project")
	flags.StringVarP(&a.Docs, "docs", "d", "", "the `DIR` with the Markdown documents, in the project folder")
	flags.StringVar(&a.Project, "project", "", "the `DIR` of the project, instead of the current folder, if no argument names one")
	root.Flags().AddFlagSet(serve.Flags())
	root.Flags().BoolVarP(&printVersion, "version", "v", false, "print the version")
	root.SetHelpCommand(newHelp())
	root.SetUsageFunc(func(c *cobra.Command) error {
		usage(c.OutOrStderr(), c, min(cmp.Or(terminal.Of(a.Streams.Out).Width, maxHelp), maxHelp))
		return nil
	})
	root.AddCommand(serve, authoring.NewInit(a), authoring.NewList(a), authoring.NewRead(a), authoring.NewExplain(a), authoring.NewCheck(a), capturing.New(a), authoring.NewSearch(a), authoring.NewPrompt(a), authoring.NewCall(a),
		authoring.NewConfig(a), publishing.NewPublish(a), publishing.NewCloudflare(a), publishing.NewStore(a), newMan(a), newVersion(a))
	command.CompleteFiles(root)
	return root
}

// addCompletion adds the completion command of cobra. By default, that command prints its help for
// unknown arguments; here it refuses them. The streams of root must be set.
func addCompletion(root *cobra.Command) {
	root.CompletionOptions.DisableNoDescFlag = true
	root.InitDefaultCompletionCmd("completion")
	if completion, _, err := root.Find([]string{"completion"}); err == nil {
		command.Group(completion, "completion bash, completion zsh, completion fish or completion powershell")
		for _, shell := range completion.Commands() {
			shell.Args = command.Positional(0, 0, "no arguments")
		}
	}
}

// namedCommand returns the command that the arguments of help or man name.
func namedCommand(cmd *cobra.Command, args []string) (*cobra.Command, error) {
	found, rest, err := cmd.Root().Find(args)
	if err == nil && len(rest) == 0 {
		return found, nil
	}
	found = cmp.Or(found, cmd.Root())
	if len(rest) == 0 {
		rest = args
	}
	return nil, command.UnknownCommand(found, rest[0])
}

// newHelp is the help command of cobra, except that it fails for an unknown command.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:               "help [command]",
		Short:             "Explain a command",
		ValidArgsFunction: completeCommands,
		RunE: func(cmd *cobra.Command, args []string) error {
			found, err := namedCommand(cmd, args)
			if err != nil {
				return err
			}
			found.InitDefaultHelpFlag()
			return found.Help()
		},
	}
}
