// Package command holds code that all commands share: streams, common options, errors about the
// command line, messages to users, results as text or JSON, and how clients can start this program.
// Its main type is [App], the state of one run. It defines no command.
package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/time/rate"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/terminal"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/fserr"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsondoc"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/nearest"
)

// Streams are the standard streams of the process.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// MaxLines is the maximum number of problems that are printed at a time.
const MaxLines = 100

// App holds the state that the commands share.
type App struct {
	Streams Streams
	Line    *terminal.ProgressLine // also passes on what is printed on a terminal
	Config  string
	Docs    string
	Project string

	Silent bool // warnings are not printed
	// many at first; later few, so that a link that is replaced all the time fills no log
	warnings rate.Sometimes
	// for serve --http with JSON logs; nil: messages are printed as lines
	Logger *slog.Logger
}

// New returns the state of a run.
func New(streams Streams) *App {
	return &App{Streams: streams, Line: terminal.On(streams.Err), warnings: rate.Sometimes{First: 2 * MaxLines, Interval: time.Minute}}
}

// Quietly returns an app that prints nothing, for completion: the shell would show messages in the
// line that the user types.
func (a *App) Quietly() *App {
	quiet := New(Streams{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard})
	quiet.Config, quiet.Docs, quiet.Project = a.Config, a.Docs, a.Project
	return quiet
}

// Reading is the work of reading a project.
func Reading(p *project.Project) terminal.Work {
	return terminal.Work{Name: "reading " + Printable(p.Place())}
}

// A UsageError is a mistake in the command line itself.
type UsageError struct{ reason string }

func (e *UsageError) Error() string { return e.reason }

// Misuse returns the error for a mistake in the command line.
func Misuse(format string, values ...any) error { return &UsageError{fmt.Sprintf(format, values...)} }

// UnknownCommand returns the error for a name that is not a subcommand of parent, with the most similar
// name.
func UnknownCommand(parent *cobra.Command, name string) error {
	reason := fmt.Sprintf("unknown command %q", name)
	var known []string
	for _, c := range parent.Commands() {
		if c.IsAvailableCommand() {
			known = append(known, c.Name())
		}
	}
	for _, c := range parent.Commands() {
		if slices.Contains(c.SuggestFor, name) {
			known = []string{c.Name()}
			name = c.Name()
		}
	}
	if near, ok := nearest.One(name, known); ok {
		reason += fmt.Sprintf("; did you mean %q?", near)
	}
	return &UsageError{reason}
}

// WrongFlag returns the error for a wrong option of a command, with the most similar option for an unknown one.
func WrongFlag(cmd *cobra.Command, err error) error {
	reason := FlagReason(err)
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		var known []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
		name := unknown.GetSpecifiedName()
		if slices.Contains([]string{"port", "host", "p"}, name) && cmd.Flags().Lookup("http") != nil {
			reason += "; write --http=HOST:PORT"
		} else if near, ok := nearest.One(name, known); ok && (strings.HasPrefix(near, name) || !strings.Contains(near, name)) {
			reason += "; did you mean --" + near + "?"
		}
	}
	return &UsageError{reason}
}

// FlagReason returns the text of an error about an option.
func FlagReason(err error) string {
	invalid, ok := errors.AsType[*pflag.InvalidValueError](err)
	if !ok {
		return fserr.Words(err)
	}
	return fmt.Sprintf("--%s is %q, %s", invalid.GetFlag().Name, invalid.GetValue(), fserr.Words(invalid.Unwrap()))
}

// Positional checks the number of arguments; its error says what they are.
func Positional(least, most int, usage string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			reason := fmt.Sprintf("%s takes %s", strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" "), usage)
			if most > 0 {
				reason += ", not " + Count(len(args), "argument")
			}
			return &UsageError{reason}
		}
		return nil
	}
}

// Arg returns the argument with an index, or "".
func Arg(args []string, i int) string {
	if i < len(args) {
		return args[i]
	}
	return ""
}

