package worker

import (
	"context"
	"encoding/json"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/tools"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/uri"
	"github.com/mcp-docs-server/mcp-docs-server/templates"
)

// A tool is an item of tools/list.
type tool struct {
	Item json.RawMessage `json:"item"`
	Kind string          `json:"kind"` // which code answers it
}

// tools writes the list of tools.
func (b *Builder) tools(ctx context.Context) error {
	var list struct {
		Tools []json.RawMessage `json:"tools"`
	}
	if err := b.Client.Get(ctx, "tools/list", nil, &list); err != nil {
		return err
	}
	documents := tools.DocsName(b.Config.Name, b.Config.Package)
	for _, item := range list.Tools {
		var named struct {
			Name string `json:"name"`
		}
		if err := json.Unmarshal(item, &named); err != nil {
			return err
		}
		kind := named.Name
		switch kind {
		case documents:
			kind = "documents"
		case "list_resources", "read_resource", "search", "fetch":
		default:
			continue // a Worker cannot run it, such as the tools for the web
		}
		b.manifest.Tools = append(b.manifest.Tools, tool{item, kind})
	}
	return nil
}

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
	if err := b.Client.Get(ctx, "prompts/list", nil, &list); err != nil {
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
		out.Assets[p.Name] = b.addJSON(asset)
	}
	b.manifest.Prompts = b.addJSON(out)
	return nil
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

// A template is an item of resources/templates/list, with the values that complete its variables.
type template struct {
	Item json.RawMessage `json:"item"`
	Text string          `json:"text"`
	// the text in templates.json, if it differs
	Published string   `json:"published,omitempty"`
	Names     []string `json:"names"` // of its variables
	// asset: one row for each resource that the template names
	Rows string `json:"rows,omitempty"`
}

// templates writes the list of templates, and the values of their variables.
func (b *Builder) templates(ctx context.Context) error {
	var items []json.RawMessage
	if err := b.pages(ctx, "resources/templates/list", "resourceTemplates", nil, func(page []json.RawMessage) error {
		items = append(items, page...)
		return nil
	}); err != nil {
		return err
	}
	list := []template{}
	for i, entry := range b.View.Templates() {
		t := template{Item: items[i], Text: entry.Template.String(), Names: entry.Template.Names()}
		if entry.URITemplate != t.Text {
			t.Published = entry.URITemplate
		}
		var rows []json.RawMessage
		var err error
		if i < len(b.View.Files.Templates().Entries()) {
			rows, err = b.rows(ctx, i)
		} else {
			rows, err = b.rowsOf(ctx, entry)
		}
		if err != nil {
			return err
		}
		if len(rows) > 0 {
			t.Rows = b.Add(lines(rows))
		}
		list = append(list, t)
	}
	b.manifest.Templates = b.addJSON(list)
	return nil
}

// rows returns a row for each file that a template matches: an object with the values of the
// variables. A value is a list of the offered text and, if it differs, the value itself.
func (b *Builder) rows(ctx context.Context, entry int) ([]json.RawMessage, error) {
	pattern := b.View.Files.Templates().Pattern(entry)
	if pattern == nil {
		return nil, nil
	}
	var rows []json.RawMessage
	seen := make(map[string]bool)
	for r := range b.View.Files.All() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		variables, ok := pattern.Match(uri.Decode(r.URI()))
		if !ok {
			continue
		}
		row := make(map[string][]string)
		for _, v := range variables {
			values := []string{v.Offered()}
			if v.Value != values[0] && utf8.ValidString(v.Value) {
				values = append(values, v.Value)
			}
			row[v.Name] = values
		}
		if data := encoded(row); !seen[string(data)] {
			seen[string(data)] = true
			rows = append(rows, data)
		}
	}
	return rows, nil
}

// rowsOf returns the values of the variables of a template that is not about files. Each value has its
// own row.
func (b *Builder) rowsOf(ctx context.Context, entry templates.Entry) ([]json.RawMessage, error) {
	t, ok := b.View.Template(entry.Template.String())
	if !ok {
		return nil, nil
	}
	var rows []json.RawMessage
	for _, name := range t.Template.Names() {
		for _, value := range t.Complete(ctx, name, "", nil) {
			rows = append(rows, encoded(map[string][]string{name: {value}}))
		}
	}
	return rows, ctx.Err()
}
