package secretfile

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// followed runs a group over the files and calls body with a function that waits for some intervals
// and returns how many changes were reported meanwhile.
func followed(t *testing.T, names []string, body func(t *testing.T, changes func(intervals int) int)) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var n atomic.Int32 // the clock of the bubble orders nothing for the race detector
		g := Follow(names...)
		done := make(chan struct{})
		go func() {
			defer close(done)
			g.Run(ctx, func() { n.Add(1) })
		}()
		time.Sleep(Interval / 2) // between two checks
		body(t, func(intervals int) int {
			synctest.Wait()
			before := n.Load()
			time.Sleep(time.Duration(intervals) * Interval)
			synctest.Wait()
			return int(n.Load() - before)
		})
		cancel()
		<-done
	})
}

func TestChanges(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "tokens")
	write(t, name, "one")
	followed(t, []string{name}, func(t *testing.T, changes func(int) int) {
		expect := func(what string, want int) {
			t.Helper()
			if got := changes(3); got != want {
				t.Errorf("%s: %d changes, want %d", what, got, want)
			}
		}
		expect("nothing", 0)
		write(t, name, "three")
		expect("written", 1)
		expect("afterwards", 0)

		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		write(t, name+".new", "seven")
		if err := os.Chtimes(name+".new", info.ModTime(), info.ModTime()); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(name+".new", name); err != nil {
			t.Fatal(err)
		}
		expect("replaced by a file of the same size and time", 1)

		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
		expect("removed", 1)
		write(t, name, "eight")
		expect("back", 1)
	})
}

func TestNothingIsReportedWhileAFileIsBeingWritten(t *testing.T) {
	name := filepath.Join(t.TempDir(), "tokens")
	write(t, name, "")
	followed(t, []string{name}, func(t *testing.T, changes func(int) int) {
		text := ""
		for range 5 {
			text += "part"
			write(t, name, text)
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
		if err := os.Mkdir(filepath.Join(dir, version), 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, version, "tokens"), "same")
	}
	link := func(target, name string) {
		t.Helper()
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	link("..1", "..data")
	link("..data/tokens", "tokens")
	followed(t, []string{name}, func(t *testing.T, changes func(int) int) {
		link("..2", "..data_tmp")
		if err := os.Rename(filepath.Join(dir, "..data_tmp"), filepath.Join(dir, "..data")); err != nil {
			t.Fatal(err)
		}
		if n := changes(3); n != 1 {
			t.Errorf("%d changes, want 1", n)
		}
	})
}
