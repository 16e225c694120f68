package watch

import (
	"context"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// watched is a watcher of a new folder, with its reports.
type watched struct {
	*Watcher
	t       *testing.T
	dir     string
	reports chan loader.Changes
}

func start(t *testing.T, opts Options) *watched {
	t.Helper()
	dir := t.TempDir()
	opts.Logger = slog.New(slog.DiscardHandler)
	opts.List = func(name string) ([]fs.DirEntry, error) { return os.ReadDir(filepath.Join(dir, name)) }
	w := must.Get(New(dir, opts))(t)
	return &watched{Watcher: w, t: t, dir: dir, reports: make(chan loader.Changes, 100)}
}

// run follows changes until the test ends.
func (w *watched) run() {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.Run(ctx, func(c loader.Changes) { w.reports <- c })
	}()
	w.t.Cleanup(func() {
		cancel()
		<-done
	})
}

func (w *watched) mkdir(name string) {
	w.t.Helper()
	must.Do(w.t, os.MkdirAll(filepath.Join(w.dir, name), 0o700))
}

func (w *watched) write(name string) {
	w.t.Helper()
	must.Write(w.t, filepath.Join(w.dir, name), "x")
}

func (w *watched) rename(from, to string) {
	w.t.Helper()
	must.Do(w.t, os.Rename(filepath.Join(w.dir, from), filepath.Join(w.dir, to)))
}

// reportsOf waits for a report about a folder.
func (w *watched) reportsOf(dir string) loader.Changes {
	w.t.Helper()
	for { // the timeout of go test reports a change that never comes
		if c := <-w.reports; c.All() || slices.Contains(c.Dirs, dir) || slices.Contains(c.Trees, dir) {
			return c
		}
	}
}

func TestReports(t *testing.T) {
	w := start(t, Options{})
	w.mkdir("a/b")
	for _, dir := range []string{".", "a", "a/b", "gone"} {
		w.Add(dir)
	}
	w.run()
	w.write("a/b/f")
	if c := w.reportsOf("a/b"); !slices.Contains(c.Files, "a/b/f") || c.All() {
		t.Errorf("a new file: %+v", c)
	}
	w.mkdir("a/new")
	if c := w.reportsOf("a/new"); !slices.Contains(c.Dirs, "a") || !slices.Contains(c.Trees, "a/new") {
		t.Errorf("a new folder: %+v", c)
	}
	w.rename("a/b", "a/c")
	c := w.reportsOf("a/b")
	if !slices.Contains(c.Trees, "a/b") {
		t.Errorf("a renamed folder: %+v", c)
	}
	if w.Lag() > 0 {
		t.Error("it polls")
	}
}

// A folder that moves to an unwatched place, and is read there before its move is reported, is
// still watched afterwards.
func TestMovedFolderKeepsItsWatch(t *testing.T) {
	w := start(t, Options{})
	w.mkdir("a/d/e")
	w.mkdir("b")
	for _, dir := range []string{"a", "a/d", "a/d/e"} {
		w.Add(dir)
	}
	w.rename("a/d", "b/d")
	for _, dir := range []string{"b/d", "b/d/e"} {
		w.Add(dir)
	}
	w.run()
	w.reportsOf("a")
	w.write("b/d/e/f")
	w.reportsOf("b/d/e")
}

func TestReplacedProject(t *testing.T) {
	exchanged := make(chan bool, 1)
	w := start(t, Options{Reopen: func() (bool, error) {
		select {
		case <-exchanged:
			return true, nil
		default:
			return false, nil
		}
	}})
	w.Add(".")
	w.run()
	exchanged <- true
	if c := w.reportsOf("."); !c.All() {
		t.Errorf("%+v", c)
	}
}

// Too many single changes become a change of everything.
func TestManyMarks(t *testing.T) {
	w := start(t, Options{})
	w.Add(".")
	w.mark(func(m *marks) {
		for i := range maxMarks + 1 {
			m.mark(string(rune('a'+i%26)) + filepath.Base(t.Name()) + string(rune(i)))
		}
	})
	if c, ok := w.take(); !ok || !c.All() {
		t.Errorf("%d single folders are reported", len(c.Dirs))
	}
	w.Close()
}

func TestBelow(t *testing.T) {
	w := &Watcher{dir: filepath.FromSlash("/p/q")}
	for name, want := range map[string]string{"/p/q": ".", "/p/q/a": "a", "/p/q/a/b": "a/b", "/p/qq/a": "", "/p": "", "/x": ""} {
		got, ok := w.below(filepath.FromSlash(name))
		if got != want || ok != (want != "") {
			t.Errorf("below(%q) = %q, %v; want %q", name, got, ok, want)
		}
	}
}
