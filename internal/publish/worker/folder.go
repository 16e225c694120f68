package worker

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
)

// mark begins every configuration of a Worker that this package writes.
const mark = "// Written by mcp-docs-server publish --target cloudflare"

// Write writes a Worker to a folder. It replaces a Worker that it wrote there before, and refuses a
// folder with other files.
func Write(dir string, files []bundle.File) error {
	written, err := os.ReadFile(filepath.Join(dir, "wrangler.jsonc"))
	if errors.Is(err, fs.ErrNotExist) || err == nil && !bytes.HasPrefix(written, []byte(mark)) {
		return bundle.WriteFolder(dir, files)
	} else if err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		switch e.Name() {
		case "README.md", "worker.js", "wrangler.jsonc", "assets", ".wrangler":
		default:
			return fmt.Errorf("%s: %s is not a file of the Worker, and the folder is replaced whole: move it away, or name another folder", dir, e.Name())
		}
	}
	complete := filepath.Clean(dir) + ".new"
	if err := bundle.WriteFolder(complete, files); err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.Rename(complete, dir)
}
