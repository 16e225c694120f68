package bundle

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWriteFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	files := []File{Bytes("bin/stdio.js", ModeExecutable, []byte("#!")), Bytes("docs/a/b.md", ModePlain, []byte("b"))}
	if err := WriteFolder(dir, files); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"bin/stdio.js": "#!", "docs/a/b.md": "b"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || string(data) != want {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
	if err := WriteFolder(dir, files); err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("into a folder that is not empty: %v", err)
	}
	for _, name := range []string{"../out", "/out", "twice"} {
		above := t.TempDir()
		if err := WriteFolder(filepath.Join(above, "out"), []File{Bytes("twice", ModePlain, nil), Bytes(name, ModePlain, nil)}); err == nil {
			t.Errorf("%s was written", name)
		}
		if left, err := os.ReadDir(above); err != nil || len(left) > 0 {
			t.Errorf("%s: left are %v, %v", name, left, err)
		}
	}
}
