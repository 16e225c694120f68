package loader

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/walk"
)

// state is everything that the API reports about a catalog.
func state(c *Catalog) []string {
	var out []string
	for r := range c.All() {
		f := r.file
		out = append(out, fmt.Sprintf("%s %s %d %d %d %v", r.URI(), r.Path(), f.size, f.modTime, f.template, f.link))
	}
	for r := range c.Skills("") {
		out = append(out, "skill "+r.URI())
	}
	return append(append(out, listed(c)...), warnings(c)...)
}

// listed returns what a list shows of a catalog, without sizes and times.
func listed(c *Catalog) []string {
	var out []string
	for r := range c.All() {
		about, _ := json.Marshal(c.Metadata(r))
		out = append(out, fmt.Sprintf("%s %s %s", r.URI(), c.MIME(r), about))
	}
	return out
}

// Rescanning the folders that changed gives the same catalog as scanning everything.
func TestRescanIsScan(t *testing.T) {
	opts := Options{Describe: true, Mounts: []Mount{{Dir: "docs", Scheme: "b", Host: "h"}, {Dir: "docs/d", Scheme: "m", Host: "_"}, skillMount[0]}, Templates: index(t, `[{"uriTemplate": "a://{h}/{+p}.md", "name": "m"}, {"uriTemplate": "b://i/{+p}", "name": "n", "describe": false}]`)}
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		fsys := fstest.MapFS{}
		clock := time.Unix(0, 0)
		written := func(name string) *fstest.MapFile {
			clock = clock.Add(time.Second)
			data := pick1(r, "", "# One", "# Two\n", "\x89PNG\r\n\x1a\n")
			if strings.HasSuffix(name, ".json") {
				data = pick1(r, "{", `{"title": "Three"}`, `{"priority": 1}`)
			}
			return &fstest.MapFile{Data: []byte(data), ModTime: clock}
		}
		edit := func() (dirs, trees []string) {
			for range 1 + r.IntN(4) {
				name := "resources/" + pick1(r, "a", "A", "b", "_", "skill") + "/" + pick1(r, "h", "i")
				if r.IntN(4) == 0 {
					name = pick1(r, "docs", "skills")
				}
				for range r.IntN(3) {
					name += "/" + pick1(r, "d", "e", ".f")
				}
				switch r.IntN(6) {
				case 0: // remove a folder
					for file := range fsys {
						if walk.Holds(name, file) {
							delete(fsys, file)
						}
					}
					dirs = append(dirs, above(name)...)
				case 1: // add or replace a folder
					for file := range fsys {
						if walk.Holds(name, file) {
							delete(fsys, file)
						}
					}
					fsys[name+"/x/y.md"] = written("y.md")
					dirs = append(dirs, above(name)...)
					trees = append(trees, name)
				case 2: // add a link
					link := name + "/link"
					if fsys[link] == nil && fsys[name] == nil {
						fsys[link] = &fstest.MapFile{Data: []byte(pick1(r, "../../../b/h", "../x.md", "nowhere")), Mode: 0o777 | 1<<27}
						dirs = append(dirs, above(link)...)
					}
				default:
					file := name + "/" + pick1(r, "x.md", "x.md", "y.txt", SkillFile, "z", "x.md.meta.json", "z.meta.json")
					if fsys[file] != nil && r.IntN(2) == 0 {
						delete(fsys, file)
					} else if fsys[name] == nil {
						fsys[file] = written(file)
					}
					dirs = append(dirs, above(file)...)
				}
			}
			return dirs, trees
		}
		for range 10 {
			edit()
		}
		c := scan(t, fsys, opts)
		for round := range 10 {
			dirs, trees := edit()
			next := must.Get(Rescan(context.Background(), c, Changes{Dirs: dirs, Trees: trees}))(t)
			if diff := cmp.Diff(state(scan(t, fsys, opts)), state(next)); diff != "" {
				t.Fatalf("seed %d, round %d, dirs %q, trees %q (-scan +rescan):\n%s", seed, round, dirs, trees, diff)
			}
			if diff := cmp.Diff(listed(c), listed(next)); diff != "" != next.ListChanged(c) {
				t.Fatalf("seed %d, round %d: ListChanged is %v (-before +after):\n%s", seed, round, next.ListChanged(c), diff)
			}
			c = next
		}
	}
}

func pick1(r *rand.Rand, choices ...string) string { return choices[r.IntN(len(choices))] }

// above returns the folders above a path: a change may make or remove any of them.
func above(name string) []string {
	var out []string
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		out = append(out, dir)
	}
	return out
}

func TestRescanShares(t *testing.T) {
	fsys := given.Files("resources/a/h/x", "resources/b/h/x", "resources/b/i/x")
	old := scan(t, fsys, Options{})
	fsys["resources/b/h/y"] = &fstest.MapFile{}
	c := must.Get(Rescan(context.Background(), old, Changes{Dirs: []string{"resources/b/h"}}))(t)
	must.Equal(t, []string{"a://h/x", "b://h/x", "b://h/y", "b://i/x"}, uris(c))
	must.Equal(t, 3, len(uris(old)), "the old catalog has changed")
	if c.root.dirs[0] != old.root.dirs[0] || c.root.dirs[1].dirs[1] != old.root.dirs[1].dirs[1] {
		t.Error("folders that did not change are not shared")
	}
	if c.root.dirs[1].dirs[0] == old.root.dirs[1].dirs[0] {
		t.Error("the folder that changed is shared")
	}
}

// With another file system, each catalog reads all its files from its own.
func TestRescanWithAnotherFS(t *testing.T) {
	version := func(n string) fstest.MapFS {
		return fstest.MapFS{"resources/a/h/same": {Data: []byte("same " + n)}, "resources/a/h/d/changed": {Data: []byte(n)}}
	}
	old := must.Get(Scan(t.Context(), version("1"), Options{}))(t)
	next, err := Rescan(t.Context(), old, Changes{Dirs: []string{"resources/a/h/d"}, Files: []string{"resources/a/h/d/changed"}, FS: version("2")})
	must.Do(t, err)
	third := must.Get(Rescan(t.Context(), next, Changes{Dirs: []string{"resources/a/h"}}))(t)
	for n, c := range map[string][]*Catalog{"1": {old}, "2": {next, third}} {
		for _, c := range c {
			for uri, want := range map[string]string{"a://h/same": "same " + n, "a://h/d/changed": n} {
				r, ok := c.Lookup(uri)
				if !ok {
					t.Fatalf("no %s", uri)
				}
				if _, data, err := c.Content(r, 100); err != nil || string(data) != want {
					t.Errorf("%s: %q, %v, want %q", uri, data, err, want)
				}
			}
		}
	}
}
