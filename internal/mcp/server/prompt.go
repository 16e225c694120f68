package server

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/media"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/contents"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol/notify"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/nearest"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// A promptBody is the body of the answer to prompts/get: a message of the user for each block.
type promptBody struct {
	description string
	blocks      []contents.Block
	held        *contents.Contents // contents with the files of the blocks, or nil
}

func (p *promptBody) WriteJSON(w *jsonwire.Writer) error {
	var memory contents.Scratch
	if p.description != "" {
		w.RawString(`"description":`)
		w.String(p.description)
		w.RawString(",")
	}
	w.RawString(`"messages":[`)
	written := false
	for i := range p.blocks {
		if p.blocks[i].Empty() {
			continue
		}
		if written {
			w.RawString(",")
		}
		written = true
		w.RawString(`{"role":"user","content":`)
		if err := p.blocks[i].WriteJSON(w, &memory); err != nil {
			return err
		}
		w.RawString("}")
	}
	w.RawString("]")
	return nil
}

func (p *promptBody) Release() {
	if p.held != nil {
		p.held.Release()
	}
}

func (s *Server) listPrompts(ctx context.Context, r request, p *pageParams) (*reply, error) {
	if p.Cursor != "" {
		return nil, errCursor
	}
	set, err := s.options.Prompts.Load(ctx)
	if err != nil {
		return nil, err
	}
	body, err := encode(struct {
		Prompts []*prompts.Prompt `json:"prompts"`
	}{append([]*prompts.Prompt{}, set.Prompts()...)})
	if err != nil {
		return nil, err
	}
	return s.listed(r, notify.Lists{Prompts: true}, func() bool { return s.options.Prompts.Peek() == set }, body), nil
}

// maxEmbedded is how many resources the text of a prompt may embed. Lines that name further ones
// stay text.
const maxEmbedded = 1000

type promptParams struct {
	Name      string             `json:"name"`
	Arguments map[string]*string `json:"arguments"` // null: not given
}

func (s *Server) getPrompt(ctx context.Context, r request, params *promptParams) (*reply, error) {
	arguments := make(map[string]string)
	for name, value := range params.Arguments {
		if value != nil {
			arguments[name] = *value
		}
	}
	p, err := s.prompt(ctx, params.Name)
	if err != nil {
		return nil, err
	}
	v, err := s.views.Load(ctx, r.Caller)
	if err != nil {
		return nil, err
	}
	// by URI; a prompt may name the same resource many times
	exists := make(map[string]bool)
	embeds := 0
	blocks, err := p.Render(arguments, func(uri string) bool {
		if embeds == maxEmbedded || ctx.Err() != nil {
			return false
		}
		ok, known := exists[uri]
		if !known {
			_, ok = v.Files.Lookup(uri)
			exists[uri] = ok
		}
		if ok {
			embeds++
		}
		return ok
	})
	if err != nil {
		return nil, protocol.InvalidParams("%v", err)
	}
	body := &promptBody{description: p.Description, blocks: make([]contents.Block, len(blocks))}
	if err := s.embed(ctx, v.Files, body, blocks); err != nil {
		return nil, err
	}
	return &reply{body: body}, nil
}

// embed puts the blocks of a prompt into its body. If a resource cannot be read, or does not fit
// into the answer, the line that names it stays text.
func (s *Server) embed(ctx context.Context, catalog *loader.Catalog, body *promptBody, rendered []prompts.Block) error {
	var files []loader.Resource
	var indexes []int // the block of each file
	room := s.bounds.Load().FrameBytes
	for i, b := range rendered {
		body.blocks[i].Text = b.Text
		if b.URI == "" {
			continue
		}
		if r, ok := catalog.Lookup(b.URI); ok && r.Size() <= room {
			room -= r.Size()
			files, indexes = append(files, r), append(indexes, i)
		}
	}
	if len(files) == 0 {
		return nil
	}
	read, err := s.reader.ReadEach(ctx, catalog, files)
	switch {
	case ctx.Err() != nil:
		if err == nil {
			read.Release()
		}
		return ctx.Err()
	// The files change all the time, or the disk hangs: the lines stay text.
	case err != nil:
		return nil
	}
	body.held = read
	for i, index := range indexes {
		if file := &read.Files[i]; file.Pointer() {
			body.blocks[index].Text += " (" + media.NotFetched + ")"
		} else if !file.Absent && file.Size() > 0 { // clients refuse empty texts
			body.blocks[index].File, body.blocks[index].IsImage = file, rendered[index].Image && file.Showable()
		}
	}
	return nil
}

// prompt returns a prompt by name.
func (s *Server) prompt(ctx context.Context, name string) (*prompts.Prompt, error) {
	set, err := s.options.Prompts.Load(ctx)
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
		return nil, protocol.InvalidParams("there is no prompt %s; did you mean %s?", protocol.Shown(name), near)
	}
	return nil, protocol.InvalidParams("there is no prompt %s", protocol.Shown(name))
}

// completePrompt completes an argument of a prompt from its enumeration, or from the URIs of
// resources.
func (s *Server) completePrompt(ctx context.Context, caller string, params *mcp.CompleteParams) ([]string, error) {
	p, err := s.prompt(ctx, params.Ref.Name)
	if err != nil {
		return nil, err
	}
	values, ok := p.Complete(params.Argument.Name, params.Argument.Value)
	if ok || !strings.Contains(params.Argument.Value, "://") {
		return values, nil
	}
	v, err := s.views.Load(ctx, caller)
	if err != nil {
		return nil, err
	}
	for r := range v.After("") {
		if u := r.URI(); strings.HasPrefix(u, params.Argument.Value) {
			if values = append(values, u); len(values) > maxCompletions {
				break
			}
		}
	}
	return values, nil
}

// SetPrompts publishes the prompts. Clients are notified when the list changed. The first prompts
// are not a change, because a list waits for them.
func (s *Server) SetPrompts(set *prompts.Set) {
	if old := s.options.Prompts.Publish(set); old != nil && !old.Equal(set) {
		s.hub.ListsChanged(notify.Lists{Prompts: true})
	}
}

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
		return encoded(result)
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
		// not chosen yet
		maps.DeleteFunc(given, func(_, value string) bool { return value == "" })
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
	return encoded(result)
}

// fill sets the values, as many as a completion may have.
func (c *completion) fill(values []string) {
	c.Values = append(c.Values, values[:min(len(values), maxCompletions)]...)
	c.Total, c.HasMore = len(values), len(values) > maxCompletions
}
