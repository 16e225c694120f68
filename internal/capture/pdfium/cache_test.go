package pdfium

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// small is a WebAssembly module with the function "one", which returns 1.
var small = []byte("\x00asm\x01\x00\x00\x00\x01\x05\x01\x60\x00\x01\x7f\x03\x02\x01\x00\x07\x07\x01\x03one\x00\x00\x0a\x06\x01\x04\x00\x41\x01\x0b")

// kept returns the contents of the files of wazero in a folder.
func kept(t *testing.T, folder string) map[string]string {
	t.Helper()
	names, _ := filepath.Glob(filepath.Join(folder, "wazero-*", "*"))
	all := make(map[string]string)
	for _, name := range names {
		data := must.Get(os.ReadFile(name))(t)
		all[name] = string(data)
	}
	return all
}

// loaded loads the small module and returns what is slow.
func loaded(t *testing.T, folder string) string {
	t.Helper()
	e, slow, err := load(small, folder)
	if err != nil || e.compiled.ExportedFunctions()["one"] == nil {
		t.Fatal(err)
	}
	return slow
}

func TestCompiledCodeIsKept(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "new", "pdfium")
	if slow := loaded(t, folder); slow != "" {
		t.Fatal(slow)
	}
	first := kept(t, folder)
	if len(first) != 1 {
		t.Fatalf("%d files", len(first))
	}
	var name, content string
	for name, content = range first {
	}
	flipped := []byte(content)
	flipped[len(flipped)-9] ^= 1
	for what, damage := range map[string]func(){
		"nothing":       func() {},
		"truncated":     func() { os.WriteFile(name, []byte(content[:len(content)/2]), 0o600) },
		"empty":         func() { os.WriteFile(name, nil, 0o600) },
		"one bit":       func() { os.WriteFile(name, flipped, 0o600) },
		"a folder":      func() { os.Remove(name); os.Mkdir(name, 0o700) },
		"other version": func() { os.Rename(filepath.Dir(name), filepath.Join(folder, "wazero-v0.0.1-linux")) },
	} {
		before := must.Get(os.Stat(name))(t)
		damage()
		must.Equal(t, "", loaded(t, folder), what)
		if again := kept(t, folder); len(again) != 1 || len(again[name]) != len(content) {
			t.Errorf("%s: %d files, %d bytes", what, len(again), len(again[name]))
		}
		must.Equal(t, what == "nothing", before.ModTime().Equal(must.Get(os.Stat(name))(t).ModTime()), what)
	}
	// Another module takes the place of the first.
	other := bytes.Replace(small, []byte("one"), []byte("two"), 1)
	if _, slow, err := load(other, folder); err != nil || slow != "" {
		t.Fatal(slow, err)
	}
	if again := kept(t, folder); len(again) != 1 || again[name] != "" {
		t.Errorf("%d files after another version", len(again))
	}
}

func TestFoldersThatAreNotUsed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no permissions")
	}
	dir := t.TempDir()
	mine := filepath.Join(dir, "mine")
	os.Mkdir(mine, 0o700)
	link := filepath.Join(dir, "link")
	os.Symlink(mine, link)
	open := filepath.Join(dir, "open")
	os.Mkdir(open, 0o700)
	os.Chmod(open, 0o777)
	file := filepath.Join(dir, "file")
	os.WriteFile(file, nil, 0o600)
	for folder, want := range map[string]string{link: "is a link", open: "other users can write to it", file: "folder", filepath.Join(file, "x"): "folder"} {
		if slow := loaded(t, folder); !strings.HasPrefix(slow, "compiled for each process: ") || !strings.Contains(slow, want) || len(kept(t, folder)) != 0 {
			t.Errorf("%s: %q, want %q", folder, slow, want)
		}
	}
	// A file to which others can write is removed.
	if slow := loaded(t, mine); slow != "" {
		t.Fatal(slow)
	}
	for name := range kept(t, mine) {
		os.Chmod(name, 0o666)
		if slow := loaded(t, mine); slow != "" {
			t.Fatal(slow)
		}
		must.Equal(t, os.FileMode(0), must.Get(os.Stat(name))(t).Mode().Perm()&0o022)
	}
}

func TestManyCompileAtOnce(t *testing.T) {
	folder := t.TempDir()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, slow, err := load(small, folder); err != nil || slow != "" {
				t.Errorf("%q, %v", slow, err)
			}
		})
	}
	all.Wait()
	must.Equal(t, 1, len(kept(t, folder)), "files")
}