// Group completes a command that only has subcommands; say is what to do instead of calling it alone.
func Group(cmd *cobra.Command, say string, subcommands ...*cobra.Command) *cobra.Command {
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return UnknownCommand(cmd, args[0])
		}
		return nil
	}
	cmd.RunE = func(*cobra.Command, []string) error { return Misuse("say what to do: %s", say) }
	cmd.AddCommand(subcommands...)
	return cmd
}

// AddJSON gives a command the option --json.
func AddJSON(cmd *cobra.Command, value *bool, usage string) {
	cmd.Flags().BoolVar(value, "json", false, usage)
}

// Choices lets the shell complete an option with a few values.
func Choices(cmd *cobra.Command, option string, values ...string) {
	_ = cmd.RegisterFlagCompletionFunc(option, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// CompleteFolders lets the shell complete the names of folders.
func CompleteFolders(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// ErrFound ends a command with the exit code for problems. The command has printed them.
var ErrFound = errors.New("problems were found")

// PrintValue writes a result as JSON for programs, which is safe to show on a terminal.
func (a *App) PrintValue(v any) error {
	text, err := jsonwire.EncodeFile(v)
	if err != nil {
		return err
	}
	_, err = a.Streams.Out.Write(terminal.JSON(text))
	return err
}

// Print writes a result in large pieces.
func (a *App) Print(write func(w io.Writer)) error {
	out := bufio.NewWriter(a.Streams.Out)
	write(out)
	return out.Flush()
}

// release is the version of a released binary, set by the linker.
var release string

// Version returns the release, or the version that the Go tool recorded in the build.
func Version() string {
	if release != "" {
		return release
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// Running runs a project and calls use with it and with a client inside the process. It stops the
// project when use returns. The project has no captures, and only the tools in o.
func (a *App) Running(ctx context.Context, p *project.Project, o project.LiveOptions, use func(context.Context, *project.Live, *protocol.Client) error) error {
	o.NoWatch, o.PDFs.Asked = true, true
	live, err := p.Live(o)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := live.Run(ctx); err != nil {
			cancel(err) // calls would wait forever for the scans
		}
	}()
	err = use(ctx, live, protocol.NewClient(live.Server()))
	cause := context.Cause(ctx)
	cancel(nil)
	<-ended
	if err != nil && cause != nil {
		return cause
	}
	return err
}

// Open opens the project in dir, or the project that the options name. It prints warnings; the
// error contains all mistakes.
func (a *App) Open(ctx context.Context, dir string) (*project.Project, error) {
	return a.openBy(ctx, dir, nil, project.Open)
}

// Locate is Open without compiling the templates; the running project compiles them. With files, dir is the name of a
// project that is not a folder on the disk.
func (a *App) Locate(ctx context.Context, dir string, files project.Files) (*project.Project, error) {
	return a.openBy(ctx, dir, files, project.Locate)
}

func (a *App) openBy(ctx context.Context, dir string, files project.Files, open func(context.Context, project.Options) (*project.Project, jsondoc.Problems, error)) (p *project.Project, err error) {
	o, err := a.ProjectOptions(dir)
	if err != nil {
		return nil, err
	}
	o.Files = files
	var warnings jsondoc.Problems
	err = a.Line.During(terminal.Work{Name: "reading the settings"}, func() (err error) {
		p, warnings, err = open(ctx, o)
		return err
	})
	a.Warn(warnings)
	return p, WordedDocs(err)
}

// ProjectOptions say which project a command means: the one in dir, or the one that the options of
// the program name.
func (a *App) ProjectOptions(dir string) (project.Options, error) {
	o := project.Options{Dir: dir, Config: a.Config, Docs: a.Docs}
	if a.Config != "" {
		if dir != "" {
			return o, Misuse("give either the folder %q or --config %q, not both", dir, a.Config)
		}
	} else if dir == "" {
		o.Dir = a.Project
	}
	return o, nil
}

// WordedDocs names the option in an error about its value.
func WordedDocs(err error) error {
	if wrong, ok := errors.AsType[*project.DocsError](err); ok {
		return fmt.Errorf("--docs %w", wrong)
	}
	return err
}
