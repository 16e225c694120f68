package worker

import (
	"context"
	"encoding/json"
)

// A tool is one of tools/list.
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
	for _, item := range list.Tools {
		var named struct {
			Name string `json:"name"`
		}
		if err := json.Unmarshal(item, &named); err != nil {
			return err
		}
		kind := "documents"
		switch named.Name {
		case "list_resources", "read_resource", "search", "fetch":
			kind = named.Name
		}
		b.manifest.Tools = append(b.manifest.Tools, tool{item, kind})
	}
	return nil
}
