package main

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// TestRooms compares the tables of docs/design.md that say where something is added with the tree: each file and folder exists, and
// the Go files of a room have each of its names as a string.
func TestRooms(t *testing.T) {
	root := os.DirFS("../..")
	text := must.Get(fs.ReadFile(root, "docs/design.md"))(t)
	for _, m := range regexp.MustCompile("`((?:cmd|docs|examples|internal|loader|matcher|test)/[\\w./-]*)`").FindAllStringSubmatch(string(text), -1) {
		if _, err := fs.Stat(root, strings.TrimSuffix(m[1], "/")); err != nil {
			t.Errorf("docs/design.md: %v", err)
		}
	}
	name := regexp.MustCompile("`(?:--)?([^`]+)`")
	rows := regexp.MustCompile("(?m)^\\| (command|flag|tool|file|client|rule)[^|]* \\| (.+) \\| `(.+)` \\|$").FindAllStringSubmatch(string(text), -1)
	for _, m := range rows {
		code := sourceOf(t, root, m[3])
		for _, n := range name.FindAllStringSubmatch(m[2], -1) {
			if !regexp.MustCompile("[\"`](?:[^\"`\n]*/)?" + regexp.QuoteMeta(n[1]) + "[\"` |]").MatchString(code) {
				t.Errorf("docs/design.md: %s has no %s %q", m[3], m[1], n[1])
			}
		}
	}
	if len(rows) < 20 {
		t.Errorf("docs/design.md has %d rows", len(rows))
	}
}

// sourceOf returns the Go files in a folder and its sub-folders, without tests.
func sourceOf(t *testing.T, root fs.FS, folder string) string {
	t.Helper()
	var code strings.Builder
	err := fs.WalkDir(root, folder, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		data, err := fs.ReadFile(root, name)
		code.Write(data)
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return code.String()
}
