package capability

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

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
	write                                    func(*index) string // nil: the statistics, which change with time
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
			all, _ := s.options.Skills.Summaries(context.Background(), k.files) // its context does not end
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
