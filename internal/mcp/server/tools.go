package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/site"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/notify"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

// Features are the tools that a project may turn on and off.
type Features = tools.Features

// SetFeatures turns features on and off.
func (s *Server) SetFeatures(f Features) { s.toolsChanged(s.tools.SetFeatures(f)) }

// SetLibrary publishes the documents.
func (s *Server) SetLibrary(library *docs.Library) { s.tools.SetLibrary(library) }

// SetNames publishes what the names of the documents' files tell. Clients are notified if the description of the tool changes.
func (s *Server) SetNames(names site.Names) { s.toolsChanged(s.tools.SetNames(names)) }

// resourcesChanged notifies clients if the tools for resources come or go.
func (s *Server) resourcesChanged() { s.toolsChanged(s.tools.ResourcesChanged()) }

// toolsChanged notifies clients if the list of tools has changed.
func (s *Server) toolsChanged(changed bool) {
	if changed {
		s.hub.ListsChanged(notify.Lists{Tools: true})
	}
}

// Tools returns the tools that are listed now.
func (s *Server) Tools() []tools.Tool { return s.tools.List() }

// hintsOf returns what a tool may do. That it is destructive has a meaning only if it is not read-only.
func hintsOf(h tools.Hints) *mcp.ToolAnnotations {
	hints := &mcp.ToolAnnotations{ReadOnlyHint: h.ReadOnly, IdempotentHint: h.Idempotent, OpenWorldHint: &h.OpenWorld}
	if !h.ReadOnly {
		hints.DestructiveHint = &h.Destructive
	}
	return hints
}

func (s *Server) listTools(ctx context.Context, r request, p *pageParams) (*reply, error) {
	if p.Cursor != "" {
		return nil, errCursor
	}
	if err := s.tools.Await(ctx); err != nil {
		return nil, err
	}
	body, err := s.encodeTools()
	if err != nil {
		return nil, err
	}
	current := func() bool {
		now, err := s.encodeTools()
		return err == nil && bytes.Equal(now.members, body.members)
	}
	return s.listed(r, notify.Lists{Tools: true}, current, body), nil
}

func (s *Server) encodeTools() (*encodedBody, error) {
	page := struct {
		Tools []mcp.Tool `json:"tools"`
	}{[]mcp.Tool{}}
	for _, t := range s.tools.List() {
		page.Tools = append(page.Tools, mcp.Tool{Name: t.Name, Title: t.Title, Description: t.Description, InputSchema: t.Schema, Annotations: hintsOf(t.Hints)})
	}
	return encode(page)
}

// maxMistake is how many bytes the text of a mistake may have. It repeats arguments, which may have
// 16 MiB.
const maxMistake = 16 << 10

type toolParams struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

func (s *Server) callTool(ctx context.Context, r request, params *toolParams) (*reply, error) {
	progress, stop := progressOf(r)
	defer stop()
	out, err := s.tools.Call(ctx, params.Name, tools.Call{Caller: r.Caller, Shared: r.Shared, Arguments: params.Arguments, Progress: progress})
	if mistake, ok := errors.AsType[*tools.Mistake](err); ok {
		out, err = tools.Failure(excerpt.Ellipsis(s.clientError(r.Method, mistake.Err).Error(), maxMistake)), nil
	}
	if err != nil {
		return nil, err
	}
	return &reply{body: out}, nil
}

// progressPause is the least time between two notifications of a call, to avoid a flood (MCP,
// "Progress").
const progressPause = 100 * time.Millisecond

// progressOf returns the function with which a tool reports progress, or nil if the call requests
// none or its client cannot be notified. After stop, nothing is sent.
func progressOf(r request) (report func(done, total float64, message string), stop func()) {
	token := protocol.ProgressToken(r.Params)
	if token == nil || r.Notify == nil {
		return nil, func() {}
	}
	var mu sync.Mutex // guards all below
	var stopped bool
	var last time.Time
	most := math.Inf(-1) // progress increases with each notification
	report = func(done, total float64, message string) {
		mu.Lock()
		defer mu.Unlock()
		now := time.Now()
		if stopped || !(done > most) || math.IsInf(done, 0) || !last.IsZero() && now.Sub(last) < progressPause && done != total {
			return
		}
		most, last = done, now
		params := append(append([]byte(`{"progressToken":`), token...), `,"progress":`...)
		params = strconv.AppendFloat(params, done, 'g', -1, 64)
		if total > 0 && !math.IsInf(total, 0) {
			params = strconv.AppendFloat(append(params, `,"total":`...), total, 'g', -1, 64)
		}
		if message != "" {
			params = jsonwire.AppendString(append(params, `,"message":`...), message)
		}
		r.Notify(notify.Notification{Method: "notifications/progress", Params: append(params, '}')})
	}
	return report, func() {
		mu.Lock()
		defer mu.Unlock()
		stopped = true
	}
}
