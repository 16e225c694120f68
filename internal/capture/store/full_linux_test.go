package store

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// When the disk is full, no capture is lost and no unfinished folder is left.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("none", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("only root can have a small disk: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	s := openFolder(t, dir, nil)
	text := make([]byte, 100<<10)
	rand.Read(text)
	var kept []*Capture
	var failed error
	for i := range 20 {
		m, contents := page(t, fmt.Sprint(i), string(text))
		c, err := s.Put(t.Context(), m, contents)
		if err == nil {
			kept = append(kept, c)
		} else {
			failed = err
		}
	}
	if failed == nil || strings.Contains(failed.Error(), dir) || !strings.Contains(failed.Error(), "no space left") || len(kept) < 3 {
		t.Fatalf("%d were kept, error %v", len(kept), failed)
	}
	// A capture is not lost if its replacement cannot be written.
	m, contents := page(t, kept[0].Meta.URL, strings.Repeat("y", 300<<10))
	if _, err := s.Put(t.Context(), m, contents); err == nil {
		t.Error("there was room for another")
	}
	for _, s := range []*Store{s, openFolder(t, dir, nil)} {
		for _, c := range kept {
			c, err := s.Get(t.Context(), c.Meta.Key)
			if err != nil || content(t, c, Cleaned) != string(text) {
				t.Errorf("%v", err)
			}
		}
		if n, _ := s.Totals(); n != len(kept) {
			t.Errorf("there are %d, want %d", n, len(kept))
		}
	}
	entries := must.Get(os.ReadDir(dir))(t)
	for _, e := range entries {
		if temporaryName(e.Name()) {
			t.Errorf("%s was left behind", e.Name())
		}
	}
	if err := s.Delete(t.Context(), kept[0].Meta.Key); err != nil && !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	put(t, s, "again", string(text), nil)
}
