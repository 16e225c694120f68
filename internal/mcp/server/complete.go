package server

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
)

// maxCompleting is how many completions are computed at a time: each walks a part of the tree and
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

func (s *Server) complete(ctx context.Context, r request, params *mcp.CompleteParams) (*reply, error) {
	result := &completeResult{Completion: completion{Values: []string{}}}
	if params.Ref == nil {
		return nil, protocol.InvalidParams("ref is missing")
	}
	if params.Ref.Type == "ref/prompt" {
		values, err := s.completePrompt(ctx, r.Caller, params)
		if err != nil {
			return nil, err
		}
		result.Completion.fill(values)
		return encoded(outcomeOf(r.era), result)
	}
	v, err := s.views.Load(ctx, r.Caller)
	if err != nil {
		return nil, err
	}
	template, ok := v.Template(params.Ref.URI)
	if !ok {
		return nil, protocol.InvalidParams("there is no template %s; resources/templates/list lists them", protocol.Shown(params.Ref.URI))
	}
	names := template.Template.Names()
	if !slices.Contains(names, params.Argument.Name) {
		return nil, protocol.InvalidParams("the template has no variable %s, it has %s", protocol.Shown(params.Argument.Name), strings.Join(names, ", "))
	}
	var given map[string]string
	if params.Context != nil {
		given = params.Context.Arguments
		maps.DeleteFunc(given, func(_, value string) bool { return value == "" }) // not chosen yet
	}
	if err := s.completing.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer s.completing.Release(1)
	values := template.Complete(ctx, params.Argument.Name, params.Argument.Value, given)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	result.Completion.fill(values)
	return encoded(outcomeOf(r.era), result)
}

// fill sets the values, as many as a completion may have.
func (c *completion) fill(values []string) {
	c.Values = append(c.Values, values[:min(len(values), maxCompletions)]...)
	c.Total, c.HasMore = len(values), len(values) > maxCompletions
}
