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

// Only the user may read files of captures and jobs, whatever the umask allows and whatever modes an earlier version
// left.
func TestJobsArePrivate(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	server := httptest.NewServer(&site{n: 3})
	defer server.Close()
	dir := filepath.Join(t.TempDir(), "captures")
	p := begin(t, dir)
	p.end()
	if err := os.Chmod(filepath.Join(dir, Folder), 0o755); err != nil {
		t.Fatal(err)
	}
	p = begin(t, dir)
	id := p.startJob(t, "me", fmt.Sprintf(`{"url":%q}`, server.URL))
	if text, _ := p.await(t, id); !strings.HasPrefix(text, "Crawl Status: completed") {
		t.Error(text)
	}
	p.end()
	job := filepath.Join(dir, Folder, id, "job.json")
	for range 2 {
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
		if err != nil || !seen["job.json"] || !seen["journal.jsonl"] || !seen["meta.json"] || !seen["cleaned.md"] {
			t.Errorf("%v, %v", seen, err)
		}
		// A file that others may read becomes private when it is written again.
		if err := os.Chmod(job, 0o644); err != nil {
			t.Fatal(err)
		}
		q := begin(t, dir)
		j, err := q.load(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		lease, err := q.options.Jobs.Lease(t.Context(), id, false)
		if err != nil {
			t.Fatal(err)
		}
		if err := lease.Save(t.Context(), j.saved); err != nil {
			t.Fatal(err)
		}
		lease.Release()
	}
}
