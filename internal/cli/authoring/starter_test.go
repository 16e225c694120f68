package authoring

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/config"
)

// A file that is created after the plan was made stays unchanged.
func TestWriteNeverOverwrites(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	must.Do(t, err)
	defer root.Close()
	missing, there, err := planned(root.FS(), config.Default("x"), false, false)
	if err != nil || len(missing) != 7 || len(there) != 0 {
		t.Fatalf("%d files are missing, %v are there, %v", len(missing), there, err)
	}
	existing := filepath.Join(dir, "prompts", "explain.md")
	must.Write(t, existing, "own")
	written, err := writeNew(root, missing)
	if !errors.Is(err, fs.ErrExist) || len(written) != 4 {
		t.Errorf("%q are written, %v", written, err)
	}
	if data, err := os.ReadFile(existing); err != nil || string(data) != "own" {
		t.Errorf("the file is %q, %v", data, err)
	}
}

// The prompt embeds a resource only if the resource is written too.
func TestPlanOfProjectsWithResources(t *testing.T) {
	for folder, want := range map[string]bool{"resources/x/h/a": false, "other/a": true} {
		missing, _, err := planned(fstest.MapFS{folder: &fstest.MapFile{}}, config.Default("x"), true, false)
		must.Do(t, err)
		for _, f := range missing {
			if f.Name == "prompts/explain.md" && (len(f.Data) == len(example("prompts/explain.md"))) != want {
				t.Errorf("with %s the prompt is %q", folder, f.Data)
			}
		}
	}
}
