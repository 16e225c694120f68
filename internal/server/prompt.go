package server

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/nearest"
	"github.com/mcp-docs-server/mcp-docs-server/internal/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

type promptsPage struct {
	outcome
	Prompts []promptItem `json:"prompts"`
}

// A promptItem describes a prompt (MCP, "Prompts", data type Prompt).
type promptItem struct {
	Name        string           `json:"name"`
	Title       string           `json:"title,omitempty"`
	Description string           `json:"description,omitempty"`
	Arguments   []promptArgument `json:"arguments,omitempty"`
}

type promptArgument struct {
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	Required    bool   `json:"required"`
}

type promptResult struct {
	outcome
	Description string          `json:"description,omitempty"`
	Messages    []promptMessage `json:"messages"`
}

type promptMessage struct {
	Role    string      `json:"role"`
	Content mcp.Content `json:"content"`
}

// An embedded resource of a prompt (MCP, "Prompts", "Embedded Resources").
type embedded struct {
	mcp.EmbeddedResource
	resource json.RawMessage
}

func (e embedded) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{"type": "resource", "resource": e.resource})
}

func (s *Server) listPrompts(ctx context.Context, cursor string, e era, session *mcp.ServerSession) (mcp.Result, error) {
	if cursor != "" {
		return nil, invalidParams("the cursor is not one of this list")
	}
	set, err := s.prompts.load(ctx)
	if err != nil {
		return nil, err
	}
	page := &promptsPage{outcome: e.cacheable(s.listTTL(session, lists{prompts: true}, nil)), Prompts: []promptItem{}}
	for _, p := range set.Prompts() {
		item := promptItem{Name: p.Name, Title: p.Title, Description: p.Description}
		for _, a := range p.Arguments {
			item.Arguments = append(item.Arguments, promptArgument{a.Name, a.Title, a.Description, a.Required})
		}
		page.Prompts = append(page.Prompts, item)
	}
	return page, nil
}

// maxEmbedded is how many resources a prompt may have in its text. The lines that name further ones stay lines.
const maxEmbedded = 1000

func (s *Server) getPrompt(ctx context.Context, params *mcp.GetPromptParams, o outcome) (mcp.Result, error) {
	p, err := s.prompt(ctx, params.Name)
	if err != nil {
		return nil, err
	}
	catalog, err := s.catalog.Load(ctx)
	if err != nil {
		return nil, err
	}
	there := make(map[string]bool) // whether a URI names a resource: a prompt may have the same one many times
	embeds := 0
	blocks, err := p.Render(params.Arguments, func(uri string) bool {
		if embeds == maxEmbedded || ctx.Err() != nil {
			return false
		}
		ok, known := there[uri]
		if !known {
			_, ok = catalog.Lookup(uri)
			there[uri] = ok
		}
		if ok {
			embeds++
		}
		return ok
	})
	if err != nil {
		return nil, invalidParams("%v", err)
	}
	result := &promptResult{outcome: o, Description: p.Description, Messages: []promptMessage{}}
	room := s.bounds.Load().FrameBytes
	for _, b := range blocks {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		content, err := s.promptContent(ctx, catalog, b, &room)
		if err != nil {
			return nil, err
		}
		result.Messages = append(result.Messages, promptMessage{"user", content})
	}
	return result, nil
}

// promptContent is a block as content. A resource that cannot be read, or for which there is no room left in the answer,
// stays the line that names it. room is in bytes of JSON. The error is of ctx.
func (s *Server) promptContent(ctx context.Context, catalog *loader.Catalog, b prompts.Block, room *int64) (mcp.Content, error) {
	line := &mcp.TextContent{Text: b.Text}
	if b.URI == "" {
		return line, nil
	}
	r, ok := catalog.Lookup(b.URI)
	if !ok || r.Size() > *room {
		return line, nil
	}
	read, err := s.read(ctx, catalog, b.URI, []loader.Resource{r}, *room)
	if err != nil {
		*room -= r.Size() // so that no prompt has much read in vain
		return line, ctx.Err()
	}
	defer read.Release()
	item := &read.files[0]
	if item.long != nil {
		*room -= r.Size()
		return line, nil
	}
	if b.Image && !item.isText && strings.HasPrefix(item.mime, "image/") {
		*room -= encodedSize(false, item.data)
		return &mcp.ImageContent{Data: bytes.Clone(item.data), MIMEType: item.mime}, nil
	}
	encoded, err := item.MarshalJSON()
	if err != nil {
		return nil, err
	}
	*room -= int64(len(encoded))
	return &embedded{resource: encoded}, nil
}

// prompt returns the prompt of a name.
func (s *Server) prompt(ctx context.Context, name string) (*prompts.Prompt, error) {
	set, err := s.prompts.load(ctx)
	if err != nil {
		return nil, err
	}
	if p, ok := set.Get(name); ok {
		return p, nil
	}
	var names []string
	for _, p := range set.Prompts() {
		names = append(names, p.Name)
	}
	if near, ok := nearest.One(name, names); ok {
		return nil, invalidParams("there is no prompt %s; did you mean %s?", shown(name), near)
	}
	return nil, invalidParams("there is no prompt %s", shown(name))
}

// completePrompt completes an argument of a prompt: from its enumeration, or from the URIs of resources.
func (s *Server) completePrompt(ctx context.Context, params *mcp.CompleteParams) ([]string, error) {
	p, err := s.prompt(ctx, params.Ref.Name)
	if err != nil {
		return nil, err
	}
	values, ok := p.Complete(params.Argument.Name, params.Argument.Value)
	if ok || !strings.Contains(params.Argument.Value, "://") {
		return values, nil
	}
	catalog, err := s.catalog.Load(ctx)
	if err != nil {
		return nil, err
	}
	for r := range catalog.All() {
		if u := r.URI(); strings.HasPrefix(u, params.Argument.Value) {
			if values = append(values, u); len(values) > maxCompletions {
				break
			}
		}
	}
	return values, nil
}

// SetPrompts publishes the prompts. Clients are notified when their list changed; nobody has a list from before the first
// ones, for which a list waits.
func (s *Server) SetPrompts(set *prompts.Set) {
	if old := s.prompts.swap(set); old != nil && !old.Equal(set) {
		s.hub.tell(announcement{lists: lists{prompts: true}})
	}
}
