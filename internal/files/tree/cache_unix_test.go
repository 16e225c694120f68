//go:build unix

package tree

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// A pipe in place of a copy is found damaged at once.
func TestPipeInCache(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	c := must.Get(OpenCache(dir))(t)
	defer c.Close()
	var d Digest
	must.Do(t, syscall.Mkfifo(filepath.Join(dir, copiesFolder, hex.EncodeToString(d[:])), 0o600))
	if f, err := c.open(d, 0); err == nil {
		f.Close()
		t.Error("a pipe was opened")
	}
}

// The folder of another user is not used: that user could change what is served.
func TestForeignCache(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a folder to somebody else")
	}
	dir := t.TempDir()
	if err := os.Chown(dir, 65534, 65534); err != nil {
		t.Skip("folders cannot be given to others here: ", err)
	}
	if c, err := OpenCache(dir); err == nil {
		c.Close()
		t.Error("it was opened")
	}
}
