package capability

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
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

// The URIs of the documents.
const (
	Scheme     = "capability-index"
	SummaryURI = Scheme + "://summary"
	FullURI    = Scheme + "://full"
	StatsURI   = Scheme + "://stats"
	Template   = Scheme + "://elements/{type}"
)

// ElementsURI returns the URI of the document that lists the elements of a type.
func ElementsURI(t Type) string { return Scheme + "://elements/" + string(t) }

// A document is a resource of the index.
type document struct {
	name, uri, title, description, mediaType string
	// nil: the statistics, which change with time
	write func(*index) string
}

var documents = func() []document {
	all := []document{
		{"full", FullURI, "Capability index: everything", "Every template, prompt, skill, tool, document and resource with its description, and the links between documents. At most 40,000 tokens.", "text/markdown", (*index).full},
		{"stats", StatsURI, "Capability index: statistics", "Counts, sizes and figures of the search index as JSON. At most 1,000 tokens.", "application/json", nil},
		{"summary", SummaryURI, "Capability index: summary", "What this server has, in numbers: types, topics, newest files, and how to go on. At most 3,000 tokens.", "text/markdown", (*index).summary},
	}
	for _, t := range types {
		all = append(all, document{"elements", ElementsURI(t.Type), "Capability index: " + string(t.Type) + "s", "", "text/markdown", func(x *index) string { return x.list(t.Type) }})
	}
	return all
}()

// A key identifies a state of the project. Documents of equal keys are equal.
type key struct {
	files   *loader.Catalog
	library *docs.Library
	indexed bool
	prompts *prompts.Set
	version int
}

// A snapshot has the documents of one key. It is a [view.Snapshot].
type snapshot struct {
	*view.List            // the listed documents
	elements   *view.List // which are not listed
	key        key
	texts      map[string]func() []byte // by URI, each made once
}

func (s *Source) newSnapshot(k key) *snapshot {
	n := &snapshot{key: k, texts: make(map[string]func() []byte)}
	settings := s.settings
	makeIndex := sync.OnceValue(func() *index {
		x := &index{
			Settings: settings, Name: s.options.Name, Version: s.options.Version, Files: k.files, Library: k.library, Prompts: k.prompts, Indexed: k.indexed, Tools: s.options.Tools(),
		}
		if len(x.Tools) > 0 && x.Tools[0].Name == s.options.DocsTool {
			x.DocsTool = s.options.DocsTool
		}
		if s.options.Skills != nil {
			// its context does not end
			all, _ := s.options.Skills.Summaries(context.Background(), k.files)
			for _, skill := range all {
				x.Skills = append(x.Skills, Skill{skill.Manifest.URI(), skill.Name, skill.Description, skill.Manifest.Size()})
			}
		}
		return x
	})
	var listed, elements []*view.Resource
	priority := 1.0
	for _, d := range documents {
		if !settings.Exposes(d.name) {
			continue
		}
		n.texts[d.uri] = sync.OnceValue(func() []byte {
			s.made.Add(1)
			return []byte(d.write(makeIndex()))
		})
		if d.write == nil {
			n.texts[d.uri] = s.statistics(makeIndex)
		}
		r := &view.Resource{
			URI: d.uri, Name: d.name, Title: d.title, Description: d.description, MIMEType: d.mediaType, Size: -1, Audience: []string{"assistant"}, Priority: &priority,
			Read: func(ctx context.Context, _ func(int) []byte) ([]byte, error) {
				now := s.settled(ctx, n, d.uri)
				s.reads.Add(1)
				return now.texts[d.uri](), nil
			},
		}
		if d.name == "elements" {
			elements = append(elements, r)
		} else {
			listed = append(listed, r)
		}
	}
	n.List, n.elements = view.NewList(listed), view.NewList(elements)
	return n
}

// statistics returns a function that returns the statistics, and makes them again if they are older than the settings allow.
func (s *Source) statistics(makeIndex func() *index) func() []byte {
	var mu sync.Mutex // guards made and data
	var made time.Time
	var data []byte
	since, ttl := time.Now(), s.settings.TTL
	return func() []byte {
		mu.Lock()
		defer mu.Unlock()
		if now := time.Now(); data == nil || now.Sub(made) >= ttl {
			misses := s.made.Add(1)
			made, data = now, makeIndex().statistics(map[string]int64{"hits": s.reads.Load() - misses, "misses": misses, "ageSeconds": int64(now.Sub(since).Seconds())})
		}
		return data
	}
}

// Lookup implements [view.Snapshot]. It finds the elements too.
func (n *snapshot) Lookup(uri string) (*view.Resource, bool) {
	if r, ok := n.List.Lookup(uri); ok {
		return r, true
	}
	return n.elements.Lookup(uri)
}

var elementsTemplate = func() templates.Entry {
	e := templates.Entry{Definition: templates.Definition{
		URITemplate: Template,
		Name:        "Capability index: elements",
		Description: "The elements of a type: resource, document, prompt, skill, tool or template. At most 10,000 tokens.",
		MIMEType:    "text/markdown",
	}}
	var err error
	if e.Template, err = templates.Parse(Template); err != nil {
		panic(err) // it is a constant
	}
	return e
}()

// Templates implements [view.Snapshot].
func (n *snapshot) Templates() []templates.Entry {
	if n.elements.Len() == 0 {
		return nil
	}
	return []templates.Entry{elementsTemplate}
}

// Complete implements [view.Snapshot].
func (n *snapshot) Complete(_ context.Context, _, variable, prefix string, _ map[string]string) (values []string) {
	for _, t := range Types() {
		if variable == "type" && strings.HasPrefix(string(t), strings.ToLower(prefix)) {
			values = append(values, string(t))
		}
	}
	return values
}
