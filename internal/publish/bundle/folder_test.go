package bundle

import (
	"context"
	"errors"
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

// If a folder is not written, its parents are removed again.
func TestWriteFolderStops(t *testing.T) {
	above := t.TempDir()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var read int
	files := []File{Bytes("a", ModePlain, make([]byte, 100<<10)), Bytes("b", ModePlain, nil)}
	for i := range files {
		files[i] = files[i].Attended(ctx, func(n int) {
			read += n
			stop()
		})
	}
	if err := WriteFolder(filepath.Join(above, "x", "y", "out"), files); !errors.Is(err, context.Canceled) || read == 0 || read == 100<<10 {
		t.Errorf("%v after %d bytes", err, read)
	}
	if names, err := os.ReadDir(above); err != nil || len(names) > 0 {
		t.Errorf("%v is left, %v", names, err)
	}
	if _, err := files[1].Open(); !errors.Is(err, context.Canceled) {
		t.Errorf("opened all the same: %v", err)
	}
}
