//go:build unix

package prompts

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
)

func TestScanDisk(t *testing.T) {
	dir := t.TempDir()
	outside := filepath.Join(t.TempDir(), "secret.md")
	hour := time.Now().Add(-time.Hour)
	write := func(name, text string) {
		t.Helper()
		must.Write(t, name, text)
		must.Do(t, os.Chtimes(name, hour, hour))
	}
	write(outside, "secret")
	write(filepath.Join(dir, "prompts/a.md"), "one")
	write(filepath.Join(dir, "prompts/sub/b.md"), "b")
	write(filepath.Join(dir, "docs/c.md"), "c")
	for name, target := range map[string]string{
		"out.md": outside, "abs.md": filepath.Join(dir, "docs/c.md"), "rel.md": "../docs/c.md",
	} {
		must.Do(t, os.Symlink(target, filepath.Join(dir, "prompts", name)))
	}
	must.Do(t, syscall.Mkfifo(filepath.Join(dir, "prompts/pipe.md"), 0o600))
	fsys := must.Get(rootfs.Open(dir))(t)
	defer fsys.Close()
	set := scan(t, fsys)
	if got, want := names(set), "a abs rel sub/b"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	want := "prompts/out.md: is not served: is a link that leads out of the project folder\nprompts/pipe.md: is not a regular file"
	if got := set.Problems().Error(); got != want {
		t.Errorf("problems:\n%s", got)
	}

	// Another file of the same size and time takes the place of one.
	write(filepath.Join(dir, "new"), "two")
	must.Do(t, os.Rename(filepath.Join(dir, "new"), filepath.Join(dir, "prompts/a.md")))
	next := scan(t, fsys)
	if p, ok := next.Get("a"); !ok {
		t.Error("a is gone")
	} else if blocks, err := p.Render(nil, nil); err != nil || blocks[0].Text != "two" {
		t.Errorf("a is %v, %v", blocks, err)
	}
}
