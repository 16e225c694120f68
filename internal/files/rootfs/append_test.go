package rootfs

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestAppend(t *testing.T) {
	dir := t.TempDir()
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, text := range []string{"one\n", "two\n"} {
		file, err := f.Append(".log")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := file.WriteString(text); err != nil {
			t.Fatal(err)
		}
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
	f, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for range 2 {
		release, err := f.Lock(".lock")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Lock(".lock"); !errors.Is(err, ErrLocked) {
			t.Errorf("it was locked twice: %v", err)
		}
		release()
	}
	if names, err := f.Names("."); err != nil || len(names) != 0 {
		t.Errorf("%v, %v", names, err)
	}
}
