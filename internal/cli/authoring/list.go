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
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/nearest"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

// A list holds the options of list.
type list struct {
	kind               string // of listKinds; "": resources, or with a pattern also documents and prompts
	all                bool   // documents of every language and version
	hidden, long, json bool

	pattern *glob.Glob // nil: all
}

type listKind struct {
	name  string
	items func(*app, context.Context, *project.Project, *list) ([]listed, error)
}

// listKinds holds the kinds of things that can be listed. A pattern without a kind looks at the first three.
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
		Use:        "list [resources|docs|prompts|tools|skills] [PATTERN] [DIR]",
		SuggestFor: []string{"ls", "dir"},
		Short:      "Print the resources, documents, prompts, tools or skills",
		Long: "Print the URIs of the resources, or the paths of the documents, or the names of the prompts, tools\n" +
			"or skills. PATTERN is a glob that they must match, such as docs://guide/** or '*.md'. Without a\n" +
			"kind, it looks at resources, documents and prompts. For a folder with the name of a kind, write\n" +
			"./docs.",
		Example: "  mcp-docs-server list docs\n" +
			"  mcp-docs-server list 'docs://**'\n" +
			"  mcp-docs-server list --hidden",
		Args:              command.Positional(0, 3, "at most the kind of things, a pattern and a folder"),
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
	flags.BoolVar(&l.hidden, "hidden", false, "list what is not served, and the rule that hides it")
	flags.BoolVar(&l.all, "all", false, "list the documents of every language and version")
	command.AddJSON(cmd, &l.json, "print the list as JSON")
	return cmd
}

// read reads the arguments and returns the folder. An argument names the folder if it exists as a folder
// or has no special characters of a pattern.
func (l *list) read(flags *pflag.FlagSet, args []string) (dir string, err error) {
	if err := command.OneOf(flags, "long", "json"); err != nil {
		return "", err
	}
	if len(args) > 0 && slices.Contains(kindNames(), args[0]) {
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
		if near, ok := nearest.One(dir, append(kindNames(), "documents")); ok && l.kind == "" {
			if _, err := os.Stat(dir); err != nil {
				return "", command.Misuse(fmt.Sprintf("%q is neither a folder nor a kind of things; did you mean \"list %s\"?", dir, strings.Replace(near, "documents", "docs", 1)))
			}
		}
	}
	if pattern != "" {
		if l.pattern, err = glob.Parse(pattern); err != nil {
			return "", command.Misuse(fmt.Sprintf("the pattern %q is %v", pattern, err))
		}
	}
	return dir, nil
}

// kindNames returns the names of listKinds.
func kindNames() (names []string) {
	for _, kind := range listKinds {
		names = append(names, kind.name)
	}
	return names
}

// isPattern reports whether an argument is a pattern, and not a folder.
func isPattern(arg string) bool {
	if info, err := os.Stat(arg); err == nil && info.IsDir() {
		return false
	}
	return strings.Contains(arg, "://") || strings.ContainsAny(arg, "*?[{")
}

// wants reports whether the list includes an item with this name. A pattern without a slash matches the last part of the name.
func (l *list) wants(name string) bool {
	base := name[strings.LastIndexByte(name, '/')+1:]
	return l.pattern == nil || l.pattern.Match(name) || l.pattern.Match(uri.Decode(name)) || l.pattern.Match(uri.Decode(base))
}

func (a *app) list(ctx context.Context, p *project.Project, l *list) error {
	kinds, resources := listKinds[:1], !l.hidden && (l.kind == "" || l.kind == listKinds[0].name)
	if i := slices.Index(kindNames(), l.kind); l.hidden {
		kinds = []listKind{{"", (*app).listedHidden}}
	} else if i >= 0 {
		kinds = listKinds[i : i+1]
	} else if l.pattern != nil {
		kinds = listKinds[:3]
	}
	var found []listed
	err := a.Line.During(command.Reading(p), func() error {
		for _, kind := range kinds {
			items, err := kind.items(a, ctx, p, l)
			if err != nil {
				return err
			}
			found = append(found, items...)
		}
		return nil
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
	if err != nil || l.hidden || l.pattern != nil || len(found) > 0 {
		return err
	}
	return a.other(ctx, p, resources)
}
