package rootfs

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

func open(t *testing.T, dir string) *FS {
	t.Helper()
	f := must.Get(Open(dir))(t)
	t.Cleanup(func() { f.Close() })
	return f
}

func TestAppend(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir)
	for _, text := range []string{"one\n", "two\n"} {
		file := must.Get(f.Append(".log"))(t)
		must.Get(file.WriteString(text))(t)
		file.Close()
	}
	if text, err := os.ReadFile(filepath.Join(dir, ".log")); string(text) != "one\ntwo\n" {
		t.Errorf("%q, %v", text, err)
	}
	outside := filepath.Join(t.TempDir(), "file")
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Skip("no links here")
	}
	for _, name := range []string{"link", "../x", ".", "a/../b", ""} {
		if file, err := f.Append(name); err == nil {
			file.Close()
			t.Errorf("%q was opened", name)
		}
		if err := f.Remove(name); err == nil && name != "link" {
			t.Errorf("%q was removed", name)
		}
	}
	if _, err := os.Lstat(outside); err == nil {
		t.Error("a file was written by way of a link")
	}
}

func TestLock(t *testing.T) {
	f := open(t, t.TempDir())
	for range 2 {
		release := must.Get(f.Lock(".lock"))(t)
		if _, err := f.Lock(".lock"); !errors.Is(err, ErrLocked) {
			t.Errorf("it was locked twice: %v", err)
		}
		release()
	}
	if names, err := f.Names("."); err != nil || len(names) != 0 {
		t.Errorf("%v, %v", names, err)
	}
}

func TestAChangeWaitsForOtherPrograms(t *testing.T) {
	inUse, other := errors.New("in use"), errors.New("other")
	busy := func(err error) bool { return err == inUse }
	for _, test := range []struct {
		name  string
		free  time.Duration // when the other program closes the file
		after error
		want  error
		least time.Duration
		most  time.Duration
	}{
		{"a file that nobody has open", 0, nil, nil, 0, 0},
		{"an error that no time mends", 0, other, other, 0, 0},
		{"a virus scanner", 300 * time.Millisecond, nil, nil, 300 * time.Millisecond, 300*time.Millisecond + busyPause},
		{"a virus scanner, and then an error", 300 * time.Millisecond, other, other, 300 * time.Millisecond, 300*time.Millisecond + busyPause},
		{"an editor", time.Hour, nil, inUse, busyTime, busyTime + busyPause},
	} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			err := settled(func() error {
				if time.Since(began) < test.free {
					return inUse
				}
				return test.after
			}, busy)
			if passed := time.Since(began); err != test.want || passed < test.least || passed > test.most {
				t.Errorf("%s: %v after %v", test.name, err, passed)
			}
		})
	}
}
