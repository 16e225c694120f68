package capability

import (
	"fmt"
	"io/fs"
	"path"
	"testing"
	"testing/fstest"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/library/docs"
	"github.com/mcp-docs-server/mcp-docs-server/internal/library/prompts"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// wide is a tree of 98 folders with 1,000 files each, which exist in lists only.
type wide struct{ fs.FS }

func (wide) ReadDir(name string) (entries []fs.DirEntry, err error) {
	add := func(name string, mode fs.FileMode, seed int) {
		entries = append(entries, fs.FileInfoToDirEntry(listed{name, mode, time.Unix(int64(seed*7919%1_000_003), 0)}))
	}
	switch {
	case name == "resources":
		add("files", fs.ModeDir, 0)
	case name == "resources/files":
		for i := range 98 {
			add(fmt.Sprintf("area-%02d", i), fs.ModeDir, 0)
		}
	case path.Dir(name) == "resources/files":
		for i := range 1000 {
			add(fmt.Sprintf("part-%03d.json", i), 0, i*len(name)+int(name[len(name)-1]))
		}
	default:
		return nil, fs.ErrNotExist
	}
	return entries, nil
}

type listed struct {
	name    string
	mode    fs.FileMode
	modTime time.Time
}

func (f listed) Name() string       { return f.name }
func (f listed) Size() int64        { return 2 }
func (f listed) Mode() fs.FileMode  { return f.mode }
func (f listed) ModTime() time.Time { return f.modTime }
func (f listed) IsDir() bool        { return f.mode.IsDir() }
func (f listed) Sys() any           { return nil }

// large is a project with 100,000 files, 2,000 of which are documents.
func large(b *testing.B) Project {
	fsys := make(fstest.MapFS)
	for i := range 2000 {
		text := fmt.Sprintf("# Chapter %d of topic%d\n\n", i, i%300)
		for w := range 300 {
			text += fmt.Sprintf("word%d ", (i*31+w*w)%20_000)
		}
		fsys[fmt.Sprintf("docs/part-%d/chapter-%d.md", i%20, i)] = &fstest.MapFile{Data: []byte(text), ModTime: time.Unix(int64(i), 0)}
	}
	catalog, err := loader.Scan(b.Context(), wide{}, loader.Options{Templates: templateIndex(b, `[{"uriTemplate": "files://area-01/{file}", "name": "x"}]`)})
	if err != nil {
		b.Fatal(err)
	}
	library, err := docs.Scan(b.Context(), fsys, "docs", nil, nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	if err := library.Index(b.Context()); err != nil {
		b.Fatal(err)
	}
	return Project{Name: "Large", Version: "1", Files: catalog, Library: library, Prompts: new(prompts.Set)}
}

// BenchmarkLarge measures the first and later reads of a document for 100,000 files. The first cannot be
// faster than one pass over the catalog.
func BenchmarkLarge(b *testing.B) {
	p := large(b)
	b.Run("catalog", func(b *testing.B) {
		for b.Loop() {
			n := 0
			for r := range p.Files.All() {
				n += int(r.Size())
			}
		}
	})
	b.Run("summary cold", func(b *testing.B) {
		for b.Loop() {
			indexOf(p, Expose(nil)).Summary(b.Context())
		}
	})
	b.Run("summary warm", func(b *testing.B) {
		x := indexOf(p, Expose(nil))
		x.Summary(b.Context())
		for b.Loop() {
			x.Summary(b.Context())
		}
	})
	b.Run("full cold", func(b *testing.B) {
		for b.Loop() {
			indexOf(p, Expose(nil)).Full(b.Context())
		}
	})
	b.Run("page of a query", func(b *testing.B) {
		x := indexOf(p, Expose(nil))
		for b.Loop() {
			x.Elements(Page{Type: Resources, Query: "area-97 9.json"})
		}
	})
}
