package authoring

import (
	"cmp"
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
	kind               string // of listKinds
	all                bool   // documents of every language and version
	hidden, long, json bool

	pattern *glob.Glob // nil: all
}

type listKind struct {
	name  string
	items func(*app, context.Context, *project.Project, *list) ([]listed, error)
}

// listKinds holds the kinds of things that can be listed.
var listKinds = []listKind{
	{"resources", (*app).listedResources},
	{"docs", (*app).listedDocuments},
	{"prompts", (*app).listedPrompts},
	{"tools", (*app).listedTools},
	{"skills", (*app).listedSkills},
}

// NewList returns the command list.
func NewList(shared *command.App) *cobra.Command {
	a := &app{App: shared}
	l := &list{}
	cmd := &cobra.Command{
		Use:   "list [resources|docs|prompts|tools|skills] [PATTERN] [DIR]",
		Short: "Print the resources, documents, prompts, tools or skills",
		Long: "Print the URIs of the resources, or the paths of the documents, or the names of the prompts, tools or skills.\n" +
			"PATTERN is a glob that they must match, such as docs://guide/** or '*.md'. For a folder with the name of a kind, write ./docs.",
		Example: "  mcp-docs-server list docs\n" +
			"  mcp-docs-server list 'docs://**'\n" +
			"  mcp-docs-server list --hidden",
		Args:              command.Positional(0, 3, "at most the kind of things, a pattern and a folder"),
		ValidArgsFunction: a.completePattern,
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := l.read(cmd.Flags(), args)
			if old := l.old(cmd.Flags()); old != "" {
				a.Say("write \"list %s\": list --%[1]s works in this release only", old)
			}
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
	flags.BoolVar(&l.hidden, "hidden", false, "list what is not served, and the rule that hides it")
	flags.BoolVar(&l.all, "all", false, "list the documents of every language and version")
	for _, kind := range listKinds[1:] {
		flags.Bool(kind.name, false, "")
		_ = flags.MarkHidden(kind.name)
	}
	command.AddJSON(cmd, &l.json, "print the list as JSON")
	// list --docs has listed documents; the letter -d means the same as for other commands.
	flags.StringVarP(&a.Docs, "docs-folder", "d", "", "the `DIR` with the Markdown documents, in the project folder; other commands call this --docs")
	return cmd
}

// old returns the kind of things that an option names, as commands were written before the kind was an argument, or "".
func (l *list) old(flags *pflag.FlagSet) string {
	for _, kind := range listKinds[1:] {
		if flags.Changed(kind.name) {
			return kind.name
		}
	}
	return ""
}

// read reads the arguments and returns the folder. An argument names the folder if it exists as a folder
// or has no special characters of a pattern.
func (l *list) read(flags *pflag.FlagSet, args []string) (dir string, err error) {
	kinds := []string{"hidden"}
	l.kind = cmp.Or(l.old(flags), listKinds[0].name)
	for _, kind := range listKinds[1:] {
		kinds = append(kinds, kind.name)
	}
	for _, names := range [][]string{kinds, {"long", "json"}} {
		if err := command.OneOf(flags, names...); err != nil {
			return "", err
		}
	}
	if len(args) > 0 && slices.ContainsFunc(listKinds, func(k listKind) bool { return k.name == args[0] }) {
		l.kind, args = args[0], args[1:]
	}
	if len(args) > 2 {
		return "", command.Misuse(fmt.Sprintf("%s is not a kind of things to list", args[0]))
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
	items, resources := (*app).listedHidden, !l.hidden && l.kind == listKinds[0].name
	for _, kind := range listKinds {
		if !l.hidden && kind.name == l.kind {
			items = kind.items
		}
	}
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
	if err == nil && l.pattern != nil && len(found) == 0 {
		a.Say("nothing matches the pattern")
	}
	switch {
	case err != nil || l.hidden || l.pattern != nil:
		return err
	case len(found) == 0:
		return a.other(ctx, p, resources)
	case resources:
		return a.leftOut(ctx, p)
	}
	return nil
}
