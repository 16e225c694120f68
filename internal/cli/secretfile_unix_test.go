//go:build unix

package cli

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// A secret is read from a regular file only: a device would be read until memory ends, and a pipe would wait.
func TestSecretFiles(t *testing.T) {
	dir := given.Folder(t, goodConfig, "docs/a.md=# A")
	pipe := filepath.Join(t.TempDir(), "pipe")
	must.Do(t, syscall.Mkfifo(pipe, 0o600))
	for _, file := range []string{"/dev/zero", pipe} {
		for _, options := range [][]string{{"--session-key-file=" + file}, {"--token-file=" + file}, {"--store-file=" + file}, {"--tls-cert=" + file, "--tls-key=" + file}} {
			args := append([]string{"serve", dir, "--http=127.0.0.1:0"}, options...)
			try(t, args...).ends(1).complains(file + ": is not a regular file")
		}
	}
}
