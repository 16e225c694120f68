package authoring

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/glob"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

// A list holds the options of list.
type list struct {
	all              bool    // documents of every language and version
	kinds            [5]bool // of listKinds
	long, json, tree bool
	since            string

	pattern *glob.Glob // nil: all
	after   time.Time
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

// A listed is one line of a list.
type listed struct {
	name  string // a URI, a path or a name
	long  string // the line with --long
	value any    // the JSON
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
		Example: "  mcp-docs-server list 'docs://**' --changed 7d\n" +
			"  mcp-docs-server list --hidden",
		Args:              command.Positional(0, 2, "at most a pattern and a folder"),
		ValidArgsFunction: a.completePattern,
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := l.read(args)
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
	flags.BoolVar(&l.tree, "tree", false, "print a tree")
	for i, kind := range listKinds {
		flags.BoolVar(&l.kinds[i], kind.option, false, kind.usage)
	}
	flags.BoolVar(&l.all, "all", false, "list documents of every language and version, with --docs")
	flags.StringVar(&l.since, "changed", "", "list only items that changed `SINCE` a time: 90m, 24h, 7d, 2026-01-31 or 2026-01-31T12:00:00Z")
	command.AddJSON(cmd, &l.json, "print the list as JSON")
	// For list, --docs lists documents; the letter -d means the same as for other commands.
	flags.StringVarP(&a.Docs, "docs-folder", "d", "", "the `DIR` with the Markdown documents, in the project folder; other commands call this --docs")
	return cmd
}

// read reads the arguments and returns the folder. An argument names the folder if it exists as a folder
// or has no special characters of a pattern.
func (l *list) read(args []string) (dir string, err error) {
	kinds, forms := 0, 0
	for _, given := range l.kinds {
		if given {
			kinds++
		}
	}
	for _, given := range []bool{l.tree, l.long, l.json} {
		if given {
			forms++
		}
	}
	if kinds > 1 || forms > 1 {
		return "", command.Misuse("list takes one of --docs, --prompts, --tools, --skills and --hidden, and one of --tree, --long and --json")
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
	if l.since != "" {
		if l.after, err = sinceOf(l.since, time.Now()); err != nil {
			return "", command.Misuse(fmt.Sprintf("--changed is %q: %v", l.since, err))
		}
	}
	if l.since != "" && (l.kinds[2] || l.kinds[3]) {
		return "", command.Misuse("--changed is about resources, documents, prompts and skills; leave it out with --tools and --hidden")
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

var errSince = errors.New(`write a time such as 90m, 24h or 7d, or a date such as 2026-01-31 or 2026-01-31T12:00:00Z`)

// sinceOf returns the time that --changed names: a duration before now, or a date.
func sinceOf(s string, now time.Time) (time.Time, error) {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		if n, err := strconv.ParseUint(days, 10, 16); err == nil {
			return now.AddDate(0, 0, -int(n)), nil
		}
	}
	if d, err := time.ParseDuration(s); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	if t, err := time.ParseInLocation(time.DateOnly, s, now.Location()); err == nil {
		return t, nil
	}
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return t, nil
	}
	return time.Time{}, errSince
}

// wants reports whether the list includes an item with this name and time.
func (l *list) wants(name string, modified func() time.Time) bool {
	if l.pattern != nil && !l.pattern.Match(name) && !l.pattern.Match(uri.Decode(name)) {
		return false
	}
	return l.after.IsZero() || modified().After(l.after)
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
	switch {
	case l.json:
		values := make([]any, len(found))
		for i, f := range found {
			values[i] = f.value
		}
		return a.PrintValue(values)
	case l.tree:
		return a.Print(func(w io.Writer) { printTree(w, found) })
	}
	err = a.Print(func(w io.Writer) {
		for _, f := range found {
			if l.long || l.kinds[3] { // hidden files are always listed with their rule
				fmt.Fprintln(w, f.long)
			} else {
				fmt.Fprintln(w, command.Printable(f.name))
			}
		}
	})
	if err != nil || len(found) > 0 || !resources || l.pattern != nil || l.since != "" {
		return err
	}
	return a.other(ctx, p)
}

// printTree prints names as a tree of their segments.
func printTree(w io.Writer, found []listed) {
	var above []string
	for _, f := range found {
		scheme, rest, ok := strings.Cut(f.name, "://")
		var names []string
		if ok {
			names = append(names, scheme+"://")
		} else {
			rest = f.name
		}
		parts := strings.Split(rest, "/")
		for i, name := range parts {
			if i < len(parts)-1 {
				name += "/"
			}
			if name != "" {
				names = append(names, name)
			}
		}
		same := 0
		for same < len(above) && same < len(names)-1 && above[same] == names[same] {
			same++
		}
		for i, name := range names[same:] {
			fmt.Fprintf(w, "%s%s\n", strings.Repeat("  ", same+i), command.Printable(name))
		}
		above = names
	}
}
