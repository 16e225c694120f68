package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
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
		case "list_resources":
			if err := b.listing(ctx); err != nil {
				return err
			}
		case "read_resource", "search", "fetch":
		default:
			continue // a Worker cannot run it, such as the tools for the web
		}
		b.manifest.Tools = append(b.manifest.Tools, tool{item, kind})
	}
	return nil
}

// listing writes the lines of list_resources for each page of resources/list.
func (b *Builder) listing(ctx context.Context) error {
	var all []string
	arguments := map[string]any{"limit": 5000}
	for more := true; more; {
		var result struct {
			Content []struct {
				Text string `json:"text"`
			} `json:"content"`
		}
		if err := b.call(ctx, "tools/call", map[string]any{"name": "list_resources", "arguments": arguments}, &result); err != nil {
			return err
		}
		text := result.Content[0].Text
		more = false
		if end := strings.LastIndex(text, "\n\nThere are more: "); end >= 0 {
			last, _, _ := strings.Cut(text[strings.LastIndexByte(text[:end], '\n')+1:end], "\t")
			arguments["cursor"], more = protocol.NewCursor(protocol.ResourceCursor, last), true
			text = text[:end+1]
		}
		for line := range strings.Lines(text) {
			if strings.Contains(line, "\t") { // a line without a tab says that there are no resources
				all = append(all, strings.TrimSuffix(line, "\n"))
			}
		}
	}
	for i, page := range b.manifest.Resources.Pages {
		if page.count > len(all) {
			return fmt.Errorf("list_resources: %d lines are missing", page.count-len(all))
		}
		b.manifest.Resources.Pages[i].Lines = b.Add([]byte(strings.Join(all[:page.count], "\n")))
		all = all[page.count:]
	}
	return nil
}
