package command

import (
	"fmt"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/skills"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// summarize prints what is served.
func (a *App) summarize(p *project.Project, s project.Scanned) {
	var kinds []string
	for _, kind := range []struct {
		n    int
		noun string
	}{{s.Resources, "resource"}, {s.Documents, "document"}, {s.Prompts, "prompt"}} {
		if kind.n > 0 {
			kinds = append(kinds, Count(kind.n, kind.noun))
		}
	}
	if len(kinds) > 0 {
		a.Say("%s: serving %s from %s (read in %v)", Printable(p.Config.Name), Enumerate(kinds), Printable(p.Place()), s.Took.Round(time.Millisecond))
	} else {
		if !s.Dependencies {
			a.Nothing(p, s.Contents)
		}
		return
	}
	if _, details, found := strings.Cut(s.Sites, ", "); found {
		a.Say("%s", Printable(details)) // the language and the version
	}
	if _, left, some := strings.Cut(s.Served, " not: "); some {
		a.Say("left out: %s", Printable(left))
	}
	a.misplaced(p, s.Contents)
}

// Nothing prints that a project has no files to serve, and the folders for them.
func (a *App) Nothing(p *project.Project, s project.Contents) {
	a.Say("%s has nothing to serve yet: no resources in %s, no Markdown in %s, no prompts in %s and no skills in %s",
		Printable(p.Place()), loader.Resources+"/<scheme>/", s.Docs+"/", prompts.Folder+"/", skills.Folder+"/")
	if s.Served != "" {
		a.Say("%s", Printable(s.Served))
	}
	if p.Docs == "" && (!p.Config.DocsGiven || s.Served != "") {
		a.Say("if your documents are in another folder, name it: --docs FOLDER, such as --docs .")
	}
	a.Say("to serve other files as resources, put them below %[1]s/SCHEME/HOST/: those in %[1]s/acme/subs/ are acme://subs/...", loader.Resources)
	a.misplaced(p, s)
}

// misplaced prints that the folder of the resources has files, but no resources.
func (a *App) misplaced(p *project.Project, s project.Contents) {
	if _, err := p.Files.Stat(loader.Resources); err == nil && s.Resources == 0 {
		a.Say("%s contains no files that are served: put them into folders such as %s", p.Show(loader.Resources), loader.Resources+"/config/")
	}
}

// Enumerate returns "a", "a and b", "a, b and c".
func Enumerate(items []string) string {
	last := len(items) - 1
	if last == 0 {
		return items[0]
	}
	return fmt.Sprintf("%s and %s", strings.Join(items[:last], ", "), items[last])
}
