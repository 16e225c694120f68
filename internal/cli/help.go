package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// maxHelp is the number of columns of help on a wider terminal, and in a file.
const maxHelp = 100

// usage writes the part of a command's help that follows its description. It differs from cobra's in two
// points: flags are in groups, and lines have at most width columns.
func usage(w io.Writer, c *cobra.Command, width int) {
	fmt.Fprint(w, "Usage:")
	if c.Runnable() {
		fmt.Fprintf(w, "\n  %s", c.UseLine())
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(w, "\n  %s [command]", c.CommandPath())
	}
	fmt.Fprintln(w)
	if c.HasExample() {
		fmt.Fprintf(w, "\nExamples:\n%s\n", c.Example)
	}
	day := c.HasAvailableSubCommands() && !c.HasParent()
	if day {
		writeCommands(w, c)
	} else if c.HasAvailableSubCommands() {
		fmt.Fprint(w, "\nAvailable Commands:\n")
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() {
				fmt.Fprintf(w, "  %-*s %s\n", sub.NamePadding(), sub.Name(), sub.Short)
			}
		}
	}
	for _, title := range append([]string{""}, command.FlagTitles...) {
		group := pflag.NewFlagSet("", pflag.ContinueOnError)
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if command.FlagTitle(f) == title && (!day || slices.Contains(dayFlags, f.Name)) {
				group.AddFlag(f)
			}
		})
		title = cmp.Or(title, "Flags")
		writeFlags(w, title, group, width)
	}
	writeFlags(w, "Global Flags", globalFlags(c), width)
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(w, "\nUse \"%s [command] --help\" for more information about a command.\n", c.CommandPath())
	}
}

// The commands and flags that the help of the program describes. It only names the other commands. The help of serve and
// of the other commands describes the other flags.
var (
	dayCommands = []string{"serve", "init", "check", "list", "read", "search", "explain", "config"}
	dayFlags    = []string{"config", "docs", "project", "http", "help", "version"}
)

// withoutProject has the commands that read no project, each with the global flags that they read all the same.
var withoutProject = map[string][]string{"store": nil, "man": nil, "completion": nil, "init": {"project"}}

// globalFlags returns the flags of the program that a command reads.
func globalFlags(c *cobra.Command) *pflag.FlagSet {
	top := c
	for top.HasParent() && top.Parent().HasParent() {
		top = top.Parent()
	}
	known, restricted := withoutProject[top.Name()]
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	c.InheritedFlags().VisitAll(func(f *pflag.Flag) {
		if !restricted || slices.Contains(known, f.Name) {
			flags.AddFlag(f)
		}
	})
	return flags
}

func writeCommands(w io.Writer, root *cobra.Command) {
	fmt.Fprint(w, "\nCommands:\n")
	more := ""
	for _, name := range dayCommands {
		if c, _, err := root.Find([]string{name}); err == nil {
			fmt.Fprintf(w, "  %-*s %s\n", c.NamePadding(), c.Name(), c.Short)
		}
	}
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() && !slices.Contains(dayCommands, c.Name()) {
			more += c.Name() + ", "
		}
	}
	fmt.Fprintf(w, "\nMore commands: %s.\nMore flags: \"%s serve --help\".\n", strings.TrimSuffix(more, ", "), root.Name())
}

// optional matches the name of a value that may be left out, as pflag writes it: " KIND[=\"npm,go\"]".
var optional = lazyregexp.New(` [A-Za-z]+\[="?[^\]\n]*\]`)

func writeFlags(w io.Writer, title string, flags *pflag.FlagSet, width int) {
	if flags.HasAvailableFlags() {
		usages := optional().ReplaceAllStringFunc(plain(flags).FlagUsagesWrapped(width), func(found string) string {
			name, _, _ := strings.Cut(found[1:], "[")
			return fmt.Sprintf("%-*s", len(found), "[="+name+"]")
		})
		fmt.Fprintf(w, "\n%s:\n%s\n", title, strings.TrimRight(usages, " \n"))
	}
}

// plain returns the same flags for a list of them: pflag would add "[=true|false]" to each one that needs no value.
func plain(flags *pflag.FlagSet) *pflag.FlagSet {
	list := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.VisitAll(func(f *pflag.Flag) {
		shown := *f
		if f.Value.Type() == "bool" {
			shown.Value = struct{ pflag.Value }{f.Value}
		}
		list.AddFlag(&shown)
	})
	return list
}

