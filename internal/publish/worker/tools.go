package worker

import (
	"context"
	"encoding/json"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
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
	if err := b.call(ctx, "tools/list", nil, &list); err != nil {
		return err
	}
	documents := docs.ToolName(b.Config.Name, b.Config.Package)
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
