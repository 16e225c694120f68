package bundle

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/pdftest"
)

// Only the contents that were checked are copied.
func TestCopy(t *testing.T) {
	seen, other := sha256.Sum256([]byte("ab")), sha256.Sum256([]byte("ba"))
	for _, test := range []struct {
		size int64
		sum  string
		ok   bool
	}{{2, "", true}, {1, "", false}, {3, "", false}, {2, string(seen[:]), true}, {2, string(other[:]), false}} {
		f := Bytes("a.md", []byte("ab"))
		f.Size, f.Sum = test.size, test.sum
		if err := f.Copy(io.Discard); (err == nil) != test.ok || err != nil && !strings.Contains(err.Error(), "a.md: changed") {
			t.Errorf("%+v: %v", test, err)
		}
	}
}

func TestSlug(t *testing.T) {
	for name, want := range map[string]string{
		"@acme/docs": "acme-docs", "docs": "docs", "@Acme/My.Docs_2": "acme-my-docs-2", "Acme Docs!": "acme-docs", "--a--": "a", "文": "", "": "",
	} {
		must.Equal(t, want, (Info{Package: name}).Slug(), name)
	}
}

func TestWriteFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	files := []File{Script("bin/stdio.js", []byte("#!")), Bytes("docs/a/b.md", []byte("b"))}
	must.Do(t, WriteFolder(dir, files))
	for name, want := range map[string]string{"bin/stdio.js": "#!", "docs/a/b.md": "b"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || string(data) != want {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
	if err := WriteFolder(dir, files); err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("into a folder that is not empty: %v", err)
	}
	for _, name := range []string{"../out", "/out", "twice"} {
		above := t.TempDir()
		if err := WriteFolder(filepath.Join(above, "out"), []File{Bytes("twice", nil), Bytes(name, nil)}); err == nil {
			t.Errorf("%s was written", name)
		}
		if left, err := os.ReadDir(above); err != nil || len(left) > 0 {
			t.Errorf("%s: left are %v, %v", name, left, err)
		}
	}
}

// A folder is not written in part.
func TestWriteFolderStops(t *testing.T) {
	above := t.TempDir()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var read int
	files := []File{Bytes("a", make([]byte, 100<<10)), Bytes("b", nil)}
	for i := range files {
		files[i] = files[i].Attended(ctx, func(n int) {
			read += n
			stop()
		})
	}
	if err := WriteFolder(filepath.Join(above, "out"), files); !errors.Is(err, context.Canceled) || read == 0 || read == 100<<10 {
		t.Errorf("%v after %d bytes", err, read)
	}
	if names, err := os.ReadDir(above); err != nil || len(names) > 0 {
		t.Errorf("%v is left, %v", names, err)
	}
	if _, err := files[1].Open(); !errors.Is(err, context.Canceled) {
		t.Errorf("opened all the same: %v", err)
	}
}

func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"docs": "new", "@acme/docs": "new", "acme.docs_2": "new", "9": "new", strings.Repeat("a", 214): "new",
		"Docs": "old", "@Acme/docs": "old", "_docs": "old", "~docs": "old", strings.Repeat("a", 215): "old",
		"node_modules": "old", "favicon.ico": "old",
		"": "none", "-g": "none", ".docs": "none", "@acme": "none", "@acme/": "none", "@-g/a": "none", "a/b": "none", "../x": "none", "a b": "none", "a&b": "none", "é": "none", "a\n": "none",
	} {
		got := "none"
		if IsNewPackage(name) {
			got = "new"
		} else if IsPackage(name) {
			got = "old"
		}
		must.Equal(t, want, got, name)
	}
}

