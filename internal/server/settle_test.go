package server

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/mcp-docs-server/mcp-docs-server/loader"
)

// Files of a folder that changed just now are waited for together, and nothing is held meanwhile.
func TestReadOfWhatChangedJustNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tree := fstest.MapFS{}
		for i := range 200 {
			tree[fmt.Sprintf("resources/x/h/%d", i)] = &fstest.MapFile{Data: []byte("1"), ModTime: time.Now()}
		}
		f := startLarge(t, tree)
		synctest.Wait()
		began := time.Now()
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			catalog, _ := f.current.Load(t.Context())
			folder, _ := catalog.LookupFolder("x://h")
			r, err := f.server.read(t.Context(), catalog, "x://h", folder.Files(), 1<<20)
			if err != nil || len(r.files) != 200 {
				t.Errorf("%v, %v", r, err)
				return
			}
			r.release()
		}()
		synctest.Wait() // it waits
		select {
		case <-ended:
			t.Error("it does not wait")
		default:
		}
		if !f.server.memory.bytes.TryAcquire(memoryBudget) {
			t.Error("it holds memory while it waits")
		}
		f.server.memory.bytes.Release(memoryBudget)
		<-ended
		if took := time.Since(began); took > 100*time.Millisecond {
			t.Errorf("it takes %v", took)
		}
		f.conn.Close()
	})
}

// A file that never stops changing is an error where nobody can wait for a write, whether it is held or not.
func TestReadOfWhatKeepsChanging(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, size := range []int{1, 2 * whole} {
			tree := &watched{MapFS: files("x/h/a=")}
			tree.open = func(_ string, times int) error {
				tree.MapFS["resources/x/h/a"] = &fstest.MapFile{Data: []byte(strings.Repeat(string(rune('a'+times%26)), size)), ModTime: time.Now()}
				return nil
			}
			f := startLarge(t, tree)
			catalog, _ := f.current.Load(t.Context())
			r, _ := catalog.Lookup("x://h/a")
			if err := f.fails(jsonrpc.CodeInternalError, "resources/read", map[string]any{"uri": r.URI()}); !strings.Contains(err.Message, loader.ErrChanging.Error()) {
				t.Errorf("%d bytes: %v", size, err)
			}
			f.conn.Close()
		}
	})
}
