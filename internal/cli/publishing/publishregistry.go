package publishing

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
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
		sum, err := sumOf(o.listing.desktop)
		if err != nil {
			return fmt.Errorf("--mcpb %w", err)
		}
		s.Desktop = registry.Desktop{URL: o.listing.desktopURL, SHA256: sum}
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

// sumOf returns the SHA-256 sum of a file, in hexadecimal.
func sumOf(name string) (string, error) {
	info, err := os.Stat(name)
	if err != nil {
		return "", project.PathError(name, err)
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s: is not a file, must be the desktop bundle", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return "", project.PathError(name, err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", project.PathError(name, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
