package webaccess

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/store"
	"github.com/mcp-docs-server/mcp-docs-server/internal/project"
)

// Captures of agents, for commands that only read them. The commands show public captures. They cannot
// show captures that a server keeps in memory.

// CaptureFiles returns the settings of a project that keeps captures in files, and false for other
// projects.
func CaptureFiles(p *project.Project) (store.Settings, bool) {
	settings, err := new(webAccess).storeSettings(p)
	if err != nil || settings.Kind != store.Files { // serve reports the error
		return settings, false
	}
	info, err := os.Stat(settings.Folder)
	return settings.Unbounded(), err == nil && info.IsDir()
}

// OpenCaptures opens the captures of a project. It returns nil if the project has none.
func OpenCaptures(ctx context.Context, p *project.Project) (*store.Store, error) {
	settings, ok := CaptureFiles(p)
	if !ok {
		return nil, nil
	}
	kept, err := store.Open(ctx, settings, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", settings.Folder, err)
	}
	return kept, nil
}
