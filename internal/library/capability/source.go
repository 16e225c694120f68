package capability

import (
	"context"
	"hash/maphash"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/current"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// Settings say which documents a [Source] has.
type Settings struct {
	On      bool
	Exposed Exposed
	TTL     time.Duration // the greatest age of the statistics
}

// An Offer is the part of a project besides files.
type Offer struct {
	Tools         []Tool
	DocsTool      string // "": none
	ResourceTools bool
	Configuration string
}

// Options describe a [Source].
type Options struct {
	Name, Version string
	Files         *current.Value[loader.Catalog]
	Documents     *current.Value[docs.Library]
	Prompts       *current.Value[prompts.Set]
	Offer         func() Offer                        // called when a document is made
	Skills        func(files *loader.Catalog) []Skill // likewise; nil: no skills
	Cache         *Cache                              // nil: no cache on the disk
	Logger        *slog.Logger
	Settings      Settings
	Patience      time.Duration // how long a read waits for the first scan of documents and prompts
}

// A Source serves the documents of the capability index as resources. It is a [view.Source].
//
// A client gets documents of the newest catalog, library and prompts. They are made when they are read.
// When the project changes, [Source.Run] makes the documents again that clients have read, to find out
// which of them differ.
type Source struct {
	options Options
	notify  func(view.Change)
	wake    chan struct{} // wakes Run

	mu         sync.Mutex // guards all fields below
	settings   Settings
	generation int       // counts changes that the key of a snapshot does not show
	last       *snapshot // the newest; nil: none
	reads      map[string]int64
	cache      cacheCounts
	read       map[string]uint64 // digests of what clients have read, by URI

	warned map[string]bool // URIs of documents that files hide, and that were logged; only Run uses it
}

// cacheCounts count reads of documents that were made before, of others, and loads from the disk.
type cacheCounts struct{ hits, misses, fromDisk int64 }

// New returns a source. It has no resources while its settings are off.
func New(o Options) *Source {
	return &Source{
		options: o, notify: func(view.Change) {}, wake: make(chan struct{}, 1), settings: o.Settings,
		reads: make(map[string]int64), read: make(map[string]uint64), warned: make(map[string]bool),
	}
}

// Name implements [view.Source].
func (s *Source) Name() string { return "the capability index" }

// Notify implements [view.Source].
func (s *Source) Notify(changed func(view.Change)) { s.notify = changed }

// Set changes the settings, and notifies clients of the resources that this changes.
func (s *Source) Set(to Settings) {
	s.mu.Lock()
	was := s.settings
	s.settings = to
	s.mu.Unlock()
	if was == to {
		return
	}
	before, after := was.uris(), to.uris()
	change := view.Change{List: !slices.Equal(before, after)}
	for _, uri := range append(before, after...) {
		if slices.Contains(before, uri) != slices.Contains(after, uri) || was.Exposed != to.Exposed {
			change.Updated = append(change.Updated, uri)
		}
	}
	if had, has := was.On && was.Exposed.Elements, to.On && to.Exposed.Elements; had != has {
		change.List = true // the list of templates changes
		change.Also = isPage
	}
	s.notify(change)
	s.Changed()
}

// uris returns the URIs of the listed documents.
func (s Settings) uris() (uris []string) {
	for _, d := range s.Exposed.listings() {
		if s.On && d.exposed {
			uris = append(uris, d.uri())
		}
	}
	return uris
}

// Changed says that the project has changed. It does not wait.
func (s *Source) Changed() {
	select {
	case s.wake <- struct{}{}:
	default: // Run will wake anyway
	}
}

// OfferChanged says that the [Offer] has changed.
func (s *Source) OfferChanged() {
	s.mu.Lock()
	s.generation++
	s.mu.Unlock()
	s.Changed()
}

// pause is the time between two comparisons of documents, so that a project that changes all the time
// costs little.
const pause = 100 * time.Millisecond

// Run notifies clients of documents that have changed, until ctx ends.
func (s *Source) Run(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
		}
		s.announce(ctx)
		timer.Reset(pause)
	}
}

// announce notifies clients of documents whose bytes differ from the last read. A document that no
// client has read counts as changed.
func (s *Source) announce(ctx context.Context) {
	files := s.options.Files.Peek()
	if files == nil {
		return
	}
	now := s.current(files)
	if now == nil {
		return
	}
	s.warn(now)
	defer now.save()
	s.mu.Lock()
	read := maps.Clone(s.read)
	s.mu.Unlock()
	var updated []string
	for _, uri := range now.settings.uris() {
		if _, known := read[uri]; !known {
			updated = append(updated, uri)
		}
	}
	for uri, was := range read {
		is, ok := now.digest(ctx, uri)
		if ctx.Err() != nil {
			return
		}
		if !ok || is == was {
			continue
		}
		updated = append(updated, uri)
		s.mu.Lock()
		if s.read[uri] == was {
			s.read[uri] = is
		}
		s.mu.Unlock()
	}
	slices.Sort(updated)
	change := view.Change{Updated: updated}
	if now.settings.Exposed.Elements {
		change.Also = func(uri string) bool {
			_, known := read[uri]
			return !known && isPage(uri)
		}
	}
	if len(updated) > 0 || change.Also != nil {
		s.notify(change)
	}
}

// isPage reports whether a canonical URI names a page of elements.
func isPage(uri string) bool { return strings.HasPrefix(uri, elements) }

// warn logs documents whose URI belongs to a file.
func (s *Source) warn(now *snapshot) {
	for _, uri := range now.settings.uris() {
		file, replaced := now.key.files.Exact(uri)
		if replaced && !s.warned[uri] && s.options.Logger != nil {
			s.options.Logger.Warn("a file has the URI of a document of the capability index, and is served instead; rename the file to get the document", "uri", uri, "file", file.LogicalPath())
		}
		s.warned[uri] = replaced
	}
}

var seed = maphash.MakeSeed()

// maxPages is how many pages of elements a snapshot keeps, and how many digests a source keeps.
const maxPages = 64

// wasRead records the document that a client gets. If a newer snapshot exists, the client may have
// missed a notification, so Run compares again.
func (s *Source) wasRead(n *snapshot, uri string, digest uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.read[uri]; known || len(s.read) < maxPages {
		s.read[uri] = digest
	}
	if s.last != n {
		s.Changed()
	}
}

// counted counts a read of a document. kept says that the document was made before.
func (s *Source) counted(name string, kept bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads[name]++
	if kept {
		s.cache.hits++
	} else {
		s.cache.misses++
	}
}
