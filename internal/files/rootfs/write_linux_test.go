package rootfs

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// After AwaitWrite, the file is at its start. A file without data has no writes to wait for.
func TestAwaitWrite(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"a": "abc", "empty": ""} {
		must.Write(t, filepath.Join(dir, name), content)
	}
	must.Write(t, filepath.Join(dir, "hole"), "")
	must.Do(t, os.Truncate(filepath.Join(dir, "hole"), 1<<20))
	f := open(t, dir)
	for name, size := range map[string]int{"a": 3, "empty": 0, "hole": 1 << 20} {
		file, _, err := f.OpenPlain(name)
		must.Do(t, err)
		f.AwaitWrite(file)
		if data, err := io.ReadAll(file); err != nil || len(data) != size {
			t.Errorf("%s: %d bytes, %v", name, len(data), err)
		}
		file.Close()
	}
}
