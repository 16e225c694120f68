package capability

import (
	"context"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/skills"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/latest"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// Settings say which documents a [Source] has.
type Settings struct {
	On     bool
	Expose []string      // "summary", "full", "stats", "elements"; empty: all
	TTL    time.Duration // the greatest age of the statistics
}

// Exposes reports whether clients get a document.
func (s Settings) Exposes(name string) bool {
	return s.On && (len(s.Expose) == 0 || slices.Contains(s.Expose, name))
}

// Options describe a [Source].
type Options struct {
	Name, Version string
	Files         *latest.Value[loader.Catalog]
	Documents     *latest.Value[docs.Library]
	Prompts       *latest.Value[prompts.Set]
	Tools         func() []tools.Tool // called when a document is made
	// the name of the tool that reads the documents, if it is the first one
	DocsTool string
	Skills   *skills.Reader // nil: no skills
	Settings Settings
	// how long a read waits for the first scan of documents and prompts
	Patience time.Duration
}

// A Source serves the documents of the capability index as resources. It is a [view.Source].
type Source struct {
	options     Options
	notify      func(view.Change)
	reads, made atomic.Int64 // reads by clients, and documents that were made for them

	mu        sync.Mutex // guards all fields below
	settings  Settings
	version   int       // counts changes of the settings and of the tools
	last      *snapshot // the newest; nil: none
	announced key       // the last state of which clients were notified
}

// New returns a source. It has no resources while its settings are off.
func New(o Options) *Source {
	return &Source{options: o, notify: func(view.Change) {}, settings: o.Settings}
}

// Name implements [view.Source].
func (s *Source) Name() string { return "the capability index" }

// Notify implements [view.Source].
func (s *Source) Notify(changed func(view.Change)) { s.notify = changed }

// Set changes the settings, and notifies clients.
func (s *Source) Set(to Settings) {
	s.mu.Lock()
	differs := !reflect.DeepEqual(s.settings, to)
	if differs {
		s.settings = to
		s.version++
	}
	s.mu.Unlock()
	if differs {
		s.notify(view.Change{List: true, Updated: uris()})
	}
}

// ToolsChanged says that the tools have changed.
func (s *Source) ToolsChanged() {
	s.mu.Lock()
	s.version++
	s.mu.Unlock()
	s.Changed()
}

// Changed says that the project may have changed, and notifies clients if it has.
func (s *Source) Changed() {
	files := s.options.Files.Peek()
	if files == nil {
		return
	}
	now := s.current(files)
	if now == nil {
		return
	}
	s.mu.Lock()
	known := s.announced == now.key
	s.announced = now.key
	s.mu.Unlock()
	if !known {
		s.notify(view.Change{Updated: uris()})
	}
}

// uris returns the URIs of all documents.
func uris() (uris []string) {
	for _, d := range documents {
		uris = append(uris, d.uri)
	}
	return uris
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
	k := key{files: files, library: s.options.Documents.Peek(), prompts: s.options.Prompts.Peek(), version: s.version}
	k.indexed = k.library != nil && k.library.Indexed()
	if s.last == nil || s.last.key != k {
		s.last = s.newSnapshot(k)
	}
	return s.last
}

// settled waits a little for a scan or an index that is under way, as a search does, and returns the
// snapshot after it. Most clients read the summary as soon as they have started the server.
func (s *Source) settled(ctx context.Context, n *snapshot, uri string) *snapshot {
	if n.key.indexed && n.key.prompts != nil || s.options.Patience <= 0 {
		return n
	}
	waiting, stop := context.WithTimeout(ctx, s.options.Patience)
	defer stop()
	library, err := s.options.Documents.Load(waiting)
	if err == nil {
		_, err = s.options.Prompts.Load(waiting)
	}
	if err != nil || library.Await(ctx) != nil {
		return n
	}
	if now := s.current(n.key.files); now != nil && now.texts[uri] != nil {
		return now
	}
	return n
}
