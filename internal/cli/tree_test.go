package cli

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// An fsys changes a folder.
type fsys struct {
	t   *testing.T
	dir string
}

func (f fsys) path(name string) string { return filepath.Join(f.dir, filepath.FromSlash(name)) }

func (f fsys) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

func (f fsys) write(name, content string) {
	f.t.Helper()
	f.must(os.MkdirAll(filepath.Dir(f.path(name)), 0o700))
	f.must(os.WriteFile(f.path(name), []byte(content), 0o600))
}

func (f fsys) remove(name string) { f.t.Helper(); f.must(os.RemoveAll(f.path(name))) }
func (f fsys) link(target, name string) {
	f.t.Helper()
	f.must(os.Symlink(target, f.path(name)))
}

// lastMoment returns when a waiting test gives up: shortly before go test ends it, so that no
// machine is too slow and the test can still report what it waits for.
func lastMoment(t *testing.T) time.Time {
	if end, ok := t.Deadline(); ok {
		return end.Add(-10 * time.Second)
	}
	return time.Now().Add(24 * time.Hour)
}
