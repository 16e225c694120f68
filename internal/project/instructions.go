package project

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/config"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/media"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/capability"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/skills"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// maxInstructions is how long the instructions may be, in bytes. Common clients cut them there.
const maxInstructions = 1000

// instructionsWait is how long a session waits for the documents, which its instructions describe. A thousand documents
// are listed by then. A person waits for the first answer, and the description of the tool has the same topics later.
const instructionsWait = 300 * time.Millisecond

// maxLooked is how many files in a folder the instructions look at, by their names, to say that it has texts or a skill.
const maxLooked = 1000

// instructions returns the instructions for a session that begins. It does not wait for the resources, which may be very many.
func (l *Live) instructions(ctx context.Context) string {
	var library *docs.Library
	s := l.settings.Load()
	if s.Config.Instructions == "" {
		ctx, cancel := context.WithTimeout(ctx, instructionsWait)
		defer cancel()
		library, _ = l.searched.documents.Load(ctx)
	}
	return l.project.instructions(s, library, l.found.Load(), l.features(s).Summary)
}

// instructions returns the instructions for a model (MCP, "Lifecycle", instructions): what the server has and which tool
// to use. The text is the one in the configuration, or else it describes the documents, the folders of resources and the
// skills, and names the summary of the capability index, if there is one. library is nil as long as its documents are being read;
// found, if not nil, is the name of their sites, or "".
func (p *Project) instructions(s *Settings, library *docs.Library, found *string, summary bool) string {
	c := &s.Config
	if text := []rune(c.Instructions); len(text) > config.MaxInstructions {
		return string(text[:config.MaxInstructions-1]) + "…"
	} else if len(text) > 0 {
		return c.Instructions
	}
	name, tool := c.Name, docs.ToolName(c.Name, c.Package)
	if !c.NameGiven {
		if of := library.Name(); library != nil {
			name = cmp.Or(of, name)
		} else if found != nil && *found != "" {
			name = *found
		} else {
			name = cmp.Or(docs.NameIn(p.docFiles(s)), name)
		}
	}
	name = cmp.Or(excerpt.Quote(name), "this project")
	var b strings.Builder
	resources, texts := p.schemes(anyFile), false
	if library.Len() > 0 || library == nil && found != nil {
		fmt.Fprintf(&b, "The documentation of %s. Consult the tool %s first for anything about %[1]s: it searches and reads the documents. %[3]s\n", name, tool,
			cmp.Or(library.Overview(), "They are still being read; the description of the tool says what they are about."))
		if c.DocsResources && !slices.Contains(resources, "docs://") {
			resources = slices.Insert(resources, 0, "docs://")
		}
	} else {
		fmt.Fprintf(&b, "The files of %s.", name)
		if library == nil {
			fmt.Fprintf(&b, " Consult the tool %s first for anything about %s: it searches them.", tool, name)
		}
		b.WriteByte('\n')
		texts = library != nil && len(p.schemes(mayBeText)) > 0
	}
	if len(resources) > 0 {
		fmt.Fprintf(&b, "Resources: %s.", some(resources, 200))
		if texts {
			fmt.Fprintf(&b, " Consult the tool %s first for anything about %s: it finds text in them.", tool, name)
		}
		if c.Tools.Resources {
			b.WriteString(" The tools list_resources and read_resource read them for clients that support only tools.")
		}
		b.WriteByte('\n')
	}
	if names := p.folders(skills.Folder, func(name string) bool { return name == loader.SkillFile }); len(names) > 0 {
		for i, name := range names {
			names[i] = excerpt.Quote(name)
		}
		fmt.Fprintf(&b, "The project offers skills: %s below %s://. When one fits the task, read its %s first.\n", some(names, 150), skills.Scheme, loader.SkillFile)
	}
	if summary {
		fmt.Fprintf(&b, "Read the resource %s first: it lists in few tokens what this server has.\n", capability.SummaryURI)
	}
	return excerpt.Ellipsis(b.String(), maxInstructions)
}

func anyFile(string) bool { return true }

// mayBeText reports whether a file may be a text by its name: it does not name a picture, an archive, or the like.
func mayBeText(name string) bool {
	mime, _ := media.ByName(name)
	return docs.Searchable(mime)
}

// schemes returns the schemes with at least one resource whose name matches, each with "://".
func (p *Project) schemes(match func(name string) bool) (schemes []string) {
	for _, name := range p.folders(loader.Resources, match) {
		if scheme, ok := uri.Scheme(strings.TrimSuffix(name, "/")); ok && !slices.Contains(schemes, scheme+"://") {
			schemes = append(schemes, scheme+"://")
		}
	}
	return schemes
}

// folders returns the names of the folders in a folder that hold a match, each with a slash, sorted.
func (p *Project) folders(dir string, match func(name string) bool) (names []string) {
	real, err := walk.Resolve(p.Files, dir)
	if err != nil {
		return nil
	}
	for e, err := range p.Files.Entries(real) {
		if err != nil {
			return nil
		}
		if name := uri.Display(e.Name()); e.IsDir() && !walk.Hidden(name) && p.holds(path.Join(real, e.Name()), match, new(maxLooked)) {
			names = append(names, name+"/")
		}
	}
	slices.Sort(names)
	return names
}

// holds reports whether a file in a folder, outside hidden folders, has a name that is a match. It stops at the first match,
// and after left other files, so it does not read a large folder to its end.
func (p *Project) holds(dir string, match func(name string) bool, left *int) bool {
	var folders []string
	for e, err := range p.Files.Entries(dir) {
		switch {
		case err != nil || *left == 0:
			return false
		case walk.Hidden(e.Name()):
		case e.IsDir():
			folders = append(folders, e.Name())
		case match(e.Name()):
			return true
		default:
			*left--
		}
	}
	return slices.ContainsFunc(folders, func(name string) bool { return p.holds(path.Join(dir, name), match, left) })
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
