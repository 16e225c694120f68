package tree

import (
	"errors"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/postgres"
)

// A version for which the disk has no room leaves the old one, and the next that fits is served.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("none", dir, "tmpfs", 0, "size=256k"); errors.Is(err, unix.EPERM) {
		t.Skip("mounting is not permitted here: ", err)
	} else if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	url := postgres.URL(t)
	db := connect(t, url)
	publish(t, db, files{"a": "1"})
	cache := must.Get(OpenCache(dir))(t)
	t.Cleanup(cache.Close)
	r := start(t, url, cache)
	publish(t, db, files{"a": "2", "large": strings.Repeat("x", 1<<20)})
	if _, _, err := r.fetch(t.Context()); err == nil || !strings.Contains(r.explain(err).Error(), "no space left on device") || !strings.Contains(r.explain(err).Error(), "--cache-dir "+dir) {
		t.Errorf("got %v", err)
	}
	same(t, texts(t, r), files{"a": "1"})
	publish(t, db, files{"a": "3"})
	if _, replaced, err := r.fetch(t.Context()); err != nil || !replaced {
		t.Errorf("got %v, %v", replaced, err)
	}
	same(t, texts(t, r), files{"a": "3"})
}
