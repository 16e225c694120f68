package rootfs

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// A hung disk answers a call for some paths only after it is released.
type hung struct {
	*FS
	mu       sync.Mutex // guards the fields below
	reports  []string
	releases map[string]chan struct{}
}

func newHung(t *testing.T, names ...string) *hung {
	h := &hung{FS: open(t, t.TempDir()), releases: make(map[string]chan struct{})}
	for _, name := range names {
		h.releases[name] = make(chan struct{})
	}
	h.Bound(func(name string, blocked bool) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.reports = append(h.reports, fmt.Sprint(name, " ", blocked))
	})
	h.waits.mounts = func() ([]string, bool) { return nil, false }
	h.waits.calls = make(chan struct{}, maxCalls)
	return h
}

// read waits for a path.
func (h *hung) read(name string) (string, error) {
	return bounded(h.FS, name, func() (string, error) {
		if release := h.releases[name]; release != nil {
			<-release
		}
		return "text of " + name, nil
	}, func(string) {})
}

// each returns which of the paths are blocked.
func (h *hung) each(names ...string) (blocked []string) {
	for _, name := range names {
		if _, err := h.read(name); errors.Is(err, ErrBlocked) {
			blocked = append(blocked, name)
		}
	}
	return blocked
}

func TestBlockedPath(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHung(t, "docs/b.md")
		begin := time.Now()
		if blocked := h.each("docs/a.md", "docs/b.md", "docs/c.md"); !slices.Equal(blocked, []string{"docs/b.md"}) || time.Since(begin) != answerTime {
			t.Errorf("%q are blocked after %v", blocked, time.Since(begin))
		}
		begin = time.Now()
		if _, err := h.read("docs/b.md"); !errors.Is(err, ErrBlocked) || time.Since(begin) != 0 {
			t.Errorf("%v after %v", err, time.Since(begin))
		}
		if got, err := h.read("docs/bb"); got != "text of docs/bb" || err != nil {
			t.Errorf("another path is %q, %v", got, err)
		}
		if n := len(h.waits.calls); n != 1 {
			t.Errorf("%d calls hold a thread", n)
		}
		close(h.releases["docs/b.md"])
		synctest.Wait()
		got, err := h.read("docs/b.md")
		synctest.Wait()
		if got == "" || err != nil || len(h.waits.calls) != 0 {
			t.Errorf("the path that answers again is %q, %v, with %d calls", got, err, len(h.waits.calls))
		}
		if want := []string{"docs/b.md true", "docs/b.md false"}; !slices.Equal(h.reports, want) {
			t.Errorf("reports are %q", h.reports)
		}
	})
}

// A mount is blocked as a whole, and a folder with many blocked files.
func TestBlockedFolders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHung(t, "docs/mount/x/a", "docs/s/1", "docs/s/2", "docs/s/3", "docs/s/4")
		h.waits.mounts = func() ([]string, bool) { return []string{"docs/mount", "docs/mou"}, false }
		h.each("docs/mount/x/a", "docs/mount/x", "docs/s/1", "docs/s/2", "docs/s/3", "docs/s/4")
		for name, want := range map[string]bool{"docs/mount": true, "docs/mount/y": true, "docs/mounted": false, "docs/s": true, "docs/s/5": true, "docs": false} {
			if got := h.waits.has(name); got != want {
				t.Errorf("%s is blocked: %v", name, got)
			}
		}
		for _, release := range h.releases {
			close(release)
		}
		synctest.Wait()
		if h.waits.any.Load() || len(h.waits.calls) != 0 {
			t.Errorf("%d calls are left", len(h.waits.calls))
		}
	})
}

// Blocked calls do not take all threads of the system.
func TestBlockedCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var names []string
		for i := range 2 * maxCalls {
			names = append(names, fmt.Sprintf("d%d/a", i))
		}
		h := newHung(t, names...)
		blocked := h.each(names...)
		synctest.Wait()
		if len(blocked) != len(names) || len(h.waits.calls) != maxCalls {
			t.Errorf("%d paths are blocked by %d calls", len(blocked), len(h.waits.calls))
		}
		for _, release := range h.releases {
			close(release)
		}
		synctest.Wait()
		if _, err := h.read("d1/a"); err != nil || len(h.waits.calls) != 0 {
			t.Errorf("%v, with %d calls", err, len(h.waits.calls))
		}
	})
}

// Calls that are bounded return what others return.
func TestBound(t *testing.T) {
	f := open(t, t.TempDir())
	for _, name := range []string{"a.md", "b.md", "d/c.md"} {
		_ = os.MkdirAll(filepath.Dir(filepath.Join(f.Path(), name)), 0o700)
		must.Write(t, filepath.Join(f.Path(), name), name)
	}
	f.Bound(nil)
	f.waits.mounts = func() ([]string, bool) { return nil, false }
	entries, err := f.ReadDir(".")
	var names []string
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || info.Name() != e.Name() || info.IsDir() != e.IsDir() {
			t.Errorf("%v, %v", info, err)
		}
		names = append(names, e.Name())
	}
	if slices.Sort(names); !slices.Equal(names, []string{"a.md", "b.md", "d"}) || err != nil {
		t.Errorf("%q, %v", names, err)
	}
	for e, err := range f.Entries("d") {
		if err != nil || e.Name() != "c.md" {
			t.Errorf("%v, %v", e, err)
		}
	}
	for _, dir := range []string{"gone", "a.md"} {
		if _, err := f.ReadDir(dir); err == nil {
			t.Errorf("%s is listed", dir)
		}
	}
	for _, open := range []func(string) error{
		func(name string) error { _, err := f.Open(name); return err },
		func(name string) error { _, _, err := f.OpenPlain(name); return err },
		func(name string) error { _, err := f.Stat(name); return err },
		func(name string) error { _, err := f.Lstat(name); return err },
	} {
		if open("d/c.md") != nil || !errors.Is(open("d/gone"), os.ErrNotExist) {
			t.Errorf("%v, %v", open("d/c.md"), open("d/gone"))
		}
	}
	file := must.Get(f.Open("d/c.md"))(t)
	defer file.Close()
	if data, err := io.ReadAll(Reader(f, "d/c.md", file)); string(data) != "d/c.md" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
}
