package authoring

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file that another program writes meanwhile stays as that program wants it.
func TestReplaceAChangedFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.json")
	f := &clientFile{path: file, real: file, mode: 0o600}
	if err := os.WriteFile(file, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := f.replace([]byte("ours")); err == nil || !strings.Contains(err.Error(), "another program has just changed it") {
		t.Errorf("a new file: %v", err)
	}
	f.there, f.text = true, []byte("before")
	if _, err := f.replace([]byte("ours")); err == nil || !strings.Contains(err.Error(), "another program has just changed it") {
		t.Errorf("an old file: %v", err)
	}
	left, err := os.ReadDir(filepath.Dir(file))
	if text, _ := os.ReadFile(file); err != nil || len(left) != 1 || string(text) != "theirs" {
		t.Errorf("%v, %v: %s", left, err, text)
	}
}
