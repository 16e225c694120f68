package rootfs

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// listed returns the listing of the standard library.
func listed(fsys *FS, name string) ([]fs.DirEntry, error) {
	file, _, err := fsys.open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return file.ReadDir(-1)
}

func describe(t *testing.T, entries []fs.DirEntry) []string {
	var all []string
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		st := info.Sys().(*syscall.Stat_t)
		all = append(all, fmt.Sprintf("%q %v %v %v %q %v %d %d %d %d %v", e.Name(), e.Type(), e.IsDir(), info.Mode(), info.Name(),
			info.ModTime().UTC(), info.Size(), st.Dev, st.Ino, st.Ctim.Nano(), info.IsDir()))
	}
	slices.Sort(all)
	return all
}

func TestReadDirMatchesStandardLibrary(t *testing.T) {
	dir := t.TempDir()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	in := func(name string) string { return filepath.Join(dir, "a/b", name) }
	must(os.MkdirAll(in("sticky"), 0o700))
	must(os.Chmod(in("sticky"), 0o700|os.ModeSticky|os.ModeSetgid))
	must(os.WriteFile(in("caf\xe9\n"), []byte("bytes"), 0o640))
	must(os.WriteFile(in(strings.Repeat("n", 255)), nil, 0o600))
	must(os.Chmod(in(strings.Repeat("n", 255)), 0o700|os.ModeSetuid))
	must(os.Symlink("nowhere", in("dangling")))
	must(os.Symlink("b", filepath.Join(dir, "a/link")))
	must(syscall.Mkfifo(in("pipe"), 0o600))
	for i := range 2000 { // more names than one system call returns
		must(os.WriteFile(in(fmt.Sprintf("many-%d.txt", i)), nil, 0o600))
	}
	fsys := open(t, dir)
	for _, name := range []string{".", "a", "a/b", "a/b/sticky"} {
		want, err := listed(fsys, name)
		must(err)
		got, ok := readDirBelow(fsys.opened.Load().dir, name)
		if !ok {
			t.Skip("the system has no openat2")
		}
		if w, g := describe(t, want), describe(t, got); !slices.Equal(w, g) {
			t.Errorf("%s: %d entries, want %d\n%.2000v\n%.2000v", name, len(g), len(w), g, w)
		}
		byName := func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) }
		slices.SortFunc(want, byName)
		slices.SortFunc(got, byName)
		for i := range want {
			w, _ := want[i].Info()
			g, _ := got[i].Info()
			if other, _ := want[(i+1)%len(want)].Info(); !SameFile(w, g) || len(want) > 1 && SameFile(other, g) {
				t.Errorf("%s: SameFile is wrong", want[i].Name())
			}
		}
	}
	if entries, ok := readDirBelow(fsys.opened.Load().dir, "a/link"); ok {
		t.Errorf("a link was followed to %v", entries)
	}
	for _, name := range []string{"a/link", "a/b/pipe", "a/b/dangling", "nothing"} {
		want, wantErr := listed(fsys, name)
		got, err := fsys.ReadDir(name)
		if len(got) != len(want) || (err == nil) != (wantErr == nil) {
			t.Errorf("%s: %d entries, %v, want %d, %v", name, len(got), err, len(want), wantErr)
		}
	}
}

func BenchmarkReadDir(b *testing.B) {
	dir := b.TempDir()
	const path = "resources/docs/guides/part/one"
	if err := os.MkdirAll(filepath.Join(dir, path), 0o700); err != nil {
		b.Fatal(err)
	}
	for i := range 18 {
		if err := os.WriteFile(filepath.Join(dir, path, fmt.Sprintf("%d.md", i)), nil, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	fsys, err := Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	defer fsys.Close()
	for name, list := range map[string]func(string) ([]fs.DirEntry, error){
		"own":      fsys.ReadDir,
		"baseline": func(name string) ([]fs.DirEntry, error) { return listed(fsys, name) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if entries, err := list(path); err != nil || len(entries) != 18 {
					b.Fatal(len(entries), err)
				}
			}
		})
	}
}
