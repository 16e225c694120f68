package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
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
		if title == "" {
			title = "Flags"
		}
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
