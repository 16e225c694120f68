package authoring

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/glob"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

// A list holds the options of list.
type list struct {
	all        bool    // documents of every language and version
	kinds      [5]bool // of listKinds
	long, json bool

	pattern *glob.Glob // nil: all
}

// listKinds holds the kinds of things that can be listed instead of the resources.
var listKinds = [...]struct {
	option, usage string
	items         func(*app, context.Context, *project.Project, *list) ([]listed, error)
}{
	{"docs", "list the paths of the documents; their folder is given by --docs-folder here", (*app).listedDocuments},
	{"prompts", "list the names of the prompts", (*app).listedPrompts},
	{"tools", "list the names of the tools", (*app).listedTools},
	{"hidden", "list what is not served, and the rule that hides it", (*app).listedHidden},
	{"skills", "list the names of the skills", (*app).listedSkills},
}

// NewList returns the command list.
func NewList(shared *command.App) *cobra.Command {
	a := &app{App: shared}
	l := &list{}
	cmd := &cobra.Command{
		Use:   "list [PATTERN] [DIR]",
		Short: "Print the URI of every resource",
		Long: "Print the URIs of the resources, or with an option the documents, prompts, tools, skills or hidden files.\n" +
			"PATTERN is a glob that URIs, paths or names must match, such as docs://guide/** or '*.md'.",
		Example: "  mcp-docs-server list 'docs://**'\n" +
			"  mcp-docs-server list --hidden",
		Args:              command.Positional(0, 2, "at most a pattern and a folder"),
		ValidArgsFunction: a.completePattern,
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := l.read(cmd.Flags(), args)
			if err != nil {
				return err
			}
			p, err := a.Open(cmd.Context(), dir)
			if err != nil {
				return err
			}
			defer p.Close()
			return a.list(cmd.Context(), p, l)
		},
	}
	flags := cmd.Flags()
	flags.BoolVarP(&l.long, "long", "l", false, "also print the size in bytes, time of the last change, MIME type, template, title and description")
	for i, kind := range listKinds {
		flags.BoolVar(&l.kinds[i], kind.option, false, kind.usage)
	}
	flags.BoolVar(&l.all, "all", false, "list documents of every language and version, with --docs")
	command.AddJSON(cmd, &l.json, "print the list as JSON")
	// For list, --docs lists documents; the letter -d means the same as for other commands.
	flags.StringVarP(&a.Docs, "docs-folder", "d", "", "the `DIR` with the Markdown documents, in the project folder; other commands call this --docs")
	return cmd
}

// read reads the arguments and returns the folder. An argument names the folder if it exists as a folder
// or has no special characters of a pattern.
func (l *list) read(flags *pflag.FlagSet, args []string) (dir string, err error) {
	var kinds []string
	for _, kind := range listKinds {
		kinds = append(kinds, kind.option)
	}
	for _, names := range [][]string{kinds, {"long", "json"}} {
		if err := command.OneOf(flags, names...); err != nil {
			return "", err
		}
	}
	pattern := ""
	switch {
	case len(args) == 2:
		pattern, dir = args[0], args[1]
	case len(args) == 1 && isPattern(args[0]):
		pattern = args[0]
	case len(args) == 1:
		dir = args[0]
	}
	if pattern != "" {
		if l.pattern, err = glob.Parse(pattern); err != nil {
			return "", command.Misuse(fmt.Sprintf("the pattern %q is %v", pattern, err))
		}
	}
	return dir, nil
}

// isPattern reports whether an argument is a pattern, and not a folder.
func isPattern(arg string) bool {
	if info, err := os.Stat(arg); err == nil && info.IsDir() {
		return false
	}
	return strings.Contains(arg, "://") || strings.ContainsAny(arg, "*?[{")
}

// wants reports whether the list includes an item with this name.
func (l *list) wants(name string) bool {
	return l.pattern == nil || l.pattern.Match(name) || l.pattern.Match(uri.Decode(name))
}

func (a *app) list(ctx context.Context, p *project.Project, l *list) error {
	items := (*app).listedResources
	resources := true
	for i, kind := range listKinds {
		if l.kinds[i] {
			items, resources = kind.items, false
		}
	}
	p.Loader.Visit = func(string) { a.Line.Add(1) }
	var found []listed
	err := a.Line.During(command.Reading(p), func() (err error) {
		found, err = items(a, ctx, p, l)
		return err
	})
	if err != nil {
		return err
	}
	found = slices.DeleteFunc(found, func(f listed) bool { return !l.wants(f.name) })
	if l.json {
		return a.PrintValue(append([]listed{}, found...))
	}
	err = a.Print(func(w io.Writer) {
		for _, f := range found {
			switch {
			case f.Rule != "":
				fmt.Fprintln(w, f.showHidden(p))
			case l.long:
				fmt.Fprintln(w, f.long())
			default:
				fmt.Fprintln(w, command.Printable(f.name))
			}
		}
	})
	switch {
	case err != nil || !resources || l.pattern != nil:
		return err
	case len(found) > 0:
		return a.leftOut(ctx, p)
	}
	return a.other(ctx, p)
}
