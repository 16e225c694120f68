package authoring

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/author/explain"
	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/store"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/webaccess"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
)

// explainCapture describes the capture that a URI names. It returns nil for other URIs.
func explainCapture(ctx context.Context, p *project.Project, uri string) (*explain.Capture, error) {
	kept, err := webaccess.OpenCaptures(ctx, p)
	if kept == nil {
		return nil, err
	}
	defer kept.Close()
	name, ok := strings.CutPrefix(uri, kept.Scheme()+"://")
	tier, key, _ := strings.Cut(name, "/")
	if !ok {
		return nil, nil
	}
	c, err := kept.Get(ctx, key)
	if err != nil || c.Meta.Owner != "" {
		return nil, nil
	}
	part, ok := c.Meta.Parts[store.Tier(tier)]
	if !ok {
		return nil, nil
	}
	return &explain.Capture{
		URL: c.Meta.URL, Source: c.Meta.Source, Created: c.Meta.Created, Expires: c.Meta.Expires(), MIMEType: part.MIME, Size: part.Bytes,
		File: filepath.Join(kept.Settings().Folder, filepath.FromSlash(kept.File(c, store.Tier(tier)))),
	}, nil
}

// writeCapture prints a capture as text.
func writeCapture(w io.Writer, uri string, c *explain.Capture) {
	fmt.Fprintf(w, "%s is served. It was captured from %s.\n", command.Printable(uri), command.Printable(c.URL))
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(w, "  %-10s %s\n", name, command.Printable(value))
		}
	}
	line("file", c.File)
	line("type", c.MIMEType)
	line("size", fmt.Sprintf("%d bytes", c.Size))
	line("captured", c.Created.Format(time.RFC3339))
	expires := "never"
	if !c.Expires.IsZero() {
		expires = c.Expires.Format(time.RFC3339)
	}
	line("expires", expires)
	line("by", c.Source)
}
