// Package given makes the files that tests start with, from lines "path=content". "path->target" is a symbolic link, and
// a path that ends with "/" is an empty folder. [Cases] reads long tables from testdata.
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
	files := make(map[string]string)
	for _, line := range lines {
		name, text, equal := strings.Cut(line, "=")
		if at, target, ok := strings.Cut(name, "->"); ok && !equal {
			name, text = at, "-> "+target
		}
		files[name] = text
	}
	return Texts(files)
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
		file := &fstest.MapFile{Data: []byte(text), Mode: 0o600, ModTime: modified}
		if target, ok := strings.CutPrefix(text, "-> "); ok {
			file.Data, file.Mode = []byte(strings.TrimSpace(target)), fs.ModeSymlink
		}
		if strings.HasSuffix(name, "/") {
			file.Mode = fs.ModeDir
		}
		m[strings.TrimSuffix(name, "/")] = file
	}
	return m
}

// Folder returns a folder on the disk, which ends with the test.
func Folder(t testing.TB, lines ...string) string {
	t.Helper()
	dir := t.TempDir()
	must.Do(t, os.CopyFS(dir, Files(lines...)))
	return dir
}

// A Case is a part of a file in testdata. Texts end without a line end, and files with one, unless they are empty.
//
//	== NAME ==
//	text
//	-- docs/a.md --
//	text of the file docs/a.md
//
//	== NAME OF THE NEXT CASE ==
type Case struct {
	Name, Text string
	Files      map[string]string // for [Texts]
}

// start is the folder of the package whose tests run, also if a test changes the current folder.
var start, _ = os.Getwd()

// Cases reads the cases of a file in testdata. Text above the first one is a comment, and empty lines at the end of a case do not count.
func Cases(t testing.TB, file string) (cases []Case) {
	t.Helper()
	for _, part := range strings.Split("\n"+string(must.Get(os.ReadFile(filepath.Join(start, "testdata", file)))(t)), "\n== ")[1:] {
		name, rest, _ := strings.Cut(strings.TrimRight(part, "\n")+"\n", " ==\n")
		sections := strings.Split("\n"+strings.TrimSuffix(rest, "\n"), "\n-- ")
		c := Case{Name: name, Text: strings.TrimPrefix(sections[0], "\n"), Files: make(map[string]string)}
		for _, section := range sections[1:] {
			name, text, _ := strings.Cut(section+"\n", " --\n")
			c.Files[name] = text
		}
		cases = append(cases, c)
	}
	if cases == nil {
		t.Fatalf("%s has no cases", file)
	}
	return cases
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
