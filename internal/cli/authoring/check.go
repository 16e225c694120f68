package authoring

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-docs-server/mcp-docs-server/internal/author/check"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/terminal"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

// checking holds the options of check.
type checking struct {
	format string
	json   bool
	all    bool
	strict bool
}

// formats are the values of --format.
var formats = []string{"text", "github"}

// NewCheck returns the command check.
func NewCheck(shared *command.App) *cobra.Command {
	a := &app{App: shared}
	var o checking
	cmd := &cobra.Command{
		Use:   "check [DIR]",
		Short: "Check a project for problems that clients would hit",
		Long: "Check the project in DIR, or in the current folder: URIs, templates, the targets of links and\n" +
			"anchors, names and sizes, and what publish needs. The exit code is 1 if there are errors.",
		Example: "  mcp-docs-server check\n" +
			"  mcp-docs-server check --strict --format github",
		Args:              command.Positional(0, 1, "at most one folder"),
		ValidArgsFunction: command.CompleteFolders,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(formats, o.format) {
				return command.Misuse("--format is %q, must be one of %s", o.format, strings.Join(formats, ", "))
			}
			if err := command.OneOf(cmd.Flags(), "json", "format"); err != nil {
				return err
			}
			options, err := a.ProjectOptions(command.Arg(args, 0))
			if err != nil {
				return err
			}
			options.Dependencies = a.dependencies
			root := cmp.Or(options.Dir, ".")
			if options.Config != "" {
				root = filepath.Dir(options.Config)
			}
			start := time.Now()
			report, err := terminal.Progress(a.Line, terminal.Work{Name: "checking"}, func() (*check.Report, error) { return project.Check(cmd.Context(), options) })
			if err != nil {
				return command.WordedDocs(err)
			}
			return a.printReport(report, root, time.Since(start), o)
		},
	}
	flags := cmd.Flags()
	a.addDependencies(cmd)
	flags.StringVar(&o.format, "format", "text", "the `FORMAT` of the findings: "+strings.Join(formats, ", ")+"; github writes annotations for a workflow on GitHub")
	command.AddJSON(cmd, &o.json, "print the findings as JSON")
	flags.BoolVar(&o.strict, "strict", false, "end with the exit code 1 if there are warnings, too")
	flags.BoolVar(&o.all, "all", false, "print every finding of a rule, not the first ten")
	command.Choices(cmd, "format", formats...)
	return cmd
}

// printReport prints a report, and returns [command.ErrFound] if it has problems.
func (a *app) printReport(r *check.Report, root string, took time.Duration, c checking) error {
	var err error
	switch {
	case c.json:
		shown := *r
		shown.Findings = slices.Clone(r.Findings)
		for i := range shown.Findings {
			shown.Findings[i].File = uri.Display(shown.Findings[i].File)
			shown.Findings[i].Message = uri.Display(shown.Findings[i].Message)
		}
		err = a.PrintValue(shown)
	case c.format == "github":
		err = a.Print(func(w io.Writer) { annotate(w, r, root) })
	default:
		err = a.Print(func(w io.Writer) {
			listing := findings{terminal.Of(a.Streams.Out), w, root, maxFindings}
			if c.all {
				listing.most = len(r.Findings)
			}
			listing.write(r, took)
		})
	}
	if err == nil && (r.Errors > 0 || c.strict && r.Warnings > 0) {
		err = command.ErrFound
	}
	return err
}

// inWorkspace returns a path as annotations need it: relative to the folder of the repository, which
// GitHub names in a variable, or else to the current folder, if the path is in it.
func inWorkspace(name string) string {
	// "" is the current folder
	workspace, err := filepath.Abs(os.Getenv("GITHUB_WORKSPACE"))
	if abs, absErr := filepath.Abs(name); err == nil && absErr == nil {
		if below, err := filepath.Rel(workspace, abs); err == nil && filepath.IsLocal(below) {
			return below
		}
	}
	return name
}

