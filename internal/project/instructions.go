package project

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/capability"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/skills"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// maxInstructions is how long the instructions may be, in bytes. Common clients cut them there.
const maxInstructions = 2 << 10

// instructionsWait is how long a session waits for the documents, which its instructions describe. A thousand documents
// are listed by then. A person waits for the first answer, and the description of the tool has the same topics later.
const instructionsWait = 300 * time.Millisecond

// instructions returns the instructions for a model (MCP, "Lifecycle", instructions): what the server has and which tool
// to use. The text is the one in the configuration, or else it describes the documents, the folders of resources and the
// skills, and names the summary of the capability index, if there is one. library is nil as long as its documents are being read.
func (p *Project) instructions(s *Settings, library *docs.Library, summary bool) string {
	c := &s.Config
	if c.Instructions != "" {
		return c.Instructions
	}
	name, tool := c.Name, docs.ToolName(c.Name, c.Package)
	if !s.Configured {
		name = cmp.Or(library.Name(), name)
	}
	var b strings.Builder
	var schemes []string
	if library.Len() > 0 {
		fmt.Fprintf(&b, "The documentation of %s. Consult the tool %s first for anything about %[1]s: it searches and reads the documents. %[3]s\n", name, tool, library.Overview())
		if c.DocsResources {
			schemes = append(schemes, "docs://")
		}
	} else {
		fmt.Fprintf(&b, "The files of %s.", name)
		if library == nil {
			fmt.Fprintf(&b, " Consult the tool %s first for anything about %s: it searches them.", tool, name)
		}
		b.WriteByte('\n')
	}
	for _, name := range p.topLevel(loader.Resources) {
		if scheme, ok := uri.Scheme(strings.TrimSuffix(name, "/")); ok && strings.HasSuffix(name, "/") && !slices.Contains(schemes, scheme+"://") {
			schemes = append(schemes, scheme+"://")
		}
	}
	if len(schemes) > 0 {
		fmt.Fprintf(&b, "Resources: %s.", some(schemes, 600))
		if library.Len() == 0 && library.HasTexts() {
			fmt.Fprintf(&b, " Consult the tool %s first for anything about %s: it finds text in them.", tool, name)
		}
		if c.Tools.Resources {
			b.WriteString(" The tools list_resources and read_resource read them for clients that support only tools.")
		}
		b.WriteByte('\n')
	}
	if names := p.skillFolders(); len(names) > 0 {
		fmt.Fprintf(&b, "Skills: %s below %s://. When one fits the task, read its %s first and follow it.\n", some(names, 300), skills.Scheme, loader.SkillFile)
	}
	if summary {
		fmt.Fprintf(&b, "Read the resource %s first: it lists in few tokens what this server has.\n", capability.SummaryURI)
	}
	return excerpt.Ellipsis(b.String(), maxInstructions)
}

// skillFolders returns the names of the folders in skills/ that are skills or contain some, each
// with a slash, sorted.
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

// topLevel returns the names in a folder that are not hidden, sorted, folders with a slash. Folders
// without files are left out, as they are from packages.
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

// holdsFile reports whether a folder contains a file outside hidden folders. It stops at the first
// one, so it does not read a large folder to its end. A folder that cannot be read counts as one
// with files.
func (p *Project) holdsFile(dir string) bool {
	for e, err := range p.Files.Entries(dir) {
		if err != nil || !walk.Hidden(e.Name()) && (!e.IsDir() || p.holdsFile(path.Join(dir, e.Name()))) {
			return true
		}
	}
	return false
}

// some joins as many of the first names as fit into most bytes, and counts the others.
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
