// Package given makes the files that tests start with, from lines "path=content". "path->target" is a symbolic link, and
// a path that ends with "/" is an empty folder.
package given

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// modified is when each file in memory was modified.
var modified = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// Files returns a tree in memory.
func Files(lines ...string) fstest.MapFS {
	m := fstest.MapFS{}
	for _, line := range lines {
		name, content, mode := cut(line)
		m[name] = &fstest.MapFile{Data: []byte(content), Mode: mode, ModTime: modified}
	}
	return m
}

// Resources is Files in the folder resources.
func Resources(lines ...string) fstest.MapFS {
	m := fstest.MapFS{}
	for name, file := range Files(lines...) {
		m["resources/"+name] = file
	}
	return m
}

// Texts is Files for texts that have a "=" in their names, or that other code makes. A text that begins with "-> " is the target of a
// link.
func Texts(files map[string]string) fstest.MapFS {
	m := fstest.MapFS{}
	for name, text := range files {
		mode := fs.FileMode(0o600)
		if target, ok := strings.CutPrefix(text, "-> "); ok {
			text, mode = target, fs.ModeSymlink
		}
		m[name] = &fstest.MapFile{Data: []byte(text), Mode: mode, ModTime: modified}
	}
	return m
}

// Folder returns a folder on the disk, which ends with the test.
func Folder(t testing.TB, lines ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, line := range lines {
		name, content, mode := cut(line)
		file := filepath.Join(dir, filepath.FromSlash(name))
		switch {
		case mode == fs.ModeDir:
			must.Do(t, os.MkdirAll(file, 0o700))
		case mode == fs.ModeSymlink:
			must.Do(t, os.MkdirAll(filepath.Dir(file), 0o700))
			must.Do(t, os.Symlink(content, file))
		default:
			must.Write(t, file, content)
		}
	}
	return dir
}

func cut(line string) (name, content string, mode fs.FileMode) {
	name, content, equal := strings.Cut(line, "=")
	if at, target, ok := strings.Cut(name, "->"); ok && !equal {
		return at, target, fs.ModeSymlink
	}
	if strings.HasSuffix(name, "/") && !equal {
		return name, "", fs.ModeDir
	}
	return name, content, 0
}

// A Dir is a folder that a test changes. Names in it are separated by slashes.
type Dir struct {
	T    testing.TB
	Path string
}

// In returns the folder path.
func In(t testing.TB, path string) Dir { return Dir{t, path} }

// File returns the path of a file in the folder.
func (d Dir) File(name string) string { return filepath.Join(d.Path, filepath.FromSlash(name)) }

// Write writes a file, and makes the folders above it.
func (d Dir) Write(name, text string) { d.T.Helper(); must.Write(d.T, d.File(name), text) }

// Remove removes a file or a folder, if it exists.
func (d Dir) Remove(name string) { d.T.Helper(); must.Do(d.T, os.RemoveAll(d.File(name))) }

// Rename renames a file or a folder.
func (d Dir) Rename(from, to string) { d.T.Helper(); must.Do(d.T, os.Rename(d.File(from), d.File(to))) }

// Link makes a symbolic link.
func (d Dir) Link(target, name string) { d.T.Helper(); must.Do(d.T, os.Symlink(target, d.File(name))) }
