package cli

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"

	"github.com/spf13/cobra"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
)

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
