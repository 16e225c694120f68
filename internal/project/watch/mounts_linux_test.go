package watch

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// When a file system in a watched folder is mounted or unmounted, everything is read again.
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
		if c := w.reportsOf("."); !c.All() {
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

func TestMountsIn(t *testing.T) {
	inside := `36 35 98:0 / /p/a\040b/c rw,noatime master:1 - ext3 /dev/root rw,errors=continue` + "\n"
	table := inside + "1 0 0:1 / /p/a\\040b rw\n2 0 0:1 / /p/a rw\n3 0 0:1 /p/a\\040b/c\n\n"
	if got := mountsIn(table, "/p/a b"); got != inside {
		t.Errorf("%q", got)
	}
	if got := mountsIn(table, "/"); strings.Count(got, "\n") != 3 {
		t.Errorf("%q", got)
	}
}
