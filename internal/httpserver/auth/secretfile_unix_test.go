//go:build unix

package auth

import (
	"log/slog"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// A pipe and a device would be read without end.
func TestIrregular(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	must.Do(t, syscall.Mkfifo(pipe, 0o600))
	for _, name := range []string{pipe, "/dev/zero"} {
		if _, err := ReadFile(name, slog.New(slog.DiscardHandler)); err == nil {
			t.Errorf("%s was read", name)
		}
	}
}
