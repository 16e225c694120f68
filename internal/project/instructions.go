package project

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/config"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/capability"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/skills"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// maxInstructions is how long the instructions may be, in bytes: common clients cut them there.
const maxInstructions = 2 << 10

// instructions say to a model what is here and which tool to use (MCP, "Lifecycle", instructions):
// what the configuration says, or else the top-level names of the project as they are now, and the
// summary of the capability index if there is one. Nothing below the names is read, and nothing is
// said that is known only later, such as keywords: each session of a project gets the same.
func (p *Project) instructions(c *config.Config, summary bool) string {
	if c.Instructions != "" {
		return c.Instructions
	}
	var b strings.Builder
	fmt.Fprintf(&b, "The files of %s.\n", c.Name)
	var schemes []string
	if names := p.topLevel(c.Docs); len(names) > 0 {
		if c.DocsResources {
			schemes = append(schemes, "docs://")
		}
		fmt.Fprintf(&b, "Documents: %s. Consult the tool %s first for anything about %s: it reads and searches them.\n",
			some(names, 600), docs.ToolName(c.Name, c.Package), c.Name)
	}
	for _, name := range p.topLevel(loader.Resources) {
		if scheme, ok := uri.Scheme(strings.TrimSuffix(name, "/")); ok && strings.HasSuffix(name, "/") && !slices.Contains(schemes, scheme+"://") {
			schemes = append(schemes, scheme+"://")
		}
	}
	if len(schemes) > 0 {
		fmt.Fprintf(&b, "Resources: %s.", some(schemes, 600))
		if c.Tools.Resources {
			b.WriteString(" The tools list_resources and read_resource give them to whoever has tools only.")
		}
		b.WriteByte('\n')
	}
	if names := p.skillFolders(); len(names) > 0 {
		fmt.Fprintf(&b, "Skills: %s below %s://. When one fits the task, read its %s first and follow it.\n", some(names, 300), skills.Scheme, loader.SkillFile)
	}
	if summary {
		fmt.Fprintf(&b, "Read the resource %s first to learn in few tokens what there is.\n", capability.SummaryURI)
	}
	return excerpt.Ellipsis(b.String(), maxInstructions)
}

// skillFolders returns the names of the folders in skills/ that are skills or have some below them,
// each with a slash, sorted.
func (p *Project) skillFolders() []string {
	real, err := walk.Resolve(p.Files, skills.Folder)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(p.topLevel(skills.Folder), func(name string) bool {
		folder, ok := strings.CutSuffix(name, "/")
		return !ok || !p.holdsSkill(path.Join(real, folder), 0)
	})
}

// holdsSkill reports whether a folder, or one in it that is not hidden, has a SKILL.md. It looks as
// deep as an author would put one.
func (p *Project) holdsSkill(dir string, depth int) bool {
	if depth > 5 {
		return false
	}
	var folders []string
	for e, err := range p.Files.Entries(dir) {
		switch {
		case err != nil:
			return false
		case e.Name() == loader.SkillFile:
			return true
		case e.IsDir() && !walk.Hidden(e.Name()):
			folders = append(folders, e.Name())
		}
	}
	return slices.ContainsFunc(folders, func(name string) bool { return p.holdsSkill(path.Join(dir, name), depth+1) })
}

// topLevel returns the names in a folder that are not hidden, folders with a slash, sorted. A
// folder that holds no file is left out, as it is from packages.
func (p *Project) topLevel(dir string) []string {
	real, err := walk.Resolve(p.Files, dir)
	if err != nil {
		return nil
	}
	var names []string
	for e, err := range p.Files.Entries(real) {
		if err != nil {
			return nil
		}
		if name := uri.Display(e.Name()); !walk.Hidden(name) {
			if e.IsDir() {
				if !p.holdsFile(path.Join(real, e.Name())) {
					continue
				}
				name += "/"
			}
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// holdsFile reports whether there is anything but folders below a folder that is not hidden. It
// ends at the first find, before the rest of a large folder is read, and takes a folder that it
// cannot read for one with files.
func (p *Project) holdsFile(dir string) bool {
	for e, err := range p.Files.Entries(dir) {
		if err != nil || !walk.Hidden(e.Name()) && (!e.IsDir() || p.holdsFile(path.Join(dir, e.Name()))) {
			return true
		}
	}
	return false
}

// some joins the first of the names, as many as take that many bytes, and counts the others.
func some(names []string, most int) string {
	n, size := 0, 0
	for n < len(names) && size+len(names[n])+2 <= most {
		size += len(names[n]) + 2
		n++
	}
	list := strings.Join(names[:n], ", ")
	if more := len(names) - n; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return list
}
