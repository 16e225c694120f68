//go:build linux

package loader

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
)

// Every name that the disk accepts is listed and read back, byte for byte.
func TestEveryByteInNames(t *testing.T) {
	dir := t.TempDir()
	h := filepath.Join(dir, "resources/x/h")
	must.Do(t, os.MkdirAll(h, 0o700))
	want := map[string]string{}
	for b := range 256 {
		if b == 0 || b == '/' {
			continue
		}
		for _, name := range []string{string([]byte{byte(b)}), "a" + string([]byte{byte(b)}) + "b", "%" + string([]byte{byte(b)}) + "41"} {
			if name == "." || Hidden(name) {
				continue
			}
			want[name] = fmt.Sprintf("content of %q", name)
			must.Write(t, filepath.Join(h, name), want[name])
		}
	}
	long := strings.Repeat("é", 127) + "x"
	want[long] = "long"
	must.Write(t, filepath.Join(h, long), "long")
	c := scan(t, openRoot(t, dir), Options{})
	if c.Len() != len(want) {
		t.Errorf("%d resources, want %d", c.Len(), len(want))
	}
	for r := range c.All() {
		found, ok := c.Lookup(r.URI())
		if !ok || found.Name() != r.Name() {
			t.Errorf("%q: its URI %s names %q", r.Name(), r.URI(), found.Name())
			continue
		}
		if _, data, err := c.Content(found, 1000); err != nil || string(data) != want[r.Name()] {
			t.Errorf("%q: %q, %v", r.Name(), data, err)
		}
	}
}

// A folder whose name equals a mangled spelling does not hide the folder that the spelling stands
// for.
func TestMangledFolders(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"resources/x/h/café/a", "resources/x/h/caf\xe9/b"} {
		file := filepath.Join(dir, name)
		must.Write(t, file, "")
	}
	c := scan(t, openRoot(t, dir), Options{})
	for _, name := range []string{"a", "b"} {
		if r, ok := c.Lookup("x://h/caf%E9/" + name); !ok || r.Name() != name {
			t.Errorf("caf%%E9/%s names %q, %v", name, r.Name(), ok)
		}
	}
}

// A read does not follow a link that has replaced a file or folder since the scan: the link could
// lead to something hidden.
func TestExchangedForLinks(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"resources/x/h/a", "resources/x/h/sub/b", ".env", ".git/b"} {
		file := filepath.Join(dir, name)
		must.Write(t, file, name)
	}
	c := scan(t, openRoot(t, dir), Options{})
	for name, target := range map[string]string{"a": "../../../.env", "sub": "../../../.git"} {
		must.Do(t, os.RemoveAll(filepath.Join(dir, "resources/x/h", name)))
		must.Do(t, os.Symlink(target, filepath.Join(dir, "resources/x/h", name)))
	}
	for _, uri := range []string{"x://h/a", "x://h/sub/b"} {
		r, ok := c.Lookup(uri)
		if !ok {
			t.Fatal(uri)
		}
		if _, data, err := c.Content(r, 1000); err == nil {
			t.Errorf("%s reads %q", uri, data)
		}
	}
}

// Folders that link to each other do not multiply without end.
func TestLinksBetweenFolders(t *testing.T) {
	dir := t.TempDir()
	for i := range 16 {
		folder := filepath.Join(dir, fmt.Sprintf("resources/x/d%02d", i))
		must.Do(t, os.MkdirAll(folder, 0o700))
		must.Write(t, filepath.Join(folder, "f"), "")
		for _, link := range []string{"a", "b"} {
			must.Do(t, os.Symlink(fmt.Sprintf("../d%02d", i+1), filepath.Join(folder, link)))
		}
	}
	if n := scan(t, openRoot(t, dir), Options{}).Len(); n > 16*(1+2+4+8) {
		t.Errorf("%d resources of 16 files", n)
	}
}

// Files that are not regular do not block a scan or a read.
func TestIrregularEntries(t *testing.T) {
	dir := t.TempDir()
	h := filepath.Join(dir, "resources/x/h")
	must.Do(t, os.MkdirAll(h, 0o700))
	must.Do(t, syscall.Mkfifo(filepath.Join(h, "pipe"), 0o600))
	l := must.Get(net.Listen("unix", filepath.Join(h, "socket")))(t)
	defer l.Close()
	for name, target := range map[string]string{"to-pipe": "pipe", "to-device": "/dev/zero", "abs": filepath.Join(dir, "docs", "a"), "loop": "loop"} {
		must.Do(t, os.Symlink(target, filepath.Join(h, name)))
	}
	must.Do(t, os.Mkdir(filepath.Join(dir, "docs"), 0o700))
	for _, file := range []string{filepath.Join(dir, "docs", "a"), filepath.Join(h, "swapped")} {
		must.Write(t, file, "text")
	}
	c := scan(t, openRoot(t, dir), Options{})
	must.Equal(t, "x://h/abs x://h/swapped", strings.Join(uris(c), " "), "served")
	for _, want := range []string{"pipe: is not served: is not a regular file", "socket: is not served: is not a regular file", "to-pipe: is not served: is not a regular file", "to-device: is not served: is a link that leads out", "loop: is not served: is a link that leads back"} {
		if !strings.Contains(strings.Join(warnings(c), "\n"), "resources/x/h/"+want) {
			t.Errorf("no warning %q in %q", want, warnings(c))
		}
	}
	r, _ := c.Lookup("x://h/swapped")
	must.Do(t, os.Remove(filepath.Join(h, "swapped")))
	must.Do(t, syscall.Mkfifo(filepath.Join(h, "swapped"), 0o600))
	if _, _, err := c.Content(r, 1000); err == nil {
		t.Error("a pipe that took a file's place is read")
	}
}

func TestDeepFolders(t *testing.T) {
	dir := t.TempDir()
	root := must.Get(os.OpenRoot(dir))(t)
	defer root.Close()
	deep := "resources/x/h/" + strings.Repeat(strings.Repeat("d", 255)+"/", 60)
	must.Do(t, root.MkdirAll(deep, 0o700))
	must.Do(t, root.WriteFile(deep+"f", []byte("deep"), 0o600))
	c := scan(t, openRoot(t, dir), Options{})
	for r := range c.All() {
		found, ok := c.Lookup(r.URI())
		if !ok {
			t.Fatalf("the URI of %d bytes is not found", len(r.URI()))
		}
		if _, data, err := c.Content(found, 1000); err != nil || !bytes.Equal(data, []byte("deep")) {
			t.Errorf("%q, %v", data, err)
		}
	}
	if c.Len() != 1 {
		t.Errorf("%d resources, want 1", c.Len())
	}
}

func openRoot(t *testing.T, dir string) *rootfs.FS {
	t.Helper()
	fsys := must.Get(rootfs.Open(dir))(t)
	t.Cleanup(func() { fsys.Close() })
	return fsys
}
