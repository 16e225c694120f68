package bundle

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestWriteTar(t *testing.T) {
	files := []File{
		Bytes("docs/z.md", ModePlain, []byte("z")),
		Bytes("bin/stdio.js", ModeExecutable, []byte("#!")),
		Bytes("package.json", ModePlain, []byte("{}")),
		Bytes(strings.Repeat("ä/", 100)+"\xff.md", ModePlain, nil),
	}
	Sort(files, "package.json")
	var b bytes.Buffer
	if err := WriteTar(&b, "package", time.Unix(0, 0), files); err != nil {
		t.Fatal(err)
	}
	var got []string
	r := tar.NewReader(&b)
	for {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if h.Uid != 0 || h.Gid != 0 || h.Uname != "" || !h.ModTime.Equal(time.Unix(0, 0)) {
			t.Errorf("%s: header %+v", h.Name, h)
		}
		got = append(got, h.FileInfo().Mode().String()+" "+h.Name+" "+string(data))
	}
	want := []string{
		"-rw-r--r-- package/package.json {}",
		"-rwxr-xr-x package/bin/stdio.js #!",
		"-rw-r--r-- package/docs/z.md z",
		"-rw-r--r-- package/" + strings.Repeat("ä/", 100) + "\xff.md ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestCopyOfAChangedFile(t *testing.T) {
	for _, size := range []int64{1, 3} {
		f := Bytes("a.md", ModePlain, []byte("ab"))
		f.Size = size
		if err := f.Copy(io.Discard); err == nil || !strings.Contains(err.Error(), "a.md: changed") {
			t.Errorf("size %d: %v", size, err)
		}
	}
}

func TestSlug(t *testing.T) {
	for name, want := range map[string]string{
		"@acme/docs": "acme-docs", "docs": "docs", "@Acme/My.Docs_2": "acme-my-docs-2", "Acme Docs!": "acme-docs", "--a--": "a", "文": "", "": "",
	} {
		if got := (Info{Package: name}).Slug(); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestCopyOfCheckedFile(t *testing.T) {
	f := Bytes("a.md", ModePlain, []byte("ab"))
	seen := sha256.Sum256([]byte("ab"))
	f.Sum = string(seen[:])
	if err := f.Copy(io.Discard); err != nil {
		t.Error(err)
	}
	other := sha256.Sum256([]byte("ba"))
	f.Sum = string(other[:])
	if err := f.Copy(io.Discard); err == nil || !strings.Contains(err.Error(), "a.md: changed") {
		t.Errorf("other contents of the same size: %v", err)
	}
}
