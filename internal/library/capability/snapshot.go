package capability

import (
	"context"
	"hash/maphash"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

// A key identifies a state of the project. Documents of equal keys are equal.
type key struct {
	files      *loader.Catalog
	library    *docs.Library
	indexed    bool
	prompts    *prompts.Set
	generation int
}

// A snapshot has the documents of one key. It is a [view.Snapshot].
type snapshot struct {
	*view.List
	source   *Source
	settings Settings
	key      key
	since    time.Time
	index    func() *Index // makes the index at its first call

	mu    sync.Mutex     // guards pages
	pages map[Page]*once // pages that were read, at most maxPages

	statsTurn chan struct{} // holds a value unless a caller makes the statistics; guards the fields below
	stats     Text
	statsTime time.Time
}

// Snapshot implements [view.Source].
func (s *Source) Snapshot(files *loader.Catalog, _ string) view.Snapshot {
	if now := s.current(files); now != nil {
		return now
	}
	return nil
}

// current returns the snapshot of the current state of the project, or nil if the index is off.
func (s *Source) current(files *loader.Catalog) *snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.settings.On {
		return nil
	}
	k := key{files: files, library: s.options.Documents.Peek(), prompts: s.options.Prompts.Peek(), generation: s.generation}
	k.indexed = k.library != nil && k.library.Indexed()
	if s.last == nil || s.last.key != k || s.last.settings != s.settings {
		s.last = s.newSnapshot(k, s.settings)
	}
	return s.last
}

func (s *Source) newSnapshot(k key, settings Settings) *snapshot {
	n := &snapshot{source: s, settings: settings, key: k, since: time.Now(), pages: make(map[Page]*once), statsTurn: make(chan struct{}, 1)}
	n.statsTurn <- struct{}{}
	n.index = sync.OnceValue(func() *Index {
		offer := s.options.Offer()
		p := Project{
			Name: s.options.Name, Version: s.options.Version, Files: k.files, Library: k.library, Prompts: k.prompts,
			Tools: offer.Tools, DocsTool: offer.DocsTool, ResourceTools: offer.ResourceTools, Configuration: offer.Configuration,
		}
		if s.options.Skills != nil {
			p.Skills = s.options.Skills(k.files)
		}
		return newIndex(p, settings.Exposed, k.indexed)
	})
	n.List = view.NewList(n.resources())
	return n
}

// A listing is a document that is listed if it is exposed.
type listing struct {
	exposed                             bool
	name, title, description, mediaType string
	bound                               int // tokens
	get                                 getter
}

func (l listing) uri() string { return Scheme + "://" + l.name }

// listings returns the documents, by URI.
func (e Exposed) listings() []listing {
	return []listing{
		{e.Full, "full", "Capability index: everything", "Every template, prompt, skill, tool, document and resource with its description, the links between documents, and the vocabulary. At most 40,000 tokens.", "text/markdown", MaxFull, (*snapshot).full},
		{e.Stats, "stats", "Capability index: statistics", "Counts, sizes and figures of the search index as JSON. At most 1,000 tokens.", "application/json", MaxStats, (*snapshot).statistics},
		{e.Summary, "summary", "Capability index: summary", "What this server has, in numbers: types, templates, keywords, newest files, and how to go on. At most 3,000 tokens.", "text/markdown", MaxSummary, (*snapshot).summary},
	}
}

// resources returns the listed resources.
func (n *snapshot) resources() (list []*view.Resource) {
	priority := 1.0
	for _, l := range n.settings.Exposed.listings() {
		if l.exposed {
			list = append(list, &view.Resource{
				URI: l.uri(), Name: l.name, Title: l.title, Description: l.description, MIMEType: l.mediaType, Size: -1,
				Audience: []string{"assistant"}, Priority: &priority, Read: n.reading(l.uri(), l.name, l.get),
			})
		}
	}
	return list
}

// A getter returns a document of a snapshot, and whether it was made before.
type getter func(*snapshot, context.Context) (t Text, kept bool, err error)

// reading returns a function that reads a document and counts the read.
func (n *snapshot) reading(uri, name string, get getter) func(context.Context, func(int) []byte) ([]byte, error) {
	return func(ctx context.Context, _ func(int) []byte) ([]byte, error) {
		settled := n.settled(ctx, uri)
		t, kept, err := get(settled, ctx)
		if err != nil {
			return nil, err
		}
		n.source.counted(name, kept)
		if digest, ok := settled.digest(ctx, uri); ok {
			n.source.wasRead(settled, uri, digest)
		}
		return t.data, nil
	}
}

// settled waits a little for a scan or an index that is under way, as a search does, and returns the
// snapshot after it. A document in the cache does not wait for the search index. Most clients read the
// summary as soon as they have started the server.
func (n *snapshot) settled(ctx context.Context, uri string) *snapshot {
	bound := map[string]int{SummaryURI: MaxSummary, FullURI: MaxFull}[uri] // 0: never in the cache
	if n.key.indexed && n.key.prompts != nil || n.source.options.Patience <= 0 {
		return n
	}
	waiting, stop := context.WithTimeout(ctx, n.source.options.Patience)
	defer stop()
	library, err := n.source.options.Documents.Load(waiting)
	if err == nil {
		_, err = n.source.options.Prompts.Load(waiting)
	}
	if err != nil {
		return n
	}
	if cache := n.source.options.Cache; cache != nil && bound > 0 {
		if now := n.source.current(n.key.files); now != nil {
			if _, ok := cache.load(now.index().fingerprint, strings.TrimPrefix(uri, Scheme+"://"), bound); ok {
				return now
			}
		}
	}
	if library.Await(ctx) != nil {
		return n
	}
	if now := n.source.current(n.key.files); now != nil && now.settings == n.settings {
		return now
	}
	return n
}

