package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/progress"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/licences"
)

// tiny is the source of a program that only prints its version.
const tiny = "package main\n\nimport \"os\"\n\nvar release string\n\nfunc main() { os.Stdout.WriteString(\"tiny \" + release + \"\\n\") }\n"

// buildTiny builds the program in a new folder, for this machine and another one.
func buildTiny(t *testing.T) (*release, []target) {
	t.Helper()
	dir := t.TempDir()
	for name, data := range map[string]string{"go.mod": "module tiny.example\n\ngo 1.26\n", "main.go": tiny} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	dist, err := newFolder(filepath.Join(t.TempDir(), "new", "dist"))
	if err != nil {
		t.Fatal(err)
	}
	var some []target
	for _, t := range targets {
		if t.system == runtime.GOOS && t.processor == runtime.GOARCH || t.platform == "win32-arm64" {
			some = append(some, t)
		}
	}
	r := &release{version: "1.2.3", dist: dist, line: progress.On(os.Stderr)}
	if err := r.build(program{dir, "tiny.example", "main.release"}, some); err != nil {
		t.Fatal(err)
	}
	return r, some
}

func contents(t *testing.T, f bundle.File) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := f.Copy(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestBuild builds the same source in two folders: the programs must be equal.
func TestBuild(t *testing.T) {
	t.Setenv("GOFLAGS", "-race")
	t.Setenv("CGO_ENABLED", "1")
	first, some := buildTiny(t)
	second, _ := buildTiny(t)
	for _, target := range some {
		f := first.binaries[target.platform]
		if !bytes.Equal(contents(t, f), contents(t, second.binaries[target.platform])) {
			t.Errorf("%s is another one each time", f.Name)
		}
		if target.system != runtime.GOOS {
			continue
		}
		file, err := first.dist.path(f.Name)
		if err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(file).Output(); err != nil || string(out) != "tiny 1.2.3\n" {
			t.Errorf("%s says %q, %v", f.Name, out, err)
		}
	}
	var boms [2][]byte
	for i, r := range []*release{first, second} {
		files, err := components(r)
		if err != nil {
			t.Fatal(err)
		}
		boms[i] = contents(t, files[0])
	}
	if !bytes.Equal(boms[0], boms[1]) {
		t.Error("the components are others each time")
	}
	if std := "pkg:golang/std@" + strings.TrimPrefix(runtime.Version(), "go"); !bytes.Contains(boms[0], []byte(std)) {
		t.Errorf("%s is not in %s", std, boms[0])
	}
}

func TestList(t *testing.T) {
	linked := map[string]component{}
	for _, c := range []component{moduleOf("library", "b.example/y", "v2.0.0+incompatible", "h1:x="), moduleOf("library", "a.example", "v1.0.0", "")} {
		linked[c.Ref] = c
	}
	data, err := list(moduleOf("application", "c.example", "v1.2.3", ""), linked)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"CycloneDX"`, `"1.6"`, `"pkg:golang/c.example@v1.2.3"`, `"pkg:golang/a.example@v1.0.0"`, `"pkg:golang/b.example/y@v2.0.0%2Bincompatible"`, `"h1:x="`} {
		if !bytes.Contains(data, []byte(part)) {
			t.Errorf("%s is not in %s", part, data)
		}
	}
}

// makes calls a maker with programs that are only texts.
func makes(t *testing.T, m maker) map[string][]byte {
	t.Helper()
	r := &release{version: "1.2.3", binaries: map[string]bundle.File{}}
	for _, target := range targets {
		r.binaries[target.platform] = bundle.Bytes("bin/"+target.platform, bundle.ModeExecutable, []byte("for "+target.platform))
	}
	files, err := m(r)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{}
	for _, f := range files {
		all[f.Name] = contents(t, f)
	}
	return all
}

// TestPackages expects the names that the workflow publishes.
func TestPackages(t *testing.T) {
	t.Chdir("../../..")
	first, second := makes(t, packages), makes(t, packages)
	workflow, err := os.ReadFile(".github/workflows/release.yml")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(workflow), "for name in ")
	list, _, _ = strings.Cut(list, ";")
	names := strings.Fields(list)
	if len(names) != 7 || len(first) != 7 || names[6] != "cli" {
		t.Errorf("%d packages, the workflow publishes %q", len(first), names)
	}
	for _, name := range names {
		file := "npm/mcp-docs-server-" + name + "-1.2.3.tgz"
		data, platform := first[file], strings.TrimPrefix(name, "cli-")
		if data == nil || !bytes.Equal(data, second[file]) {
			t.Errorf("%s is not there, or another one each time", file)
			continue
		}
		entries := map[string]string{}
		untar(t, data, time.Date(1985, 10, 26, 8, 15, 0, 0, time.UTC), entries)
		program := "-rwxr-xr-x package/bin/mcp-docs-server"
		if strings.HasPrefix(platform, "win32") {
			program += ".exe"
		}
		wantProgram, wantNotices := "for "+platform, string(contents(t, licences.Files()[1]))
		if name == "cli" {
			wantProgram, wantNotices = "", ""
		}
		if entries[program] != wantProgram || entries["-rw-r--r-- package/"+licences.ThirdPartyFile] != wantNotices || entries["-rw-r--r-- package/LICENSE"] == "" || entries["-rw-r--r-- package/README.md"] == "" {
			t.Errorf("%s: %d entries", file, len(entries))
		}
	}
}

func TestArchives(t *testing.T) {
	t.Chdir("../../..")
	first, second := makes(t, archives), makes(t, archives)
	if len(first) != len(targets) {
		t.Errorf("%d archives", len(first))
	}
	licence, err := os.ReadFile("LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range first {
		if !bytes.Equal(data, second[name]) {
			t.Errorf("%s is another one each time", name)
		}
		folder, entries := strings.TrimSuffix(strings.TrimSuffix(name, ".zip"), ".tar.gz"), map[string]string{}
		program := "-rwxr-xr-x mcp-docs-server"
		if strings.HasSuffix(name, ".zip") {
			program += ".exe"
			unzip(t, data, entries)
		} else {
			untar(t, data, changed, entries)
		}
		want := strings.Replace(program, " ", " "+folder+"/", 1)
		if got := entries[want]; got != "for "+strings.TrimPrefix(folder, "mcp-docs-server-1.2.3-") {
			t.Errorf("%s: %q is %q", name, want, got)
		}
		if entries["-rw-r--r-- "+folder+"/LICENSE"] != string(licence) || entries["-rw-r--r-- "+folder+"/README.md"] == "" ||
			entries["-rw-r--r-- "+folder+"/"+licences.ThirdPartyFile] != string(contents(t, licences.Files()[1])) || len(entries) != 4 {
			t.Errorf("%s: %d entries", name, len(entries))
		}
	}
}

func unzip(t *testing.T, data []byte, entries map[string]string) {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.File {
		entry, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(entry)
		if err != nil || !f.Modified.Equal(changed) {
			t.Errorf("%s: %v, changed %v", f.Name, err, f.Modified)
		}
		entries[f.Mode().String()+" "+f.Name] = string(text)
	}
}

// untar reads a compressed archive whose files all changed then.
func untar(t *testing.T, data []byte, then time.Time, entries map[string]string) {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	r := tar.NewReader(z)
	for {
		h, err := r.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil || !h.ModTime.Equal(then) {
			t.Errorf("%s: %v, changed %v", h.Name, err, h.ModTime)
		}
		entries[h.FileInfo().Mode().String()+" "+h.Name] = string(text)
	}
}

// TestBinLicences expects both files in the folder of the programs.
func TestBinLicences(t *testing.T) {
	files := makes(t, binLicences)
	if len(files) != 2 || !bytes.Contains(files["bin/LICENSE"], []byte("MIT")) || !bytes.Contains(files["bin/"+licences.ThirdPartyFile], []byte("Apache License")) {
		t.Errorf("%d files", len(files))
	}
}

func TestFolder(t *testing.T) {
	dir := t.TempDir()
	dist, err := newFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := []bundle.File{bundle.Bytes("b", bundle.ModePlain, []byte("b")), bundle.Bytes("a.zip", bundle.ModePlain, nil), bundle.Bytes("bin/x", bundle.ModeExecutable, nil)}
	if err := dist.write(files); err != nil {
		t.Fatal(err)
	}
	if err := dist.sum(); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, sumsFile))
	if err != nil {
		t.Fatal(err)
	}
	want := "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  a.zip\n" +
		"3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d  b\n"
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if _, err := newFolder(dir); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("a folder with files: %v", err)
	}
}

func TestVersions(t *testing.T) {
	for _, version := range []string{"", "v1.2.3", "1.2", "1.2.3+4", "1.2.3 -X main.x=y", "latest"} {
		if err := run(version, t.TempDir()); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("-version is %q", version)) {
			t.Errorf("%q: %v", version, err)
		}
	}
}
