package worker

import (
	"context"
	"encoding/json"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
)

// promptList is the asset from which the Worker lists prompts. src/prompts.ts reads it.
type promptList struct {
	Items []json.RawMessage `json:"items"`
	// Assets holds the asset of each prompt, by name.
	Assets map[string]string `json:"assets"`
}

// A prompt is the asset of a prompt.
type prompt struct {
	Description string           `json:"description"`
	Arguments   []promptArgument `json:"arguments"`
	Parts       []promptPart     `json:"parts"`
}

type promptArgument struct {
	Name     string   `json:"name"`
	Type     string   `json:"type"`
	Required bool     `json:"required"`
	Enum     []string `json:"enum,omitempty"`
	Default  *string  `json:"default,omitempty"`
}

// A promptPart has pieces: a text, or the number of an argument.
type promptPart struct {
	Pieces []any `json:"p"`
	URI    []any `json:"u,omitempty"` // the target, if the part is a line that is a link
	Image  bool  `json:"i,omitempty"`
}

// prompts writes the list of prompts and an asset for each prompt.
func (b *Builder) prompts(ctx context.Context) error {
	var list struct {
		Prompts []json.RawMessage `json:"prompts"`
	}
	if err := b.call(ctx, "prompts/list", nil, &list); err != nil {
		return err
	}
	out := promptList{Items: list.Prompts, Assets: make(map[string]string)}
	for _, p := range b.Prompts.Prompts() {
		asset := prompt{Description: p.Description, Arguments: []promptArgument{}, Parts: []promptPart{}}
		for _, a := range p.Arguments {
			asset.Arguments = append(asset.Arguments, promptArgument{a.Name, a.Type, a.Required, a.Enum, a.Default})
		}
		for _, part := range p.Parts() {
			exported := promptPart{Pieces: pieces(part.Template)}
			if part.Link != nil {
				exported.URI, exported.Image = pieces(part.Link.URI), part.Link.Image
			}
			asset.Parts = append(asset.Parts, exported)
		}
		var path string
		if err := b.addJSON(asset, &path); err != nil {
			return err
		}
		out.Assets[p.Name] = path
	}
	return b.addJSON(out, &b.manifest.Prompts)
}

func pieces(t prompts.Template) []any {
	out := []any{}
	for argument, text := range t.Pieces {
		if argument >= 0 {
			out = append(out, argument)
		}
		if text != "" {
			out = append(out, text)
		}
	}
	return out
}
