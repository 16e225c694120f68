package webtools

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// A crawl ends when the disk is full, without requesting the other pages. Callers do not learn the path of the
// folder.
func TestACrawlOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("none", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("only root can have a small disk: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	once := sync.OnceFunc(func() { // a failed write leaves a partial file
		if err := os.WriteFile(filepath.Join(dir, "other"), make([]byte, 2<<20), 0o600); err == nil {
			t.Error("the disk is not full")
		}
	})
	s := &site{n: 100, wait: func(r *http.Request) {
		if r.URL.Path == "/page/30" {
			once()
		}
	}}
	server := must.Serve(t, s)
	p := beginProcess(t, dir)
	id := p.startJob(t, "me", fmt.Sprintf(`{"url":%q,"limit":1000}`, server.URL))
	text, _ := p.await(t, id)
	if !strings.HasPrefix(text, "Crawl Status: failed") || !strings.Contains(text, "no space left on device") {
		t.Error(text)
	}
	if strings.Contains(text, dir) {
		t.Error(text)
	}
	if faults, _, _ := p.call(t, "me", ofJob(id, `,"command":"errors"`)); strings.Count(faults, "cannot be written") > 4 {
		t.Errorf("pages were requested in vain: %s", faults)
	}
}
