package authoring

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/author/check"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/terminal"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/webaccess"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/skills"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
)

func (a *app) listedResources(ctx context.Context, p *project.Project, l *list) ([]listed, error) {
	catalog, err := p.Scan(ctx)
	if err != nil {
		return nil, err
	}
	a.Notices(p, catalog.Notices())
	type resource struct {
		URI         string    `json:"uri"`
		File        string    `json:"file"`
		Size        int64     `json:"size"`
		ModTime     time.Time `json:"modTime"`
		MIMEType    string    `json:"mimeType"`
		Template    string    `json:"template,omitempty"`
		Title       string    `json:"title,omitempty"`
		Description string    `json:"description,omitempty"`
	}
	var out []listed
	for r := range catalog.All() {
		if !l.wants(r.URI(), r.ModTime) {
			continue
		}
		item := listed{name: r.URI()}
		switch {
		case l.long:
			item.long = longLine(catalog, r)
		case l.json:
			v := resource{URI: r.URI(), File: uri.Display(r.LogicalPath()), Size: r.Size(), ModTime: r.ModTime(), MIMEType: catalog.MIME(r)}
			if entry, ok := r.Template(); ok {
				v.Template = catalog.Templates().Entries()[entry].URITemplate
			}
			about := catalog.About(r)
			v.Title, v.Description = about.Title, about.Description
			item.value = v
		}
		out = append(out, item)
	}
	others, err := a.others(ctx, p, catalog)
	if err != nil {
		return nil, err
	}
	return withOthers(out, others, l), nil
}

// infoOf returns the size and time of a file of the project. It follows links.
func infoOf(p *project.Project, name string) (size int64, modified time.Time) {
	real, err := walk.Resolve(p.Files, name)
	if err != nil {
		return 0, time.Time{}
	}
	info, err := fs.Stat(p.Files, real)
	if err != nil {
		return 0, time.Time{}
	}
	return info.Size(), info.ModTime().UTC()
}

func (a *app) listedDocuments(ctx context.Context, p *project.Project, l *list) ([]listed, error) {
	library, err := p.Documents(ctx)
	if err != nil {
		return nil, err
	}
	type document struct {
		Path     string    `json:"path"`
		File     string    `json:"file"`
		Title    string    `json:"title,omitempty"`
		URL      string    `json:"url,omitempty"`
		Language string    `json:"language,omitempty"`
		Version  string    `json:"version,omitempty"`
		Size     int64     `json:"size"`
		ModTime  time.Time `json:"modTime"`
	}
	documents := library.Documents()
	if l.all {
		documents = library.All()
	}
	var out []listed
	for _, d := range documents {
		if !l.wants(d.Path, func() time.Time { return d.ModTime }) {
			continue
		}
		v := document{Path: uri.Display(d.Path), File: uri.Display(d.File()), Size: d.Size, ModTime: d.ModTime}
		if page := d.Page(); page != nil {
			v.Title, v.URL, v.Language, v.Version = page.Title, page.URL, page.Language(), page.Version()
		} else if l.json {
			v.Title = d.Facts().Title
		}
		long := fmt.Sprintf("%12d  %s  %s", d.Size, d.ModTime.Format(time.RFC3339), command.Printable(d.Path))
		if v.Title != "" {
			long += fmt.Sprintf("  title=%q", v.Title)
		}
		out = append(out, listed{name: d.Path, long: long, value: v})
	}
	return out, nil
}

func (a *app) listedPrompts(ctx context.Context, p *project.Project, l *list) ([]listed, error) {
	set, err := p.Prompts(ctx)
	if err != nil {
		return nil, err
	}
	type prompt struct {
		Name        string   `json:"name"`
		File        string   `json:"file"`
		Title       string   `json:"title"`
		Description string   `json:"description,omitempty"`
		Arguments   []string `json:"arguments"`
	}
	var out []listed
	for _, found := range set.Prompts() {
		if !l.wants(found.Name, func() time.Time { _, modified := infoOf(p, found.File); return modified }) {
			continue
		}
		v := prompt{uri.Display(found.Name), uri.Display(found.File), found.Title, found.Description, []string{}}
		for _, argument := range found.Arguments {
			v.Arguments = append(v.Arguments, argument.Name)
		}
		long := fmt.Sprintf("%s  title=%q", command.Printable(found.Name), found.Title)
		if len(v.Arguments) > 0 {
			long += "  arguments=" + strings.Join(v.Arguments, ",")
		}
		out = append(out, listed{name: found.Name, long: long + shortened(found.Description), value: v})
	}
	return out, nil
}

// shortened returns a description on one line, or "".
func shortened(description string) string {
	if description = excerpt.Ellipsis(excerpt.OneLine(description), maxShown); description == "" {
		return ""
	}
	return fmt.Sprintf("  description=%q", description)
}

func (a *app) listedTools(ctx context.Context, p *project.Project, l *list) ([]listed, error) {
	library, err := p.Documents(ctx)
	if err != nil {
		return nil, err
	}
	access, err := webaccess.Open(webaccess.Options{Listed: true}, command.NewLogger(a.Streams.Err), p)
	if err != nil {
		return nil, err
	}
	defer access.Close()
	web, err := access.Project(ctx, p)
	if err != nil {
		return nil, err
	}
	defer web.Close()
	live, err := p.Live(project.LiveOptions{NoWatch: true, Tools: web.Tools})
	if err != nil {
		return nil, err
	}
	defer live.Close()
	live.Server().SetLibrary(library)
	type tool struct {
		Name        string `json:"name"`
		Title       string `json:"title,omitempty"`
		Description string `json:"description"`
	}
	var out []listed
	for _, t := range live.Server().Tools() {
		if l.wants(t.Name, nil) {
			out = append(out, listed{name: t.Name, long: t.Name + shortened(t.Description), value: tool{t.Name, t.Title, t.Description}})
		}
	}
	return out, nil
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
		problems[i].File, problems[i].Warning = p.Show(problems[i].File), true
	}
	a.Warn(problems)
	type skill struct {
		Name        string `json:"name"`
		URI         string `json:"uri"`
		File        string `json:"file"`
		Description string `json:"description"`
		Files       int    `json:"files"`
		Size        int64  `json:"size"`
	}
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
		if !l.wants(entry.Name, r.ModTime) {
			continue
		}
		v := skill{entry.Name, entry.URI, uri.Display(r.LogicalPath()), entry.Description, len(entry.Files), 0}
		for _, f := range entry.Files {
			v.Size += f.Size
		}
		long := fmt.Sprintf("%s  %s  files=%d  size=%d", entry.Name, entry.URI, v.Files, v.Size)
		out = append(out, listed{name: entry.Name, long: long + shortened(entry.Description), value: v})
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
	var out []listed
	for _, h := range hidden {
		if !l.wants(h.Path, nil) {
			continue
		}
		long := fmt.Sprintf("%s  %s: %s", command.Printable(p.Show(h.Path)), h.Rule, h.Reason)
		if h.Detail != "" {
			long += ": " + terminal.Line(h.Detail)
		}
		name := h.Path
		h.Path, h.Detail = uri.Display(h.Path), uri.Display(h.Detail)
		out = append(out, listed{name: name, long: long, value: h})
	}
	return out, nil
}
