package watch

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

func TestPolling(t *testing.T) {
	w := start(t, Options{Poll: 10 * time.Millisecond})
	w.mkdir("a/b")
	for _, dir := range []string{".", "a", "a/b", "gone"} {
		w.Add(dir)
	}
	w.run()
	if w.reportsOf("a/b"); w.Lag() == 0 {
		t.Error("it does not poll")
	}
	w.named("a/b/f", func() { w.write("a/b/f") })
	w.named("a/b/f", func() { // the same size and time
		info := must.Get(os.Stat(filepath.Join(w.dir, "a/b/f")))(t)
		must.Write(t, filepath.Join(w.dir, "a/b/f"), "y")
		must.Do(t, os.Chtimes(filepath.Join(w.dir, "a/b/f"), info.ModTime(), info.ModTime()))
	})
	w.rename("a/b", "a/c")
	w.reportsOf("a")
	w.mkdir("a/b")
	w.Add("a/b")
	w.named("a/b/g", func() { w.write("a/b/g") })
}

// named runs an action and waits for a later change that names a file.
func (w *watched) named(file string, action func()) {
	w.t.Helper()
	for len(w.reports) > 0 {
		<-w.reports
	}
	action()
	for deadline := time.Now().Add(20 * time.Second); ; {
		if c := w.reportsOf(filepath.ToSlash(filepath.Dir(file))); slices.Contains(c.Files, file) {
			return
		}
		if time.Now().After(deadline) {
			w.t.Fatalf("no change names %s", file)
		}
	}
}

// pollFixture polls a tree in memory, in a synctest bubble, where listing a folder takes time
// and everything else takes none.
type pollFixture struct {
	*Watcher
	mu    sync.Mutex // guards the fields below; the test holds it except while it waits
	tree  fstest.MapFS
	looks map[string]int
	found map[string]time.Time // when a change of a folder was reported
	log   bytes.Buffer
}

func newPollFixture(t *testing.T, folders int, cost time.Duration) *pollFixture {
	f := &pollFixture{tree: fstest.MapFS{}, looks: make(map[string]int), found: make(map[string]time.Time)}
	for i := range folders {
		f.tree[fmt.Sprintf("d%05d/f", i)] = &fstest.MapFile{ModTime: time.Now().Add(-time.Hour)}
	}
	f.Watcher = must.Get(New("/p", Options{
		Poll:   DefaultPoll,
		Logger: slog.New(slog.NewTextHandler(&f.log, nil)),
		List: func(dir string) ([]fs.DirEntry, error) {
			time.Sleep(cost)
			f.mu.Lock()
			defer f.mu.Unlock()
			f.looks[dir]++
			return f.tree.ReadDir(dir)
		},
	}))(t)
	for i := range folders {
		f.Add(fmt.Sprintf("d%05d", i))
	}
	return f
}

func (f *pollFixture) run(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		f.Run(ctx, func(c loader.Changes) {
			if c.All() {
				t.Error("all is read again")
			}
			f.mu.Lock()
			defer f.mu.Unlock()
			for _, dir := range c.Dirs {
				f.found[dir] = time.Now()
			}
		})
	}()
	f.mu.Lock()
	t.Cleanup(func() {
		f.mu.Unlock()
		cancel()
		<-done
	})
}

func (f *pollFixture) wait(d time.Duration) {
	f.mu.Unlock()
	time.Sleep(d)
	synctest.Wait()
	f.mu.Lock()
}

// edit changes a file with a modification time an hour ago, and returns how long it takes to find the change.
func (f *pollFixture) edit(dir string) time.Duration {
	begin := time.Now()
	old := f.tree[dir+"/f"]
	f.tree[dir+"/f"] = &fstest.MapFile{Data: append(old.Data, 'x'), ModTime: old.ModTime}
	for !f.found[dir].After(begin) {
		f.wait(DefaultPoll / 20)
	}
	return f.found[dir].Sub(begin)
}

// A large tree is checked in a tenth of the time. Folders that changed lately are checked each time.
func TestLargeTreeIsPolledLessOften(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const check = 4 * time.Second
		f := newPollFixture(t, 400, check/400)
		f.run(t)
		f.wait(2 * time.Minute)
		if len(f.found) != 400 {
			t.Errorf("%d folders were reported, because they may have changed before the first check", len(f.found))
		}
		if lag := f.Lag(); lag < 40*time.Second || lag > 60*time.Second {
			t.Errorf("changes are found after %v", lag)
		}
		clear(f.found)
		if took := f.edit("d00200"); took > f.Lag()+DefaultPoll {
			t.Errorf("a first change is found after %v", took)
		}
		for range 5 {
			if took := f.edit("d00200"); took > DefaultPoll+check {
				t.Errorf("a further change is found after %v", took)
			}
		}
		if found := slices.Collect(maps.Keys(f.found)); len(found) != 1 {
			t.Errorf("changes of %d folders are reported", len(found))
		}
		f.wait(2 * hotTime)
		clear(f.looks)
		f.wait(time.Minute)
		if n := f.looks["d00200"]; n > 2 {
			t.Errorf("a folder that has not changed lately is checked %d times a minute", n)
		}
	})
}

// A folder that changed shortly before its first check counts as changed lately.
func TestFirstLookFindsWhatChangedLately(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newPollFixture(t, 400, 10*time.Millisecond)
		f.tree["d00010/f"].ModTime = time.Now()
		f.run(t)
		f.wait(time.Minute)
		if took := f.edit("d00010"); took > DefaultPoll+4*time.Second {
			t.Errorf("a change is found after %v", took)
		}
	})
}

// Folders that fit into one interval are all checked in each interval, and nothing is logged.
func TestSmallTreeIsPolledWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newPollFixture(t, 20, time.Millisecond)
		f.run(t)
		f.wait(time.Minute)
		for dir, n := range f.looks {
			if n < 25 {
				t.Errorf("%s is checked %d times", dir, n)
			}
		}
		if took := f.edit("d00007"); took > 2*DefaultPoll || f.log.Len() > 0 {
			t.Errorf("a change is found after %v; the log is %q", took, f.log.String())
		}
	})
}

// A folder that is removed is checked once more, and reported together with its parent.
func TestPolledFolderGoesAndComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newPollFixture(t, 1, 0)
		f.Add(".")
		f.Add("never")
		f.run(t)
		f.wait(time.Minute)
		clear(f.found)
		file := f.tree["d00000/f"]
		delete(f.tree, "d00000/f")
		f.wait(DefaultPoll + time.Second)
		for _, dir := range []string{".", "d00000"} {
			if f.found[dir].IsZero() {
				t.Errorf("%s is not reported", dir)
			}
		}
		clear(f.found)
		f.tree["d00000/f"] = file
		f.wait(DefaultPoll)
		if f.found["d00000"].IsZero() {
			t.Error("the folder is back and not reported")
		}
		delete(f.tree, "d00000/f")
		f.wait(time.Minute)
		clear(f.looks)
		f.wait(time.Minute)
		if f.looks["d00000"]+f.looks["never"] > 0 || f.looks["."] == 0 {
			t.Errorf("after the folder was removed, the checks are %v", f.looks)
		}
	})
}
