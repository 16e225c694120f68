package loader

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
)

// A witness is a tree that records which folders were listed.
type witness struct {
	fstest.MapFS
	mu   sync.Mutex
	dirs []string
}

func (w *witness) ReadDir(name string) ([]fs.DirEntry, error) {
	w.mu.Lock()
	w.dirs = append(w.dirs, name)
	w.mu.Unlock()
	return w.MapFS.ReadDir(name)
}

// Find returns the resource that the catalog has for a URI, and finds every canonical URI.
func TestFind(t *testing.T) {
	fsys := given.Files("resources/x/h/a.md=1", "resources/x/h/50%.md=2", "resources/x/h/deep/er/b=3", "resources/x/file=4", "resources/x/h/.env=secret", "resources/x/h/no/c.txt=5",
		"resources/x/h/link->a.md", "resources/x/h/folder->deep", "resources/x/out->../../..", "resources/X/h/a.md=other", "resources/X/h/only.md=6", "resources/x/H/a.md=7",
		"resources/x/h/a.md.meta.json={\"title\": \"A\"}", "resources/docs/n/i.md=8", "docs/i.md=9", "docs/j.md=10", "resources/x/caf\xe9/é=11", "resources/top=12")
	for name, opts := range map[string]Options{
		"plain":     {},
		"mounts":    {Mounts: []Mount{{Dir: "docs", Scheme: "docs", Host: "n"}}},
		"unmatched": {HideUnmatched: true, Templates: index(t, `[{"uriTemplate": "x://h/{n}.md", "name": "n"}]`)},
		"described": {Describe: true},
		"excluded":  {Exclude: []string{"x/h/no/**"}},
	} {
		c := scan(t, fsys, opts)
		for r := range c.All() {
			got, ok, err := Find(t.Context(), fsys, opts, r.URI())
			if err != nil || !ok || got.Path() != r.Path() || got.URI() != r.URI() || got.Size() != r.Size() || c.MIME(r) != got.Catalog().MIME(got) {
				t.Errorf("%s: %s is %q, %v, %v, want %q", name, r.URI(), pathOf(got, ok), ok, err, r.Path())
			}
		}
		for _, s := range []string{"x://h/.env", "x://h/none", "x://h", "x://h/", "x://", "x", "", "x://h/deep", "x://h/../h/a.md", "x://out/etc/passwd", "x://h/no/c.txt", "X://h/a.md", "x://h/%61.md",
			"x://h/a.md#x", "x://h/50%.md", "x://h/a.md.meta.json", "docs://n/j.md", "x://caf%E9/%C3%A9", "x://caf%C3%A9/%C3%A9", "x://h//a.md", "resources://x/h/a.md"} {
			got, ok, err := Find(t.Context(), fsys, opts, s)
			want, has := c.Lookup(s)
			if err != nil || ok && (!has || got.Path() != want.Path()) {
				t.Errorf("%s: %q is %q, %v, the catalog has %q, %v", name, s, pathOf(got, ok), err, pathOf(want, has), has)
			}
		}
	}
	counted := &witness{MapFS: fsys}
	if _, ok, err := Find(t.Context(), counted, Options{}, "x://h/deep/er/b"); !ok || err != nil {
		t.Error("x://h/deep/er/b is not found", err)
	}
	slices.Sort(counted.dirs)
	if want := []string{"resources", "resources/X", "resources/X/h", "resources/x", "resources/x/h", "resources/x/h/deep", "resources/x/h/deep/er"}; !slices.Equal(counted.dirs, want) {
		t.Errorf("the folders read are %q, want %q", counted.dirs, want)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := Find(ctx, fsys, Options{}, "x://h/a.md"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func pathOf(r Resource, ok bool) string {
	if !ok {
		return ""
	}
	return r.Path()
}
