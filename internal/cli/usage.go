package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
)

// usage writes the part of a command's help that follows its description. It is that of cobra, with
// flags in groups and in lines of a width; 0: lines of any length.
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
	if c.HasAvailableSubCommands() {
		fmt.Fprint(w, "\nAvailable Commands:\n")
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() || sub.Name() == "help" {
				fmt.Fprintf(w, "  %-*s %s\n", sub.NamePadding(), sub.Name(), sub.Short)
			}
		}
	}
	for _, title := range append([]string{""}, command.FlagTitles...) {
		group := pflag.NewFlagSet("", pflag.ContinueOnError)
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if command.FlagTitle(f) == title {
				group.AddFlag(f)
			}
		})
		if title == "" {
			title = "Flags"
		}
		writeFlags(w, title, group, width)
	}
	writeFlags(w, "Global Flags", c.InheritedFlags(), width)
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(w, "\nUse \"%s [command] --help\" for more information about a command.\n", c.CommandPath())
	}
}

func writeFlags(w io.Writer, title string, flags *pflag.FlagSet, width int) {
	if flags.HasAvailableFlags() {
		fmt.Fprintf(w, "\n%s:\n%s\n", title, strings.TrimRight(flags.FlagUsagesWrapped(width), " \n"))
	}
}
