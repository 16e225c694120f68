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
		all = append(all, document{"elements", ElementsURI(t), "Capability index: " + string(t) + "s", "", "text/markdown", func(x *index) string { return x.list(t) }})
	}
	return all
}()

// An index makes the documents of a project.
type index struct {
	Project
	exposes func(document string) bool
	census  func() *census // taken once
}

func newIndex(p Project, exposes func(string) bool) *index {
	x := &index{Project: p, exposes: exposes}
	x.census = sync.OnceValue(x.takeCensus)
	return x
}

// list returns the elements of a type.
func (x *index) list(t Type) string {
	verb := "are"
	if x.count(t) == 1 {
		verb = "is"
	}
	s := x.elements(t)
	s.head = "\n"
	return layOut(MaxElements, x.head(string(t)+"s", "There "+verb+" "+plural(x.count(t), string(t))+"."), s)
}

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
	source     *Source
	settings   Settings
	key        key
	since      time.Time
	index      func() *index            // made once
	texts      map[string]func() []byte // by URI, each made once

	mu        sync.Mutex // guards the fields below
	stats     []byte
	statsTime time.Time
}

func (s *Source) newSnapshot(k key) *snapshot {
	n := &snapshot{source: s, settings: s.settings, key: k, since: time.Now(), texts: make(map[string]func() []byte)}
	n.index = sync.OnceValue(func() *index {
		p := Project{
			Name: s.options.Name, Version: s.options.Version, Files: k.files, Library: k.library, Prompts: k.prompts, Indexed: k.indexed, Tools: s.options.Tools(),
		}
		if len(p.Tools) > 0 && p.Tools[0].Name == s.options.DocsTool {
			p.DocsTool = s.options.DocsTool
		}
		if s.options.Skills != nil {
			all, _ := s.options.Skills.Summaries(context.Background(), k.files) // its context does not end
			for _, skill := range all {
				p.Skills = append(p.Skills, Skill{skill.Manifest.URI(), skill.Name, skill.Description, skill.Manifest.Size()})
			}
		}
		return newIndex(p, n.settings.Exposes)
	})
	var listed, elements []*view.Resource
	priority := 1.0
	for _, d := range documents {
		if !n.settings.Exposes(d.name) {
			continue
		}
		r := &view.Resource{
			URI: d.uri, Name: d.name, Title: d.title, Description: d.description, MIMEType: d.mediaType, Size: -1, Audience: []string{"assistant"}, Priority: &priority,
			Read: func(ctx context.Context, _ func(int) []byte) ([]byte, error) { return s.settled(ctx, n).read(d.uri) },
		}
		if d.name == "elements" {
			elements = append(elements, r)
		} else {
			listed = append(listed, r)
		}
		if d.write != nil {
			n.texts[d.uri] = sync.OnceValue(func() []byte {
				s.made.Add(1)
				return []byte(d.write(n.index()))
			})
		}
	}
	n.List, n.elements = view.NewList(listed), view.NewList(elements)
	return n
}

// read returns a document.
func (n *snapshot) read(uri string) ([]byte, error) {
	n.source.reads.Add(1)
	if text := n.texts[uri]; text != nil {
		return text(), nil
	}
	return n.statistics()
}

// statistics returns the statistics, and makes them again if they are older than the settings allow.
func (n *snapshot) statistics() ([]byte, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := time.Now()
	if n.stats != nil && now.Sub(n.statsTime) < n.settings.TTL {
		return n.stats, nil
	}
	made := n.source.made.Add(1)
	s := n.index().figures()
	s.Cache = map[string]int64{"hits": n.source.reads.Load() - made, "misses": made, "ageSeconds": int64(now.Sub(n.since).Seconds())}
	data, err := s.encode()
	if err != nil {
		return nil, err
	}
	n.stats, n.statsTime = data, now
	return data, nil
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
	if variable != "type" {
		return nil
	}
	for _, t := range Types() {
		if strings.HasPrefix(string(t), strings.ToLower(prefix)) {
			values = append(values, string(t))
		}
	}
	return values
}
