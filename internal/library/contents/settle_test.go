package contents

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/given"
	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// One wait is enough for all files of a folder that changed just now, and it holds no memory.
func TestReadOfFilesThatChangedJustNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tree := fstest.MapFS{}
		for i := range 200 {
			tree[fmt.Sprintf("resources/x/h/%d", i)] = &fstest.MapFile{Data: []byte("1"), ModTime: time.Now()}
		}
		f := start(t, tree)
		began := time.Now()
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			if items, err := f.read("x://h"); err != nil || len(items) != 200 {
				t.Errorf("%d files, %v", len(items), err)
			}
		}()
		synctest.Wait() // it waits
		select {
		case <-ended:
			t.Error("it does not wait")
		default:
		}
		f.idle()
		<-ended
		if took := time.Since(began); took > 100*time.Millisecond {
			t.Errorf("it takes %v", took)
		}
	})
}

// A file that never stops changing is an error on systems where reads cannot wait for writes, whether
// it is held or not.
func TestReadOfAFileThatKeepsChanging(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, size := range []int{1, 2 * whole} {
			tree := &watched{MapFS: given.Resources("x/h/a=")}
			tree.open = func(_ string, times int) error {
				tree.MapFS["resources/x/h/a"] = &fstest.MapFile{Data: []byte(strings.Repeat(string(rune('a'+times%26)), size)), ModTime: time.Now()}
				return nil
			}
			f := start(t, tree)
			if _, err := f.read("x://h/a"); !errors.Is(err, loader.ErrChanging) {
				t.Errorf("%d bytes: %v", size, err)
			}
			f.idle()
		}
	})
}
