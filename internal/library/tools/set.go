package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/contents"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/view"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/latest"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/nearest"
)

// Features can be turned on and off for a project.
type Features struct {
	// list_resources and read_resource, for clients that only know tools
	ResourceTools bool
	Connector     bool // search and fetch, for connectors of ChatGPT
	// capability-index://summary exists, and the tool for documents mentions it
	Summary      bool
	Dependencies bool // the tool for documents has documents of dependencies too
}

// Options describe a set of tools.
type Options struct {
	Name string // of the project
	// its author chose the name; otherwise texts use the name in the configuration of the documents' site
	Named bool
	// of the project; part of the name of the tool for documents. "": the project has no such tool
	Package string
	Views   *view.Views
	Library *latest.Value[docs.Library]
	Names   *latest.Value[site.Names]
	// HasFiles reports, by names alone, whether the project has files that are resources, or captures that are searched. It must be
	// fast. nil: it has.
	HasFiles func() bool
	Reader   *contents.Reader
	Others   []Tool // tools of other packages, which are listed last
	Features
}

// A Set has the tools of a project. Its methods may be called concurrently.
type Set struct {
	name      string
	chosen    bool                  // see [Options.Named]
	docsName  string                // of the tool for documents, or ""
	texts     atomic.Pointer[texts] // nil until the first list or call
	library   *latest.Value[docs.Library]
	names     *latest.Value[site.Names]
	hasFiles  func() bool
	described atomic.Bool // the tools were listed before the first names
	features  atomic.Pointer[Features]
	views     *view.Views
	reader    *contents.Reader
	others    []Tool

	describing sync.Mutex // held while texts are computed
}

// New returns a set.
func New(o Options) *Set {
	s := &Set{name: o.Name, chosen: o.Named, library: o.Library, names: o.Names, hasFiles: o.HasFiles, views: o.Views, reader: o.Reader, others: o.Others}
	if s.hasFiles == nil {
		s.hasFiles = func() bool { return true }
	}
	if o.Package != "" {
		s.docsName = DocsName(o.Name, o.Package)
	}
	s.features.Store(&o.Features)
	return s
}

// Library returns the documents. The error is ctx.Err().
func (s *Set) Library(ctx context.Context) (*docs.Library, error) { return s.library.Load(ctx) }

// PeekLibrary returns the documents, or nil before the first scan.
func (s *Set) PeekLibrary() *docs.Library { return s.library.Peek() }

// SetLibrary publishes the documents.
func (s *Set) SetLibrary(library *docs.Library) { s.library.Publish(library) }

// SetFeatures turns features on and off. It reports whether the list has changed.
func (s *Set) SetFeatures(f Features) (changed bool) {
	changed = *s.features.Swap(&f) != f
	return s.ResourcesChanged() || changed
}

// A Tool is a function that a model may call.
type Tool struct {
	Name        string
	Title       string
	Description string
	Schema      json.RawMessage // of the arguments; an object
	Hints       Hints
	// Run answers a call. Its error is ctx.Err(), a [*Mistake], or an error that clients must not see.
	Run func(ctx context.Context, c Call) (*Output, error)
}

// Hints say what a call may do (MCP, "Tools", annotations). They apply to all calls of a tool, whatever
// their arguments.
type Hints struct {
	ReadOnly    bool // a call changes nothing
	Destructive bool // a call may delete or overwrite data
	Idempotent  bool // a second call changes nothing more
	OpenWorld   bool // a call reaches systems outside this server
}

// reading has the hints of the tools of this package.
var reading = Hints{ReadOnly: true, Idempotent: true}

// A Call is a call of a tool.
type Call struct {
	Caller    string // as [view.Views] know it
	Shared    bool   // there may be other callers
	Arguments json.RawMessage
	// Progress reports progress to the client: done of total, which is 0 if unknown. It does not wait,
	// and drops reports that come too fast. nil: the client wants no progress; see [Call.Report].
	Progress func(done, total float64, message string)

	ignored *[]string // see [Wrong]
}

// read reads the arguments of a tool of this package.
func (c *Call) read(schema *Schema, dst any) error {
	wrong := schema.Read(c.Arguments, dst)
	*c.ignored = wrong.ignored
	return wrong.Err()
}

// Report reports progress to a client that wants it.
func (c *Call) Report(done, total float64, message string) {
	if c.Progress != nil {
		c.Progress(done, total, message)
	}
}

// List returns the current tools.
func (s *Set) List() []Tool {
	var tools []Tool
	texts := s.listed()
	if s.docsName != "" {
		tools = append(tools, s.docsTool(texts))
	}
	if s.features.Load().ResourceTools && texts.resources {
		tools = append(tools, s.resourceTools()...)
	}
	if s.features.Load().Connector {
		tools = append(tools, s.connectorTools()...)
	}
	return append(tools, s.others...)
}

// A Mistake is an error for the model that calls a tool: a mistake in the call, or a failure that the
// model can work around.
type Mistake struct{ Err error }

func (e *Mistake) Error() string { return e.Err.Error() }
func (e *Mistake) Unwrap() error { return e.Err }

func badCall(format string, args ...any) error { return &Mistake{fmt.Errorf(format, args...)} }

// An UnknownError reports that no tool has a name. Its text is for clients.
type UnknownError struct {
	name string
	near string // a name that looks alike, or ""
}

func (e *UnknownError) Error() string {
	message := "there is no tool " + protocol.Shown(e.name)
	if e.near != "" {
		message += "; did you mean " + e.near + "?"
	}
	return message
}

// Call calls a tool. The error is ctx.Err(), a [*Mistake], an [*UnknownError] or an error that clients
// must not see.
func (s *Set) Call(ctx context.Context, name string, c Call) (*Output, error) {
	var names []string
	for _, t := range s.List() {
		if t.Name == name {
			var ignored []string
			c.ignored = &ignored
			out, err := t.Run(ctx, c)
			notes := strings.Join(ignored, "\n")
			if _, isMistake := errors.AsType[*Mistake](err); isMistake && notes != "" {
				err = badCall("%w; %s", err, notes)
			} else if err == nil && notes != "" {
				out.blocks = append(out.blocks, Block{Text: notes})
			}
			return out, err
		}
		names = append(names, t.Name)
	}
	near, _ := nearest.One(name, names)
	return nil, &UnknownError{name, near}
}

// onDisk does work that reads the disk or takes much time, when it is its turn.
func onDisk[T any](ctx context.Context, s *Set, work func(context.Context) (T, error)) (T, error) {
	done, err := contents.Turn(ctx)
	if err != nil {
		var none T
		return none, err
	}
	defer done()
	return contents.OnDisk(ctx, s.reader, "files for a tool", nil, work, func(T) {})
}
