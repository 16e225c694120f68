package capability

import (
	"slices"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// A Project is the state of a server at one moment. It is immutable.
type Project struct {
	Name, Version string
	Files         *loader.Catalog
	Library       *docs.Library // nil: not read yet
	Prompts       *prompts.Set  // nil: not read yet
	Tools         []tools.Tool  // in the order of their list
	Skills        []Skill       // by URI
	DocsTool      string        // the name of the tool that reads the documents; "": none
	Indexed       bool          // the library has its search index
}

// A Skill is a folder with instructions.
type Skill struct {
	URI               string // of its SKILL.md
	Name, Description string
	Size              int64 // of SKILL.md, in bytes
}

// ready reports whether the project has been read and indexed.
func (p *Project) ready() bool { return p.Library != nil && p.Indexed && p.Prompts != nil }

// A Type is a type of elements.
type Type string

// The types of elements, in the order of all documents.
const (
	Templates Type = "template"
	Prompts   Type = "prompt"
	Skills    Type = "skill"
	Tools     Type = "tool"
	Documents Type = "document"
	Resources Type = "resource"
)

var types = []Type{Templates, Prompts, Skills, Tools, Documents, Resources}

// Types returns all types, sorted.
func Types() []Type { return slices.Sorted(slices.Values(types)) }

// count returns the number of elements of a type.
func (p *Project) count(t Type) int {
	switch t {
	case Templates:
		return len(p.Files.Templates().Entries())
	case Prompts:
		return len(p.Prompts.Prompts())
	case Skills:
		return len(p.Skills)
	case Tools:
		return len(p.Tools)
	case Documents:
		return p.Library.Len()
	case Resources:
		return p.Files.Len()
	}
	return 0
}
