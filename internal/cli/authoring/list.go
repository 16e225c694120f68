package authoring

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mcp-docs-server/mcp-docs-server/internal/author/check"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/terminal"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/webaccess"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/skills"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/glob"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/nearest"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

// A list holds the options of list.
type list struct {
	// of listKinds; "": resources, or with a pattern also documents and prompts
	kind               string
	all                bool // documents of every language and version
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
		Long: "Print the URIs of the resources, the paths of the documents, or the names of the prompts, tools\n" +
			"or skills. PATTERN is a glob such as docs://guide/** or '*.md'. Without a kind, it looks at\n" +
			"resources, documents and prompts. For a folder with the name of a kind, write ./docs.",
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
		return "", command.Misuse("%s is not a kind of things to list", args[0])
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
				return "", command.Misuse("%q is neither a folder nor a kind of things; did you mean \"list %s\"?", dir, strings.Replace(near, "documents", "docs", 1))
			}
		}
	}
	if pattern != "" {
		if l.pattern, err = glob.Parse(pattern); err != nil {
			return "", command.Misuse("the pattern %q is %v", pattern, err)
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

// A listed is one thing in a list. Each kind of things has some of these fields.
type listed struct {
	name string // a URI, a path or a name, as the project has it

	URI         string    `json:"uri,omitempty"`
	Path        string    `json:"path,omitempty"`
	Name        string    `json:"name,omitempty"`
	File        string    `json:"file,omitempty"`
	Title       string    `json:"title,omitempty"`
	Description string    `json:"description,omitempty"`
	Language    string    `json:"language,omitempty"`
	Version     string    `json:"version,omitempty"`
	Class       string    `json:"class,omitempty"` // of a document: main, other or last
	Arguments   []string  `json:"arguments,omitzero"`
	Files       int       `json:"files,omitempty"`
	Size        *int64    `json:"size,omitempty"`
	ModTime     time.Time `json:"modTime,omitzero"`
	MIMEType    string    `json:"mimeType,omitempty"`
	Template    string    `json:"template,omitempty"`
	Rule        string    `json:"rule,omitempty"`
	Reason      string    `json:"reason,omitempty"`
	Detail      string    `json:"detail,omitempty"`
	Fix         string    `json:"fix,omitempty"`
}

// maxShown is the maximum size of a description in a line, in bytes.
const maxShown = 100

// long returns the line of a thing in a long list.
func (l *listed) long() string {
	var b strings.Builder
	if l.Size != nil && !l.ModTime.IsZero() {
		fmt.Fprintf(&b, "%12d  %s  ", *l.Size, l.ModTime.Format(time.RFC3339))
	}
	b.WriteString(command.Printable(l.name))
	if l.MIMEType != "" {
		b.WriteString("  " + terminal.OneLine(l.MIMEType))
	}
	address := l.URI
	if address == l.name {
		address = ""
	}
	for _, part := range [][2]string{{"uri", address}, {"template", l.Template}, {"title", l.Title}, {"arguments", strings.Join(l.Arguments, ",")}, {"description", l.Description}} {
		if value := excerpt.Ellipsis(excerpt.OneLine(part[1]), maxShown); value != "" {
			fmt.Fprintf(&b, "  %s=%q", part[0], value)
		}
	}
	return b.String()
}

func (a *app) listedResources(ctx context.Context, p *project.Project, l *list) ([]listed, error) {
	catalog, err := p.Scan(ctx)
	if err != nil {
		return nil, err
	}
	a.Warnings(p, catalog.Warnings())
	var out []listed
	for r := range catalog.All() {
		item := listed{name: r.URI()}
		if l.long || l.json {
			about, size := catalog.Metadata(r), r.Size()
			item.URI, item.File, item.Size, item.ModTime = r.URI(), uri.Display(r.LogicalPath()), &size, r.ModTime()
			item.MIMEType, item.Title, item.Description = catalog.MIME(r), about.Title, about.Description
			if entry, ok := r.Template(); ok {
				item.Template = catalog.Templates().Entries()[entry].URITemplate
			}
		}
		out = append(out, item)
	}
	return a.withOthers(ctx, p, catalog, out)
}

func (a *app) listedDocuments(ctx context.Context, p *project.Project, l *list) ([]listed, error) {
	library, err := p.Documents(ctx)
	if err != nil {
		return nil, err
	}
	if served := library.Served(); served != "" && !l.json && l.pattern == nil {
		a.Say("%s", command.Printable(served))
	}
	documents := library.Documents()
	if l.all {
		documents = library.All()
	}
	var out []listed
	for _, d := range documents {
		item := listed{name: d.Path, Path: uri.Display(d.Path), File: uri.Display(d.File()), Size: &d.Size, ModTime: d.ModTime}
		if page := d.Page(); page != nil {
			item.Class = page.Class.String()
			item.Title, item.Language, item.Version = page.Title, page.Language(), page.Version()
		} else if item.Class = site.Main.String(); l.json {
			item.Title = d.Metadata().Title
		}
		out = append(out, item)
	}
	return out, nil
}

func (a *app) listedPrompts(ctx context.Context, p *project.Project, l *list) ([]listed, error) {
	set, err := p.Prompts(ctx)
	if err != nil {
		return nil, err
	}
	a.warn(p, set.Problems())
	var out []listed
	for _, found := range set.Prompts() {
		item := listed{name: found.Name, Name: uri.Display(found.Name), File: uri.Display(found.File), Title: found.Title, Description: found.Description, Arguments: []string{}}
		for _, argument := range found.Arguments {
			item.Arguments = append(item.Arguments, argument.Name)
		}
		out = append(out, item)
	}
	return out, nil
}

func (a *app) listedTools(ctx context.Context, p *project.Project, l *list) (out []listed, err error) {
	err = a.serving(ctx, p, &webaccess.Options{Listed: true}, func(ctx context.Context, s session) error {
		tools, err := toolsOf(ctx, s)
		for _, t := range tools {
			out = append(out, listed{name: t.Name, Name: t.Name, Title: t.Title, Description: t.Description})
		}
		return err
	})
	return out, err
}

func (a *app) listedSkills(ctx context.Context, p *project.Project, l *list) ([]listed, error) {
	catalog, err := p.Scan(ctx)
	if err != nil {
		return nil, err
	}
	reader := skills.NewReader()
	problems, err := reader.Problems(ctx, catalog)
	if err != nil {
		return nil, err
	}
	for i := range problems {
		problems[i].Warning = true
	}
	a.warn(p, problems)
	var out []listed
	for r := range catalog.Skills("") {
		entry, _, err := reader.Read(ctx, catalog, r)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			if _, invalid := errors.AsType[*skills.InvalidError](err); !invalid {
				a.SayWarning(fmt.Sprintf("warning: %s: %v", command.Printable(p.Show(r.LogicalPath())), err))
			}
			continue
		}
		size := int64(0)
		for _, f := range entry.Files {
			size += f.Size
		}
		out = append(out, listed{
			name: entry.Name, Name: entry.Name, URI: entry.URI, File: uri.Display(r.LogicalPath()), Description: entry.Description, Files: len(entry.Files), Size: &size,
		})
	}
	return out, nil
}

func (a *app) listedHidden(ctx context.Context, p *project.Project, l *list) ([]listed, error) {
	library, err := p.Documents(ctx)
	if err != nil {
		return nil, err
	}
	hidden, err := check.Hidden(ctx, check.Project{
		Files: p.Files, Config: p.Config, ConfigText: p.Source.Config, Templates: p.Source.Templates, Options: p.Loader, Library: library,
	})
	if err != nil {
		return nil, err
	}
	if _, others, some := strings.Cut(library.Served(), "; other files"); some && !l.json && l.pattern == nil {
		a.Say("other files%s", others)
	}
	var out []listed
	for _, h := range hidden {
		out = append(out, listed{name: h.Path, Path: uri.Display(h.Path), Rule: h.Rule, Reason: h.Reason, Detail: uri.Display(h.Detail), Fix: h.Fix})
	}
	return out, nil
}

// showHidden returns the line of a file that is not served.
func (l *listed) showHidden(p *project.Project) string {
	line := fmt.Sprintf("%s  %s: %s", command.Printable(p.Show(l.name)), l.Rule, l.Reason)
	if l.Detail != "" {
		line += ": " + terminal.OneLine(l.Detail)
	}
	return line
}
