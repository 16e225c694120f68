package rootfs

import (
	"io"
	"os"
	"path/filepath"
	"testing"
)

// After AwaitWrite, the file is at its start. A file without data has no writes to wait for.
func TestAwaitWrite(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"a": "abc", "empty": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "hole"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(dir, "hole"), 1<<20); err != nil {
		t.Fatal(err)
	}
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for name, size := range map[string]int{"a": 3, "empty": 0, "hole": 1 << 20} {
		file, _, err := f.OpenPlain(name)
		if err != nil {
			t.Fatal(err)
		}
		f.AwaitWrite(file)
		if data, err := io.ReadAll(file); err != nil || len(data) != size {
			t.Errorf("%s: %d bytes, %v", name, len(data), err)
		}
		file.Close()
	}
}
