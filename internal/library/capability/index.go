package capability

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// An index makes the documents about a server at one moment. It does not change.
type index struct {
	Settings
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

// A Type is a type of elements.
type Type string

// The types of elements.
const (
	Templates Type = "template"
	Prompts   Type = "prompt"
	Skills    Type = "skill"
	Tools     Type = "tool"
	Documents Type = "document"
	Resources Type = "resource"
)

// types are the types in the order of all documents, with the weights and introductions of their sections in the full index, and the
// methods that list them.
var types = []struct {
	Type
	weight      int
	title, text string
	method      string
}{
	{Templates, 2, "Templates", "URI templates of resources.", "resources/templates/list"},
	{Prompts, 2, "Prompts", "For `prompts/get`, with their arguments.", "prompts/list"},
	{Skills, 2, "Skills", "Instructions to follow; read the URI.", ""},
	{Tools, 1, "Tools", "For `tools/call`.", "tools/list"},
	{Documents, 4, "Documents", "", ""},
	{Resources, 4, "Resources", "For `resources/read`.", "resources/list"},
}

// Types returns all types, sorted.
func Types() (all []Type) {
	for _, t := range types {
		all = append(all, t.Type)
	}
	slices.Sort(all)
	return all
}

// bytes returns the size of all elements of a type, or 0 for types without sizes.
func (x *index) bytes(t Type) (sum int64) {
	switch t {
	case Documents:
		for _, d := range x.Library.Documents() {
			sum += d.Size
		}
	case Resources:
		for r := range x.Files.All() {
			sum += r.Size()
		}
	}
	return sum
}

// figures returns the figures of the search index.
func (x *index) figures() (f docs.Figures) {
	if x.Indexed {
		f = x.Library.Figures()
	}
	return f
}

// stats are the statistics of capability-index://stats.
type stats struct {
	Project map[string]string `json:"project"`
	Ready   bool              `json:"ready"` // the project has been read and indexed
	Counts  map[Type]int      `json:"counts"`
	Bytes   map[string]int64  `json:"bytes"`
	Search  map[string]int    `json:"search"`
	// Cache says how often clients have read a document that was made before (hits), how often documents were made
	// (misses), and when the project last changed. nil: the statistics depend only on the project.
	Cache map[string]int64 `json:"cache,omitempty"`
}

// statistics makes capability-index://stats.
func (x *index) statistics(cache map[string]int64) []byte {
	counts := make(map[Type]int)
	for _, t := range types {
		counts[t.Type] = x.elements(t.Type).count
	}
	f := x.figures()
	return stats{
		map[string]string{"name": line(x.Name, maxTitle), "version": line(x.Version, maxTitle)},
		x.Library != nil && x.Indexed && x.Prompts != nil,
		counts,
		map[string]int64{"documents": x.bytes(Documents), "resources": x.bytes(Resources)},
		map[string]int{"documents": f.Documents, "passages": f.Passages, "words": f.Words, "stems": f.Terms},
		cache,
	}.encode()
}

// encode returns the statistics as indented JSON.
func (s stats) encode() []byte {
	data, _ := json.MarshalIndent(s, "", "  ")
	return append(data, '\n')
}

// Lasting returns statistics without the figures about a running server.
func Lasting(statistics []byte) ([]byte, error) {
	var s stats
	err := json.Unmarshal(statistics, &s)
	s.Cache = nil
	return s.encode(), err
}

// head returns the beginning of each document: the title, and which parts are not known yet.
func (x *index) head(title, text string) string {
	s := fmt.Sprintf("# %s: %s\n\nVersion %s. %s\n", prose(x.Name, maxTitle), title, prose(x.Version, maxTitle), text)
	switch {
	case x.Library == nil || x.Prompts == nil:
		s += "\nThe project is still being read: documents or prompts are missing here. This resource is updated when they are known.\n"
	case !x.Indexed:
		s += "\nThe documents are still being indexed: the figures of the search index are missing here. This resource is updated when they are known.\n"
	}
	return s
}

// list makes the document that lists the elements of a type.
func (x *index) list(t Type) string {
	s, verb := x.elements(t), "are"
	if s.count == 1 {
		verb = "is"
	}
	s.head = "\n"
	return layOut(MaxElements, x.head(string(t)+"s", "There "+verb+" "+plural(s.count, string(t))+"."), s)
}
