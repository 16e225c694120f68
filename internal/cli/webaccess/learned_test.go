package webaccess

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/capture/fetch"
)

// Strategies that worked for a site are remembered after a restart, next to captures in files.
func TestLearnedIsKept(t *testing.T) {
	dir := t.TempDir()
	w := &webAccess{logger: slog.New(slog.DiscardHandler)}
	memory := fetch.NewMemory()
	run, err := w.remember(memory, dir)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		run(ctx)
	}()
	memory.Learn(&url.URL{Scheme: "https", Host: "example.com", Path: "/blog/a"}, fetch.BrowserName)
	cancel() // run writes the file at its end at the latest
	<-ended
	again := fetch.NewMemory()
	if _, err := w.remember(again, dir); err != nil {
		t.Fatal(err)
	}
	if data, err := json.Marshal(again); err != nil || !strings.Contains(string(data), `"example.com/blog/":{"strategy":"browser"`) {
		t.Errorf("%s %v", data, err)
	}
	if err := os.WriteFile(filepath.Join(dir, learnedFile), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := w.remember(fetch.NewMemory(), dir); err != nil {
		t.Errorf("a file that cannot be read ends the start: %v", err)
	}
}
