package authoring

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/author/check"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/terminal"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/webaccess"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/skills"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

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
		} else if item.Class = site.Main.String(); l.json { // a named folder is served as it is
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
