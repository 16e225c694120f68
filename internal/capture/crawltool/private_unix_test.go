//go:build unix

package crawltool

import (
	"fmt"
	"io/fs"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Only the user may read files of captures and jobs, whatever the umask allows and whatever modes somebody set.
func TestJobsArePrivate(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	server := httptest.NewServer(&site{n: 3})
	defer server.Close()
	dir := filepath.Join(t.TempDir(), "captures")
	begin(t, dir).end()
	if err := os.Chmod(filepath.Join(dir, Folder), 0o755); err != nil {
		t.Fatal(err)
	}
	p := begin(t, dir)
	id := p.startJob(t, "me", fmt.Sprintf(`{"url":%q}`, server.URL))
	if text, _ := p.await(t, id); !strings.HasPrefix(text, "Crawl Status: completed") {
		t.Error(text)
	}
	p.end()
	seen := make(map[string]bool)
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		want := fs.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s has the mode %o", name, info.Mode().Perm())
		}
		seen[d.Name()] = true
		return nil
	})
	if err != nil || !seen[id+".json"] || !seen["cleaned.md"] {
		t.Errorf("%v, %v", seen, err)
	}
}