func newMan(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:   "man [COMMAND]",
		Short: "Print the manual page of the program or of a command",
		Long: "Print the manual page of the program, or of a command, for the program man. To read it:\n\n" +
			"    mcp-docs-server man serve | man -l -\n\n" +
			"To install it, write it to a folder such as ~/.local/share/man/man1, as mcp-docs-server-serve.1.",
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: completeCommands,
		RunE: func(cmd *cobra.Command, args []string) error {
			found, err := namedCommand(cmd, args)
			if err != nil {
				return err
			}
			_, err = io.WriteString(a.Streams.Out, manPage(found))
			return err
		},
	}
}

// manPage returns the page of a command, in the language of man(7). The generator of cobra treats the
// texts as Markdown, and loses names in angle brackets and the underscores of variables.
func manPage(c *cobra.Command) string {
	c.InitDefaultHelpFlag()
	var b strings.Builder
	name := strings.ReplaceAll(c.CommandPath(), " ", "-")
	fmt.Fprintf(&b, ".TH %q 1 \"\" %q\n", strings.ToUpper(name), "mcp-docs-server "+command.Version())
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(name), roff(c.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", roff(c.UseLine()))
	b.WriteString(".SH DESCRIPTION\n")
	for i, paragraph := range strings.Split(strings.TrimSpace(cmp.Or(c.Long, c.Short)), "\n\n") {
		switch {
		case strings.HasPrefix(paragraph, "    ") || strings.HasPrefix(paragraph, "\t"):
			b.WriteString(".PP\n.nf\n" + roff(paragraph) + "\n.fi\n")
			continue
		case i > 0:
			b.WriteString(".PP\n")
		}
		b.WriteString(roff(paragraph) + "\n")
	}
	for _, part := range []struct{ title, options string }{
		{"OPTIONS", plain(c.LocalFlags()).FlagUsages()}, {"GLOBAL OPTIONS", plain(globalFlags(c)).FlagUsages()},
	} {
		if part.options != "" {
			b.WriteString(".SH " + part.title + "\n.nf\n" + roff(strings.TrimRight(part.options, "\n")) + "\n.fi\n")
		}
	}
	if c.HasAvailableSubCommands() {
		b.WriteString(".SH COMMANDS\n")
	}
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(sub.Name()), roff(sub.Short))
		}
	}
	b.WriteString(".SH EXIT STATUS\n0 on success, 1 if problems were found or the server cannot or may not start, 2 if the command line is invalid, 130 if a command is interrupted.\n")
	return b.String()
}

var roffEscapes = strings.NewReplacer(`\`, `\e`, "-", `\-`)

// roff escapes text for man: a line that begins with a dot or a quote is not a request, and characters
// beyond ASCII are named, because not every man accepts UTF-8.
func roff(text string) string {
	var b strings.Builder
	for i, line := range strings.Split(roffEscapes.Replace(text), "\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			b.WriteString(`\&`)
		}
		for _, r := range line {
			if r < utf8.RuneSelf {
				b.WriteRune(r)
			} else {
				fmt.Fprintf(&b, `\[u%04X]`, r)
			}
		}
	}
	return b.String()
}

// completeCommands completes the names of commands.
func completeCommands(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	parent, rest, err := cmd.Root().Find(args)
	if err != nil || len(rest) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, c := range parent.Commands() {
		if c.IsAvailableCommand() && strings.HasPrefix(c.Name(), typed) {
			names = append(names, cobra.CompletionWithDesc(c.Name(), c.Short))
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// writeVersion prints the version of the program.
func writeVersion(a *command.App) error {
	_, err := fmt.Fprintf(a.Streams.Out, "mcp-docs-server %s\n", command.Version())
	return err
}

func newVersion(a *command.App) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version, or the licences",
		Args:  command.Positional(0, 0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			if all {
				_, err := io.WriteString(a.Streams.Out, bundle.Licences())
				return err
			}
			return writeVersion(a)
		},
	}
	cmd.Flags().BoolVar(&all, "licenses", false, "print the licence of the program and the licences of its dependencies")
	return cmd
}
