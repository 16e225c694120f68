package command

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/author/clients"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/skills"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// summarize prints what is served.
func (a *App) summarize(p *project.Project, s project.Scanned) {
	served := Enumerate(Tally{s.Resources, "resource"}, Tally{s.Documents, "document"}, Tally{s.Prompts, "prompt"})
	_, classes, mixed := strings.Cut(s.Served, " (")
	classes, _, _ = strings.Cut(classes, ")")
	mixed = mixed && strings.Contains(classes, " main, ")
	if documents := Count(s.Documents, "document"); mixed && s.Sites == "" {
		served = strings.Replace(served, documents, documents+" ("+classes+")", 1)
	}
	if served != "" {
		a.Say("%s: serving %s from %s (read in %v)", Printable(p.Config.Name), served, Printable(p.Place()), s.Took.Round(time.Millisecond))
	} else {
		if !s.Dependencies {
			a.Nothing(p, s.Contents)
		}
		return
	}
	if _, details, found := strings.Cut(s.Sites, ", "); found {
		if mixed {
			details += "; in all languages and versions: " + classes
		}
		a.Say("%s", Printable(details)) // the language and the version
	}
	a.LeftOut(s.Served)
	a.misplaced(p, s.Contents)
}

// LeftOut prints which Markdown is not served, and how many other files there are, by the line that says how much is served.
func (a *App) LeftOut(served string) {
	_, rest, _ := strings.Cut(served, "; ")
	for part := range strings.SplitSeq(rest, "; ") {
		if _, left, some := strings.Cut(part, " not: "); some {
			part = "left out: " + left
		}
		if part != "" {
			a.Say("%s", Printable(part))
		}
	}
}

// Nothing prints that a project has no files to serve, and the folders for them.
func (a *App) Nothing(p *project.Project, s project.Contents) {
	markdown := "Markdown"
	if p.Docs != "" || p.Config.DocsGiven {
		markdown += " in " + Printable(s.Docs) + "/"
	}
	a.Say("%s has nothing to serve yet: no resources in %s, no %s, no prompts in %s and no skills in %s",
		Printable(p.Place()), loader.Resources+"/<scheme>/", markdown, prompts.Folder+"/", skills.Folder+"/")
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

// A Tally says how many there are of something.
type Tally struct {
	N    int
	Noun string
}

// Enumerate lists numbers, except for 0: "1 error and 2 notes".
func Enumerate(numbers ...Tally) string {
	var items []string
	for _, n := range numbers {
		if n.N > 0 {
			items = append(items, Count(n.N, n.Noun))
		}
	}
	if last := len(items) - 1; last > 0 {
		return strings.Join(items[:last], ", ") + " and " + items[last]
	}
	return strings.Join(items, "")
}

// Count returns a number with its noun.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Printable returns a path for a terminal: quoted if it contains unprintable characters.
func Printable(path string) string {
	for _, r := range path {
		if r == utf8.RuneError || !strconv.IsPrint(r) {
			return strconv.Quote(path)
		}
	}
	return path
}

// Place returns a place in a file, FILE:LINE:COLUMN, without parts that are 0.
func Place(path string, line, column int) string {
	place := Printable(path)
	for _, n := range []int{line, column} {
		if n <= 0 {
			break
		}
		place += fmt.Sprintf(":%d", n)
	}
	return place
}

// ServerName returns a name in the form and length that clients require for a server.
func ServerName(s string) string {
	name := cmp.Or(bundle.Slug(s), "docs")
	return strings.Trim(name[:min(len(name), clients.MaxName)], "-")
}
