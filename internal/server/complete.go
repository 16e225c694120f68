package server

import (
	"context"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

// maxCompleting is how many completions are computed at a time: each walks a part of the tree, and
// holds the values.
const maxCompleting = 2

// maxCompletions is how many values a completion may have (MCP, "Completion").
const maxCompletions = 100

type completeResult struct {
	Completion completion `json:"completion"`
}

type completion struct {
	Values  []string `json:"values"`
	Total   int      `json:"total"`
	HasMore bool     `json:"hasMore"`
}

func (s *Server) complete(ctx context.Context, r request) (*reply, error) {
	params := new(mcp.CompleteParams)
	if err := protocol.Decode(r.Params, params); err != nil {
		return nil, err
	}
	result := &completeResult{Completion: completion{Values: []string{}}}
	if params.Ref == nil {
		return nil, protocol.InvalidParams("ref is missing")
	}
	if params.Ref.Type == "ref/prompt" {
		values, err := s.completePrompt(ctx, params)
		if err != nil {
			return nil, err
		}
		result.Completion.fill(values)
		return encoded(outcomeOf(r.era), result)
	}
	catalog, err := s.catalog.Load(ctx)
	if err != nil {
		return nil, err
	}
	entries := catalog.Templates().Entries()
	entry := findTemplate(entries, params.Ref.URI)
	if entry < 0 {
		return nil, protocol.InvalidParams("there is no template %s; resources/templates/list lists them", protocol.Shown(params.Ref.URI))
	}
	names := entries[entry].Template.Names()
	if !slices.Contains(names, params.Argument.Name) {
		return nil, protocol.InvalidParams("the template has no variable %s, it has %s", protocol.Shown(params.Argument.Name), strings.Join(names, ", "))
	}
	var given map[string]string
	if params.Context != nil {
		given = params.Context.Arguments
	}
	if err := s.completing.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer s.completing.Release(1)
	values := catalog.Complete(ctx, entry, params.Argument.Name, params.Argument.Value, given)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	result.Completion.fill(values)
	return encoded(outcomeOf(r.era), result)
}

// fill puts as many values in as may be.
func (c *completion) fill(values []string) {
	c.Values = append(c.Values, values[:min(len(values), maxCompletions)]...)
	c.Total, c.HasMore = len(values), len(values) > maxCompletions
}

// findTemplate returns the first entry that is published or written so, or -1.
func findTemplate(entries []templates.Entry, s string) int {
	for i, e := range entries {
		if e.Template.String() == s || e.URITemplate == s {
			return i
		}
	}
	return -1
}
