package contents

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"

	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// A cancelled read keeps its share until the disk answers, and does not count as hanging.
func TestCancelledRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tree := &watched{MapFS: given.Resources("x/h/slow=1", "x/h/quick=2")}
		tree.open = func(name string, _ int) error {
			if strings.HasSuffix(name, "slow") {
				time.Sleep(time.Second)
			}
			return nil
		}
		f := start(t, tree)
		for i := range maxAtDisk - 1 {
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				synctest.Wait()
				cancel()
			}()
			if _, err := f.open(ctx, "x://h/slow"); !errors.Is(err, context.Canceled) {
				t.Errorf("read %d is not cancelled: %v", i, err)
			}
		}
		if u := f.memory.Usage(); u.Hanging != 0 || u.Bytes == 0 {
			t.Errorf("in use while the disk works: %+v", u)
		}
		f.must("x://h/quick")
		time.Sleep(2 * time.Second)
		synctest.Wait()
		f.idle()
		if f.log.Len() > 0 {
			t.Error(f.log)
		}
	})
}

// Work that hangs is given up after a while, is logged once, and gives back its memory. When too much
// work hangs, no other work begins.
func TestDiskThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		tree := &watched{MapFS: given.Resources("x/h/dead="+strings.Repeat("a", 1000), "x/h/alive=1")}
		tree.open = func(name string, _ int) error {
			if strings.HasSuffix(name, "dead") {
				<-release
			}
			return nil
		}
		f := start(t, tree)
		dead := f.find("x://h/dead")[0]
		began := time.Now()
		if _, err := f.read("x://h/dead"); !errors.Is(err, ErrSlow) || time.Since(began) != diskTime {
			t.Errorf("it ends after %v with %v", time.Since(began), err)
		}
		synctest.Wait()
		must.Equal(t, Usage{Hanging: 1}, f.memory.Usage(), "in use while it hangs")
		if n := strings.Count(f.log.String(), "the disk does not answer"); n != 1 || !strings.Contains(f.log.String(), "resources/x/h/dead") {
			t.Errorf("the log is %s", f.log)
		}
		f.must("x://h/alive")
		// All kinds of work count together, and their number is bounded.
		for i := range 2 * maxAtDisk {
			go func() {
				if i%2 == 0 {
					f.Digest(f.catalog, dead)
				} else {
					_, _ = f.read("x://h/dead")
				}
			}()
		}
		synctest.Wait()
		if n := tree.opened[dead.Path()]; n != maxAtDisk {
			t.Errorf("%d are at the disk", n)
		}
		time.Sleep(2*diskTime + time.Second)
		synctest.Wait()
		must.Equal(t, Usage{Hanging: maxAtDisk}, f.memory.Usage(), "in use while all hang")
		began = time.Now()
		if _, err := f.read("x://h/alive"); !errors.Is(err, ErrHanging) || time.Since(began) != 0 {
			t.Errorf("a read meanwhile: %v after %v", err, time.Since(began))
		}
		close(release)
		synctest.Wait()
		f.must("x://h/alive")
		f.idle()
	})
}

// If work panics, its caller gets an error.
func TestDiskPanic(t *testing.T) {
	tree := &watched{MapFS: given.Resources("x/h/a=1")}
	tree.open = func(string, int) error { panic("secret") }
	f := start(t, tree)
	if _, err := f.read("x://h/a"); !errors.Is(err, ErrInternal) || !strings.Contains(f.log.String(), "secret") {
		t.Errorf("%v, logged: %s", err, f.log)
	}
	f.idle()
}

// A file that has grown since the catalog was made takes its real size from the budget.
func TestReadOfAGrownFile(t *testing.T) {
	tree := given.Resources("x/h/a=1", "x/many/a=1", "x/many/b=2", "x/many/c=3")
	f := start(t, tree)
	grown := strings.Repeat("g", whole/2)
	for _, name := range []string{"h/a", "many/a", "many/b"} {
		tree["resources/x/"+name] = &fstest.MapFile{Data: []byte(grown)}
	}
	if f.must("x://h/a")[0].text() != grown {
		t.Error("the file differs")
	}
	if got := f.must("x://many"); len(got) != 3 || got[1].text() != grown || got[2].text() != "3" {
		t.Error("the folder differs")
	}
	tree["resources/x/h/a"] = &fstest.MapFile{Data: make([]byte, large.ReadBytes+1)}
	_, err := f.read("x://h/a")
	if _, ok := errors.AsType[*loader.TooLargeError](err); !ok {
		t.Error(err)
	}
	f.idle()
}

// ReadEach marks files that cannot be read as absent, and no others.
func TestReadEach(t *testing.T) {
	tree := &watched{MapFS: given.Resources("x/h/a=1", "x/h/bad=2", "x/h/c=3", "x/h/gone=4", "x/h/large="+strings.Repeat("a", 1000), "x/h/z=5")}
	f := start(t, tree)
	f.SetLimits(Limits{ReadBytes: 5000, FrameBytes: 1000})
	tree.open = func(name string, _ int) error {
		if strings.HasSuffix(name, "bad") {
			return errors.New("bad sector")
		}
		return nil
	}
	all := f.find("x://h")
	delete(tree.MapFS, "resources/x/h/gone")
	c := must.Get(f.ReadEach(t.Context(), f.catalog, all))(t)
	var got []string
	for i := range c.Files {
		if c.Files[i].Absent {
			got = append(got, "-")
		} else {
			got = append(got, c.Files[i].Text())
		}
	}
	must.Equal(t, "[1 - 3 - - 5]", fmt.Sprint(got))
	c.Release()
	f.idle()
}
