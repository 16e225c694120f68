package contents

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// identified is a tree whose files have the identities in ids.
type identified struct {
	watched
	ids map[string]int64 // by the last element of the path; 0: none
}

func (i *identified) Identify(name string) ([5]int64, bool) {
	id := i.ids[name[strings.LastIndexByte(name, '/')+1:]]
	return [5]int64{id}, id != 0
}

func (i *identified) IdentifyOpen(_ fs.File, before, _ fs.FileInfo) ([5]int64, bool) {
	return i.Identify(before.Name())
}

// A file that is read often is opened seldom, but always after it has changed.
func TestCache(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tree := &identified{watched{MapFS: given.Resources("x/h/a=one", "x/h/b=two", "x/h/long="+strings.Repeat("l", maxCached+1))}, map[string]int64{"a": 1, "long": 3}}
		f := start(t, tree)
		expect := func(name, want string, opened int) {
			t.Helper()
			must.Equal(t, want, f.must("x://h/" + name)[0].text(), name)
			if n := tree.opened["resources/x/h/"+name]; n != opened {
				t.Errorf("%s was opened %d times, not %d", name, n, opened)
			}
		}
		expect("a", "one", 1)
		expect("a", "one", 2) // the second read keeps it
		for range 100 {
			expect("a", "one", 2)
		}
		if c := f.memory.CacheCounts(); c.Hits != 100 || c.Misses != 2 || c.Entries != 1 || c.Bytes < 3 {
			t.Errorf("%+v", c)
		}
		tree.MapFS["resources/x/h/a"], tree.ids["a"] = &fstest.MapFile{Data: []byte("new")}, 2
		expect("a", "new", 3)
		expect("a", "new", 3)
		time.Sleep(fresh + 1) // for changes that an identity does not show
		expect("a", "new", 4)
		expect("a", "new", 4)
		time.Sleep(10 * fresh)
		expect("a", "new", 5)
		expect("a", "new", 5) // it was read before
		tree.ids["a"] = 0
		expect("a", "new", 6)
		for i := range 3 {
			expect("b", "two", i+1) // it has no identity
			expect("long", strings.Repeat("l", maxCached+1), i+1)
		}
		f.idle()
	})
}

// The limit of a read applies to files in the cache, too.
func TestCacheLimits(t *testing.T) {
	tree := &identified{watched{MapFS: given.Resources("x/h/a=" + strings.Repeat("a", 2000))}, map[string]int64{"a": 1}}
	f := start(t, tree)
	for range 3 {
		f.must("x://h/a")
	}
	for _, limits := range []Limits{{ReadBytes: 1999, FrameBytes: 1 << 20}, {ReadBytes: 1 << 20, FrameBytes: 1000}} {
		f.SetLimits(limits)
		if _, err := f.read("x://h/a"); err == nil {
			t.Errorf("it is read in spite of %+v", limits)
		}
	}
}
