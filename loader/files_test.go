package loader

import (
	"io"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

func TestFiles(t *testing.T) {
	text := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	c := scan(t, fstest.MapFS{
		"resources/x/a":                     text("1"),
		"resources/x/h/logo.png":            text("2"),
		"resources/x/h/logo.png.meta.json":  text("{}"),
		"resources/x/h/alone.meta.json":     text("{}"),
		"resources/x/h/.hidden":             text("3"),
		"resources/X/h/logo.png":            text("the lower-case folder wins"),
		"resources/X/h/upper":               text("4"),
		"resources/docs/Acme/guides/a.md":   text("wins over the document"),
		"documents/all/guides/a.md":         text("5"),
		"documents/all/guides/b.md":         text("6"),
		"documents/all/c.md":                text("7"),
		"documents/elsewhere/not/served.md": text("8"),
	}, Options{Describe: true, Mounts: []Mount{{Dir: "documents/all", Scheme: "docs", Host: "Acme"}}})
	var got []string
	for f := range c.Files() {
		r, err := f.Open()
		must.Do(t, err)
		data, err := io.ReadAll(r)
		r.Close()
		if err != nil || int64(len(data)) != f.Size() {
			t.Errorf("%s: %d bytes, %v, want %d", f.LogicalPath(), len(data), err, f.Size())
		}
		got = append(got, f.LogicalPath()+" "+string(data))
	}
	slices.Sort(got)
	want := []string{
		"documents/all/c.md 7",
		"documents/all/guides/b.md 6",
		"resources/X/h/upper 4",
		"resources/docs/Acme/guides/a.md wins over the document",
		"resources/x/a 1",
		"resources/x/h/alone.meta.json {}",
		"resources/x/h/logo.png 2",
		"resources/x/h/logo.png.meta.json {}",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
