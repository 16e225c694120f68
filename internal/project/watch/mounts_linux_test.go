package watch

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// When a file system in a watched folder is mounted, replaced or unmounted, the mount point is read
// again as a tree.
func TestMounts(t *testing.T) {
	w := start(t, Options{})
	w.mkdir("a/with space/c")
	point := filepath.Join(w.dir, "a/with space")
	if err := unix.Mount("none", point, "tmpfs", 0, ""); errors.Is(err, unix.EPERM) {
		t.Skip("mounting is not permitted here: ", err)
	} else if err != nil {
		t.Fatal(err)
	}
	mounted := 1
	unmount := func() {
		t.Helper()
		if err := unix.Unmount(point, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
		mounted--
	}
	t.Cleanup(func() {
		for mounted > 0 {
			unmount()
		}
	})
	unmount()
	read := func() {
		for _, dir := range []string{".", "a", "a/with space", "a/with space/c"} {
			w.Add(dir)
		}
	}
	tree := func(what string) {
		t.Helper()
		if c := w.reportsOf("a/with space"); !slices.Contains(c.Trees, "a/with space") || !slices.Contains(c.Dirs, "a") || c.All() {
			t.Errorf("%s: %+v", what, c)
		}
		read()
	}
	read()
	w.run()

	if err := unix.Mount("none", point, "tmpfs", 0, ""); err != nil {
		t.Fatal(err)
	}
	mounted++
	tree("a mount")
	w.write("a/with space/f")
	w.reportsOf("a/with space")

	unmount()
	tree("an unmount")
	w.write("a/with space/c/f")
	w.reportsOf("a/with space/c")
}

func TestMountTable(t *testing.T) {
	for line, want := range map[string]string{
		`36 35 98:0 /mnt1 /p/a\040b\134c\011d rw,noatime master:1 - ext3 /dev/root rw,errors=continue`: "/p/a b\\c\td",
		"1 0 0:1 / /": "/",
		"1 0 0:1 /":   "",
		"":            "",
	} {
		if got, _, _ := parseMount(line + "\n"); got != want {
			t.Errorf("%q is mounted at %q, want %q", line, got, want)
		}
	}
	a := map[mount]bool{{"same", "1"}: true, {"gone", "2"}: true, {"other", "3"}: true}
	b := map[mount]bool{{"same", "1"}: true, {"new", "4"}: true, {"other", "5"}: true}
	got := differing(a, b)
	slices.Sort(got)
	if want := []string{"gone", "new", "other"}; !slices.Equal(got, want) {
		t.Errorf("%q differ, want %q", got, want)
	}
}

// A mount that replaces another one has another identity, even if the system gives it the same
// number.
func TestReplacedMount(t *testing.T) {
	dir := t.TempDir()
	point := filepath.Join(dir, "m")
	if err := os.Mkdir(point, 0o700); err != nil {
		t.Fatal(err)
	}
	var all []map[mount]bool
	m := openMounts(dir)
	defer m.close()
	for range 2 {
		if err := unix.Mount("none", point, "tmpfs", 0, ""); errors.Is(err, unix.EPERM) {
			t.Skip("mounting is not permitted here: ", err)
		} else if err != nil {
			t.Fatal(err)
		}
		now, err := m.read()
		if err := errors.Join(err, unix.Unmount(point, 0)); err != nil {
			t.Fatal(err)
		}
		all = append(all, now)
	}
	var st unix.Statx_t
	if err := unix.Statx(unix.AT_FDCWD, dir, 0, unix.STATX_MNT_ID_UNIQUE, &st); err != nil || st.Mask&unix.STATX_MNT_ID_UNIQUE == 0 {
		t.Skip("the system reuses the numbers of mounts: ", err)
	}
	if points := differing(all[0], all[1]); !slices.Equal(points, []string{"m"}) {
		t.Errorf("%q differ", points)
	}
}
