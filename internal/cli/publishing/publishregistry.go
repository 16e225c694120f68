package publishing

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"

	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/registry"
)

// publishServerJSON writes server.json for the MCP registry, or prints it.
func (a *app) publishServerJSON(ctx context.Context, r *publication, o publishing) error {
	s := registry.Server{Info: r.info, NPM: !o.listing.noNpm, Image: o.listing.image, Remote: o.listing.remote}
	if o.listing.desktopURL != "" {
		data, err := os.ReadFile(o.listing.desktop)
		if err != nil {
			return fmt.Errorf("--mcpb %w", project.PathError(o.listing.desktop, err))
		}
		s.Desktop = registry.Desktop{URL: o.listing.desktopURL, SHA256: fmt.Sprintf("%x", sha256.Sum256(data))}
	}
	data, err := s.JSON()
	if err != nil {
		return err
	}
	r.result.Manifest = data
	if o.dryRun || o.output == "" {
		if o.json {
			return nil // publish prints the result
		}
		_, err := a.Streams.Out.Write(data)
		return err
	}
	r.result.Output = o.output
	return writeFile(o.output, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}