// Versions of semver.org, and versions that only npm or Go accepts.
func TestVersions(t *testing.T) {
	for version, want := range map[string]bool{
		"0.0.4": true, "1.0.0-alpha.beta.1": true, "1.0.0-0A.is.legal": true, "1.2.3----RC-SNAPSHOT.12.9.1--.12": true, "99999999999999999999999.999999999999999999.99999999999999999": true,
		"": false, "1.2": false, "v1.2.3": false, " 1.2.3": false, "1.2.3\n": false, "01.1.1": false, "1.2.3-0123": false, "1.2.3-": false, "1.2.3-é": false, "1.x": false, "1.2.3+build": false,
	} {
		must.Equal(t, want, IsVersion(version), version)
	}
}

func TestUnportable(t *testing.T) {
	var files []File
	for _, name := range []string{
		"docs/a.md", "docs/A.md", "docs/b.md", "Docs/b.md", "docs/e\u0301.md", "docs/\u00e9.md", "x/CON/a", "x/CON/b", "x/aux.txt", "x/auxiliary", "x/com1 .txt", "x/a.", "x/b ", "x/a:b", `x/a\b`,
		"x/new\nline", "x/caf\xe9", "x/fine name [1] {2} é.md",
	} {
		files = append(files, Bytes(name, nil))
	}
	Sort(files)
	var got []string
	for _, n := range Unportable(files) {
		got = append(got, n.Path+" "+strings.ReplaceAll(n.Reason, "\n", "\\n"))
	}
	const same, device = " to most disks of Windows and macOS", " has a name that Windows reserves for a device"
	want := []string{
		`docs is the same name as "Docs"` + same,
		"x/CON" + device,
		"x/a. has a name that ends in a dot or a space, which Windows drops",
		`x/a:b has ':' in its name, which Windows does not allow`,
		`x/a\b has '\\' in its name, which Windows does not allow`,
		"x/aux.txt" + device,
		"x/b  has a name that ends in a dot or a space, which Windows drops",
		"x/com1 .txt" + device,
		"x/new\nline has '\\n' in its name, which Windows does not allow",
	}
	must.Equal(t, want, got)
	files = files[:0]
	for _, name := range []string{"docs/A.md", "docs/a.md", "docs/e\u0301.md", "docs/\u00e9.md"} {
		files = append(files, Bytes(name, nil))
	}
	if got := Unportable(files); len(got) != 2 || got[0].Path != "docs/a.md" || got[1].Path != "docs/\u00e9.md" {
		t.Errorf("%v", got)
	}
}

// TestCurrent compares the licences with the modules that are linked into the programs of a release, for each system. Only go
// generate can check the whole text.
func TestCurrent(t *testing.T) {
	modules := make(map[string]string) // to their versions
	for _, platform := range []string{"darwin/arm64", "linux/amd64", "windows/amd64"} {
		system, processor, _ := strings.Cut(platform, "/")
		list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{end}}{{end}}", "../../../cmd/mcp-docs-server")
		list.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0", "GOFLAGS=") // the race detector would need cgo
		out := must.Get(list.Output())(t)
		for line := range strings.Lines(string(out)) {
			if name, version, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
				modules[name] = version
			}
		}
	}
	if modules["github.com/spf13/cobra"] == "" {
		t.Fatalf("the program has the modules %q", modules)
	}
	for name, version := range modules {
		if !strings.Contains(thirdParty, "\n"+LicenceHeading+name+" "+version+": ") {
			t.Errorf("the licence of %s %s is missing; run go generate ./internal/dev/generate", name, version)
		}
	}
	for _, part := range []string{"pdfium", "freetype", "zlib", "emscripten"} {
		if !strings.Contains(thirdParty, "from "+pdftest.GoModule+" "+pdftest.ModuleVersion+": LICENSE-"+part+"\n") {
			t.Errorf("the licence of %s in PDFium is missing", part)
		}
	}
	licence := must.Get(os.ReadFile("../../../LICENSE"))(t)
	if string(licence) != program || !strings.HasPrefix(Licences(), string(bytes.TrimSpace(licence))) || !strings.Contains(Licences(), "The Go Authors") {
		t.Error("the licence of the program is another one; run go generate ./internal/dev/generate")
	}
}
