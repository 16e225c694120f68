package webaccess

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/store"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
)

// Captures that agents made while the project was served, for commands that only look. They show
// what everybody may see. Those of a server that keeps them in memory are not to be had.

// CaptureFiles returns how a project keeps captures in files, and whether it has any.
func CaptureFiles(p *project.Project) (store.Settings, bool) {
	settings, err := new(webAccess).storeSettings(p)
	if err != nil || settings.Kind != store.Files { // serve reports what is wrong
		return settings, false
	}
	settings.ReadOnly = true
	info, err := os.Stat(settings.Folder)
	return settings, err == nil && info.IsDir()
}

// OpenCaptures opens them; nil: there are none.
func OpenCaptures(ctx context.Context, p *project.Project) (*store.Store, error) {
	settings, ok := CaptureFiles(p)
	if !ok {
		return nil, nil
	}
	kept, err := store.Open(ctx, settings, slog.New(slog.DiscardHandler))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", settings.Folder, err)
	}
	return kept, nil
}
