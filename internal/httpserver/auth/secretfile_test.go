package auth

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "key")
	for _, test := range []struct {
		mode os.FileMode
		warn bool
	}{{0o600, false}, {0o640, false}, {0o644, true}, {0o602, true}} {
		must.Write(t, name, "secret")
		must.Do(t, os.Chmod(name, test.mode))
		var log bytes.Buffer
		text, err := ReadFile(name, slog.New(slog.NewTextHandler(&log, nil)))
		if warned := strings.Contains(log.String(), "every user"); err != nil || string(text) != "secret" || warned != test.warn && runtime.GOOS != "windows" {
			t.Errorf("%o: %q, %v, log %s", test.mode, text, err, &log)
		}
	}
	large := filepath.Join(dir, "large")
	must.Write(t, large, string(make([]byte, MaxFile+1)))
	for name, want := range map[string]string{filepath.Join(dir, "none"): "does not exist", dir: "is not a regular file", large: "has more than 1 MiB"} {
		if _, err := ReadFile(name, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), name+": ") {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

// followed runs a group over the files and calls body with a function that waits for some intervals
// and returns how many changes were reported meanwhile.
func followed(t *testing.T, names []string, body func(t *testing.T, changes func(intervals int) int)) {
	synctest.Test(t, func(t *testing.T) {
		var n atomic.Int32 // the clock of the bubble orders nothing for the race detector
		g := FollowFile(names...)
		defer run(t, func(ctx context.Context) { g.Run(ctx, func() { n.Add(1) }) })()
		time.Sleep(FileInterval / 2) // between two checks
		body(t, func(intervals int) int {
			synctest.Wait()
			before := n.Load()
			time.Sleep(time.Duration(intervals) * FileInterval)
			synctest.Wait()
			return int(n.Load() - before)
		})
	})
}

func TestChanges(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "tokens")
	must.Write(t, name, "one")
	followed(t, []string{name}, func(t *testing.T, changes func(int) int) {
		expect := func(what string, want int) {
			t.Helper()
			if got := changes(3); got != want {
				t.Errorf("%s: %d changes, want %d", what, got, want)
			}
		}
		expect("nothing", 0)
		must.Write(t, name, "three")
		expect("written", 1)
		expect("afterwards", 0)

		info := must.Get(os.Stat(name))(t)
		must.Write(t, name+".new", "seven")
		must.Do(t, os.Chtimes(name+".new", info.ModTime(), info.ModTime()))
		must.Do(t, os.Rename(name+".new", name))
		expect("replaced by a file of the same size and time", 1)

		must.Do(t, os.Remove(name))
		expect("removed", 1)
		must.Write(t, name, "eight")
		expect("back", 1)
	})
}

func TestNothingIsReportedWhileAFileIsBeingWritten(t *testing.T) {
	name := filepath.Join(t.TempDir(), "tokens")
	must.Write(t, name, "")
	followed(t, []string{name}, func(t *testing.T, changes func(int) int) {
		text := ""
		for range 5 {
			text += "part"
			must.Write(t, name, text)
			if n := changes(1); n != 0 {
				t.Errorf("%d changes at %q", n, text)
			}
		}
		if n := changes(1); n != 1 {
			t.Errorf("%d changes at the end, want 1", n)
		}
	})
}

// In a mounted secret of Kubernetes, name -> ..data/name and ..data -> ..2026_01; ..data is replaced
// by a rename.
func TestSwappedFolder(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege on Windows")
	}
	dir := t.TempDir()
	name := filepath.Join(dir, "tokens")
	for _, version := range []string{"..1", "..2"} {
		must.Do(t, os.Mkdir(filepath.Join(dir, version), 0o700))
		must.Write(t, filepath.Join(dir, version, "tokens"), "same")
	}
	link := func(target, name string) {
		t.Helper()
		must.Do(t, os.Symlink(target, filepath.Join(dir, name)))
	}
	link("..1", "..data")
	link("..data/tokens", "tokens")
	followed(t, []string{name}, func(t *testing.T, changes func(int) int) {
		link("..2", "..data_tmp")
		must.Do(t, os.Rename(filepath.Join(dir, "..data_tmp"), filepath.Join(dir, "..data")))
		if n := changes(3); n != 1 {
			t.Errorf("%d changes, want 1", n)
		}
	})
}
