package serving

import (
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// The first server makes the key, and all others read the same, also at the same time.
func TestLocalKey(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "service")
	t.Setenv("STATE_DIRECTORY", dir)
	localKey := func() (string, error) {
		folder, err := openState()
		if err != nil {
			return "", err
		}
		defer folder.Close()
		return localKey(folder)
	}
	keys := make([]string, 8)
	var work sync.WaitGroup
	for i := range keys {
		work.Go(func() {
			var err error
			if keys[i], err = localKey(); err != nil {
				t.Error(err)
			}
		})
	}
	work.Wait()
	for _, key := range keys {
		if key != keys[0] || len(key) < 32 {
			t.Errorf("%d characters, the first has %d", len(key), len(keys[0]))
		}
	}
	file := filepath.Join(dir, keyFile)
	info, err := os.Stat(file)
	entries, _ := os.ReadDir(dir)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 || len(entries) != 1 {
		t.Errorf("%v, %v, %d files", info.Mode(), err, len(entries))
	}
	if runtime.GOOS == "windows" {
		return // no modes, and links need a right
	}
	must.Do(t, os.Chmod(file, 0o644))
	if _, err := localKey(); err == nil {
		t.Error("a key that others can read is used")
	}
	must.Do(t, os.Rename(file, file+"2"))
	must.Do(t, os.Symlink(file+"2", file))
	if _, err := localKey(); err == nil {
		t.Error("a link is followed")
	}
}