// annotate prints findings as commands of a workflow on GitHub, which shows them at their lines
// (GitHub, "Workflow commands").
func annotate(w io.Writer, r *check.Report, root string) {
	for _, f := range r.Findings {
		command := string(f.Severity)
		if f.Severity == check.Note {
			command = "notice"
		}
		var properties []string
		if f.File != "" {
			properties = append(properties, "file="+property(filepath.ToSlash(inWorkspace(filepath.Join(root, filepath.FromSlash(f.File))))))
			if f.Line > 0 {
				properties = append(properties, fmt.Sprintf("line=%d", f.Line))
			}
			if f.Line > 0 && f.Column > 0 {
				properties = append(properties, fmt.Sprintf("col=%d", f.Column))
			}
		}
		properties = append(properties, "title="+property(string(f.Rule)))
		message := f.Message
		if f.URI != "" && !strings.Contains(message, f.URI) {
			message += " (" + f.URI + ")"
		}
		if f.Fix != "" {
			message += "; to do: " + f.Fix
		}
		fmt.Fprintf(w, "::%s %s::%s\n", command, strings.Join(properties, ","), data(message))
	}
}

// data escapes the message of a workflow command, and property the value of one of its properties,
// so that neither ends the line nor begins another command.
func data(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(terminal.OneLine(s))
}

func property(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(terminal.OneLine(s))
}

// maxFindings is the maximum number of findings of a rule that are printed without --all.
const maxFindings = 10

// findings prints a report as text: the worst findings first, by rule.
type findings struct {
	terminal.Output
	w    io.Writer
	root string
	most int // of a rule
}

func (l findings) write(r *check.Report, took time.Duration) {
	for from := 0; from < len(r.Findings); {
		first := r.Findings[from]
		to := from
		for to < len(r.Findings) && r.Findings[to].Rule == first.Rule && r.Findings[to].Severity == first.Severity {
			to++
		}
		l.rule(r.Findings[from:to])
		from = to
	}
	if _, details, found := strings.Cut(r.Sites, ", "); found {
		fmt.Fprintln(l.w, terminal.OneLine(details)) // the languages and versions
	}
	if _, left, some := strings.Cut(r.Served, " not: "); some {
		fmt.Fprintln(l.w, "left out: "+terminal.OneLine(left))
	}
	problems := command.Enumerate(command.Tally{N: r.Errors, Noun: "error"}, command.Tally{N: r.Warnings, Noun: "warning"}, command.Tally{N: r.Notes, Noun: "note"})
	served := command.Enumerate(command.Tally{N: r.Resources, Noun: "resource"}, command.Tally{N: r.Documents, Noun: "document"}, command.Tally{N: r.Prompts, Noun: "prompt"})
	summary := fmt.Sprintf("%s in %s; checked in %v", cmp.Or(problems, "no problems"), cmp.Or(served, "no files"), took.Round(time.Millisecond))
	switch {
	case r.Errors > 0:
		summary = l.Bad(summary)
	case r.Warnings > 0:
		summary = l.Warning(summary)
	default:
		summary = l.Good(summary)
	}
	fmt.Fprintln(l.w, summary)
}

// rule prints the findings of one rule.
func (l findings) rule(some []check.Finding) {
	rule := some[0].Rule
	head := string(some[0].Severity)
	switch some[0].Severity {
	case check.Error:
		head = l.Bad(head)
	case check.Warning:
		head = l.Warning(head)
	}
	fmt.Fprintf(l.w, "%s: %s (%s, %d)\n", head, l.Bold(rule.Title()), rule, len(some))
	for i, f := range some[:min(len(some), l.most)] {
		text := terminal.OneLine(f.Message)
		if f.URI != "" && !strings.Contains(f.Message, f.URI) {
			text += " (" + terminal.OneLine(f.URI) + ")"
		}
		if f.File != "" {
			text = command.Place(filepath.Join(l.root, filepath.FromSlash(f.File)), f.Line, f.Column) + ": " + text
		}
		fmt.Fprint(l.w, l.Indented("  ", "    ", text))
		if f.Fix != "" && (i+1 == min(len(some), l.most) || some[i+1].Fix != f.Fix) {
			fmt.Fprint(l.w, l.Indented("  "+l.Faint("to do:")+" ", "    ", terminal.OneLine(f.Fix)))
		}
	}
	if more := len(some) - l.most; more > 0 {
		fmt.Fprintf(l.w, "  and %d more; --all prints them\n", more)
	}
	fmt.Fprintln(l.w)
}