// digest returns a number that changes with the bytes of a document. It ignores the figures of the
// statistics about the index itself. It returns false if the document does not exist.
func (n *snapshot) digest(ctx context.Context, uri string) (uint64, bool) {
	var text string
	switch uri {
	case SummaryURI, FullURI:
		get := n.summary
		if uri == FullURI {
			get = n.full
		}
		t, _, err := get(ctx)
		if err != nil {
			return 0, false
		}
		text = t.Text
	case StatsURI:
		s, err := n.index().figures().encode()
		if err != nil {
			return 0, false
		}
		text = s
	default:
		p, err := ParsePage(uri)
		if err != nil {
			return 0, false
		}
		t, _, err := n.page(ctx, p)
		if err != nil {
			return 0, false
		}
		text = t.Text
	}
	return maphash.String(seed, text), true
}

func (n *snapshot) summary(ctx context.Context) (Text, bool, error) {
	x := n.index()
	return x.summaryText.get(ctx, func() Text { return n.kept("summary", MaxSummary, x.summary) })
}

func (n *snapshot) full(ctx context.Context) (Text, bool, error) {
	x := n.index()
	return x.fullText.get(ctx, func() Text { return n.kept("full", MaxFull, x.full) })
}

// kept returns a document from the cache on the disk, or makes it.
func (n *snapshot) kept(name string, bound int, write func() string) Text {
	cache, x := n.source.options.Cache, n.index()
	if cache == nil || x.Library == nil || x.Prompts == nil {
		return newText(write())
	}
	if text, ok := cache.load(x.fingerprint, name, bound); ok {
		n.source.mu.Lock()
		n.source.cache.fromDisk++
		n.source.mu.Unlock()
		return newText(text)
	}
	defer n.source.Changed() // Run saves it
	return newText(write())
}

// save writes the documents that were made to the cache.
func (n *snapshot) save() {
	cache, x := n.source.options.Cache, n.index()
	if cache == nil || !x.ready() {
		return
	}
	documents := make(map[string]string)
	for name, o := range map[string]once{"summary": x.summaryText, "full": x.fullText} {
		if t := o.text.Load(); t != nil {
			documents[name] = t.Text
		}
	}
	if len(documents) > 0 {
		cache.store(x.fingerprint(), documents)
	}
}

// statistics returns the statistics, and makes them again if they are older than the settings allow.
func (n *snapshot) statistics(ctx context.Context) (t Text, kept bool, err error) {
	select {
	case <-n.statsTurn:
		defer func() { n.statsTurn <- struct{}{} }()
	case <-ctx.Done():
		return Text{}, false, ctx.Err()
	}
	now := time.Now()
	if n.stats.data != nil && now.Sub(n.statsTime) < n.settings.TTL {
		return n.stats, true, nil
	}
	s := n.index().figures()
	s.Documents = make(map[string]statsSize)
	for _, d := range n.settings.Exposed.listings() {
		if !d.exposed || d.name == "stats" {
			continue
		}
		text, _, err := d.get(n, ctx)
		if err != nil {
			return Text{}, false, err
		}
		s.Documents[d.name] = statsSize{len(text.Text), text.Tokens, d.bound}
	}
	n.source.mu.Lock()
	s.Cache = &statsCache{n.source.cache.hits, n.source.cache.misses, n.source.cache.fromDisk, age(now.Sub(n.since))}
	s.Reads = maps.Clone(n.source.reads)
	n.source.mu.Unlock()
	text, err := s.encode()
	if err != nil {
		return Text{}, false, err
	}
	n.stats, n.statsTime = newText(text), now
	return n.stats, false, nil
}

// page returns a page of elements.
func (n *snapshot) page(ctx context.Context, p Page) (Text, bool, error) {
	n.mu.Lock()
	o := n.pages[p]
	if o == nil {
		made := newOnce()
		o = &made
		if len(n.pages) < maxPages {
			n.pages[p] = o
		}
	}
	n.mu.Unlock()
	return o.get(ctx, func() Text { return newText(n.index().page(p)) })
}

// Lookup implements [view.Snapshot]. It finds the listed resources, and pages of elements.
func (n *snapshot) Lookup(uri string) (*view.Resource, bool) {
	if r, ok := n.List.Lookup(uri); ok || !n.settings.Exposed.Elements {
		return r, ok
	}
	p, err := ParsePage(uri)
	if err == errNotPage {
		return nil, false
	}
	r := &view.Resource{URI: p.URI(), Name: string(p.Type), MIMEType: "text/markdown", Size: -1}
	r.Read = n.reading(r.URI, "elements", func(n *snapshot, ctx context.Context) (Text, bool, error) { return n.page(ctx, p) })
	if err != nil {
		r.Read = func(context.Context, func(int) []byte) ([]byte, error) {
			return nil, &view.Refusal{Reason: err.Error()}
		}
	}
	return r, true
}

var elementsTemplate = func() templates.Entry {
	e := templates.Entry{Definition: templates.Definition{
		URITemplate: Template,
		Name:        "Capability index: elements",
		Description: "All elements of a type in pages of at most 10,000 tokens: resource, document, prompt, skill, tool or template. q selects those with some words, limit is the number of elements of a page, and cursor comes from the page before.",
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
	if !n.settings.Exposed.Elements {
		return nil
	}
	return []templates.Entry{elementsTemplate}
}

// Complete implements [view.Snapshot].
func (n *snapshot) Complete(_ context.Context, _, variable, prefix string, _ map[string]string) (values []string) {
	if variable != "type" {
		return nil
	}
	for _, name := range Types() {
		if strings.HasPrefix(name, strings.ToLower(prefix)) {
			values = append(values, name)
		}
	}
	return values
}
