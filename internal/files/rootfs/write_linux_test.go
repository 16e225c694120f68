package rootfs

import (
	"io"
	"os"
	"path/filepath"
	"testing"
)

func TestFineTimes(t *testing.T) {
	for release, want := range map[string]bool{
		"6.13.0": true, "6.13-rc1": true, "6.18.44-fc-v669": true, "7.0.1": true, "6.12.9-amd64": false, "5.15.0-91-generic": false,
		"": false, "6": false, "x.y": false, "6.x": false,
	} {
		if got := fineTimes(release); got != want {
			t.Errorf("%q: %v", release, got)
		}
	}
}

// After AwaitWrite, the file is at its start, whatever AwaitWrite returns. A file without data has
// no writes to wait for.
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
		_, ok := f.AwaitWrite(file)
		if data, err := io.ReadAll(file); err != nil || len(data) != size {
			t.Errorf("%s: %v, then %d bytes, %v", name, ok, len(data), err)
		}
		file.Close()
	}
	if _, ok := f.AwaitWrite(nil); ok {
		t.Error("it waits for a file of another file system")
	}
}
