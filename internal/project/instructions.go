package project

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
	"github.com/mcp-docs-server/mcp-docs-server/internal/mcp/server"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/config"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/capability"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/skills"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// maxInstructions is how long the instructions may be, in bytes. Common clients cut them there.
const maxInstructions = 1000

// maxLooked is how many names of a folder the instructions look at: a client waits for them.
const maxLooked = 4000

// instructions returns the instructions for a session that begins. It waits for nothing.
func (l *Live) instructions(context.Context) string {
	s := l.settings.Load()
	return l.project.instructions(s, l.features(s).Summary)
}

// instructions returns the instructions for a model (MCP, "Lifecycle", instructions): what the server has and which tool
// to use. The text is the one in the configuration, or else it names the folders of the documentation and of resources, the
// skills, and the summary of the capability index, if there is one. It has no text of a document.
func (p *Project) instructions(s *Settings, summary bool) string {
	c := &s.Config
	if text := []rune(c.Instructions); len(text) > config.MaxInstructions {
		return string(text[:config.MaxInstructions-1]) + "…"
	} else if len(text) > 0 {
		return c.Instructions
	}
	var b strings.Builder
	fmt.Fprintf(&b, "The documentation and files of %s. Consult the tool %s first for anything about it: it searches and reads them.\n",
		cmp.Or(excerpt.Quote(c.Name), "this project"), tools.DocsName(c.Name, c.Package))
	if names := quoted(p.folders(cmp.Or(c.Docs, "docs"))); len(names) > 0 && c.Docs != "." {
		fmt.Fprintf(&b, "Folders of the documentation: %s.\n", some(names, 250))
	}
	resources := p.schemes()
	if c.DocsResources && !slices.Contains(resources, "docs://") {
		resources = slices.Insert(resources, 0, "docs://")
	}
	if len(resources) > 0 {
		fmt.Fprintf(&b, "Resources: %s.", some(resources, 200))
		if c.Tools.Resources {
			b.WriteString(" The tools list_resources and read_resource read them for clients that support only tools.")
		}
		b.WriteByte('\n')
	}
	if names := quoted(p.folders(skills.Folder)); len(names) > 0 {
		fmt.Fprintf(&b, "The project offers skills: %s below %s://. When one fits the task, read its %s first.\n", some(names, 150), skills.Scheme, loader.SkillFile)
	}
	if summary {
		fmt.Fprintf(&b, "Read the resource %s first: it lists in few tokens what this server has.\n", capability.SummaryURI)
	}
	return excerpt.Ellipsis(b.String(), maxInstructions)
}

func quoted(names []string) []string {
	for i, name := range names {
		names[i] = excerpt.Quote(name)
	}
	return names
}

// hasFiles reports whether there may be resources, by the names of folders, or captures that are searched.
func (l *Live) hasFiles() bool {
	c := &l.settings.Load().Config
	return c.DocsResources || c.Search.Captures && len(l.searched.captures) > 0 || len(l.project.schemes()) > 0 || len(l.project.folders(skills.Folder)) > 0
}

// schemes returns the schemes that have a folder, each with "://".
func (p *Project) schemes() (schemes []string) {
	for _, name := range p.folders(loader.Resources) {
		if scheme, ok := uri.Scheme(strings.TrimSuffix(name, "/")); ok && !slices.Contains(schemes, scheme+"://") {
			schemes = append(schemes, scheme+"://")
		}
	}
	return schemes
}

// folders returns the names of the folders in a folder that are not hidden, each with a slash, sorted.
func (p *Project) folders(dir string) (names []string) {
	real, err := walk.Resolve(p.Files, dir)
	if err != nil {
		return nil
	}
	left := maxLooked
	for e, err := range walk.Entries(p.Files, real) {
		if left--; err != nil || left < 0 {
			break
		}
		if name := uri.Display(e.Name()); e.IsDir() && !walk.Hidden(name) {
			names = append(names, name+"/")
		}
	}
	slices.Sort(names)
	return names
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

// openIndex makes the source of the capability index, which is empty while the index is off.
func (l *Live) openIndex() {
	c := &l.project.Config
	l.index = capability.New(capability.Options{
		Name: c.Name, Version: c.Version, Files: l.catalog, Documents: l.documents, Prompts: l.prompts,
		// the server keeps the name that it has at its start
		Tools: func() []tools.Tool { return l.server.Tools() }, DocsTool: tools.DocsName(c.Name, c.Package),
		Skills: l.skills, Settings: l.indexSettings(c), Patience: time.Second,
	})
}

// indexSettings returns the settings of the capability index.
func (l *Live) indexSettings(c *config.Config) capability.Settings {
	on := c.Index.On
	if l.options.Index != nil {
		on = *l.options.Index
	}
	return capability.Settings{On: on, Expose: c.Index.Expose, TTL: c.Index.MaxAge()}
}

// features returns which features of a server are on, including the capability index and the dependencies.
func (l *Live) features(s *Settings) server.Features {
	f := s.features()
	f.Summary = l.indexSettings(&s.Config).Exposes("summary")
	ecosystems, _ := l.options.Dependencies.chosen(s)
	f.Dependencies = len(ecosystems) > 0
	return f
}
