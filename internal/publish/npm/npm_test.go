package npm

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
)

var acme = bundle.Info{Title: "Acme", Package: "@acme/docs", Version: "1.2.3"}

func plain(name, content string) bundle.File {
	return bundle.Bytes(name, bundle.ModePlain, []byte(content))
}

// entries are the files of a tarball, each as "mode name".
func entries(t *testing.T, tarball []byte) (names []string, contents map[string]string) {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(tarball))
	if err != nil {
		t.Fatal(err)
	}
	if z.Name != "" || z.Comment != "" || !z.ModTime.IsZero() {
		t.Errorf("the header of gzip says %+v", z.Header)
	}
	contents = make(map[string]string)
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return names, contents
		} else if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if want := "1985-10-26T08:15:00Z"; h.ModTime.UTC().Format(time.RFC3339) != want || h.Uid+h.Gid != 0 || h.Uname+h.Gname != "" {
			t.Errorf("%s: header %+v", h.Name, h)
		}
		names = append(names, h.FileInfo().Mode().String()+" "+h.Name)
		contents[strings.TrimPrefix(h.Name, "package/")] = string(data)
	}
}

func pack(t *testing.T, p *Package) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := p.WriteTarball(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestDocs(t *testing.T) {
	origin, problems := ReadOrigin("package.json", []byte(`{
		"name": "something-else", "version": "9", "private": true, "type": "module", "scripts": {"postinstall": "evil"}, "dependencies": {"left-pad": "1"},
		"description": "All about\n Acme & <more>", "license": "MIT", "author": {"name": "Acme", "email": "a@example.com"}, "repository": "acme/docs", "bugs": null,
		"keywords": ["acme"], "mcpName": "io.github.acme/docs", "publishConfig": {"access": "restricted", "@acme:registry": "https://npm.example.com/", "directory": "dist"}}`))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	info := origin.Info("Acme", "@acme/docs", "1.2.3")
	p := Docs(info, origin, []bundle.File{plain("resources/x/a", "1"), plain("mcp-docs-server.json", "{}"), plain("docs/z.md", "z"), plain("LICENSE", "MIT")}, "1.4.2")
	data := pack(t, p)
	names, contents := entries(t, data)
	want := []string{
		"-rw-r--r-- package/package.json",
		"-rw-r--r-- package/LICENSE",
		"-rwxr-xr-x package/bin/stdio.js",
		"-rw-r--r-- package/docs/z.md",
		"-rw-r--r-- package/mcp-docs-server.json",
		"-rw-r--r-- package/resources/x/a",
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	var m map[string]any
	if err := json.Unmarshal([]byte(contents[ManifestFile]), &m); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]any{
		"name": "@acme/docs", "version": "1.2.3", "description": "All about Acme & <more>", "mcpName": "io.github.acme/docs", "license": "MIT",
		"repository": "acme/docs", "bin": map[string]any{"acme-docs": "bin/stdio.js"}, "files": []any{"bin", "docs", "mcp-docs-server.json", "resources"},
		"dependencies": map[string]any{"@mcp-docs-server/cli": "1.4.2"}, "scripts": nil, "private": nil, "type": nil, "bugs": nil,
		"publishConfig": map[string]any{"@acme:registry": "https://npm.example.com/", "access": "restricted"},
	} {
		if diff := cmp.Diff(want, m[key]); diff != "" {
			t.Errorf("package.json: %s: -want +got:\n%s", key, diff)
		}
	}
	if diff := cmp.Diff(stdio, contents["bin/stdio.js"]); diff != "" {
		t.Errorf("bin/stdio.js: -want +got:\n%s", diff)
	}
	if p.FileName() != "acme-docs-1.2.3.tgz" || origin.publishConfig["access"] != "restricted" {
		t.Errorf("name %s", p.FileName())
	}
	wantInfo := bundle.Info{Title: "Acme", Package: "@acme/docs", Version: "1.2.3", Description: "All about Acme & <more>", Author: "Acme", License: "MIT",
		Repository: "git+https://github.com/acme/docs.git", Keywords: []string{"acme"}, ServerName: "io.github.acme/docs"}
	if diff := cmp.Diff(wantInfo, info); diff != "" {
		t.Errorf("info: -want +got:\n%s", diff)
	}
}

func TestOrigin(t *testing.T) {
	for text, want := range map[string]string{
		`{`:                          "package.json:1:2: ",
		`[]`:                         "package.json:1:1: ",
		`{"description": 1}`:         "package.json:1:17: description is a number",
		`{"publishConfig": "x"}`:     "package.json:1:19: publishConfig must be an object",
		"{\n\"keywords\": [1]}":      "package.json:2:14: keywords[0]",
		"\ufeff{\"license\": null}":  "",
		`{"repository": {"url": 1}}`: "",
	} {
		_, problems := ReadOrigin("package.json", []byte(text))
		if got := problems.Error(); want == "" && problems.Err() != nil || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	for in, want := range map[string]string{
		`"acme/docs"`: "git+https://github.com/acme/docs.git", `"gitlab:acme/docs.git"`: "git+https://gitlab.com/acme/docs.git",
		`{"type": "git", "url": "git+ssh://git@example.com/a/b.git"}`: "git+ssh://git@example.com/a/b.git", `"https://github.com/acme/docs"`: "https://github.com/acme/docs",
	} {
		origin, _ := ReadOrigin("package.json", []byte(`{"repository": `+in+`}`))
		if got := origin.Info("", "", "").Repository; got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
	origin, _ := ReadOrigin("package.json", []byte(`{"author": "Ann Author <ann@example.com> (https://example.com)", "license": {"type": "MIT"}}`))
	if info := origin.Info("", "", ""); info.Author != "Ann Author" || info.License != "MIT" {
		t.Errorf("%+v", info)
	}
}

// A tarball depends only on names, modes and bytes, and on no other property of the files.
func TestSameTarball(t *testing.T) {
	dir := t.TempDir()
	var files []bundle.File
	for _, name := range []string{"b.md", "a.md"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, bundle.File{Name: name, Mode: bundle.ModePlain, Size: int64(len(name)), Open: func() (io.ReadCloser, error) { return os.Open(filepath.Join(dir, name)) }})
	}
	first := pack(t, Docs(acme, Origin{}, files, "1.0.0"))
	if err := os.Chtimes(filepath.Join(dir, "a.md"), time.Now(), time.Unix(1e9, 0)); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(dir, "b.md"), 0o777); err != nil {
		t.Fatal(err)
	}
	files[0], files[1] = files[1], files[0]
	second := pack(t, Docs(acme, Origin{}, files, "1.0.0"))
	if !bytes.Equal(first, second) {
		t.Error("two tarballs of the same files differ")
	}
}

func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"docs/caf\xe9.md": "is not UTF-8", "docs/é\n.md": "has a line break", "docs/" + strings.Repeat("x", 100) + "\n": "has a line break", "docs/.gitignore": "renames", `docs/x\..\y`: "a back-slash", "docs/\x01": "a control character", "docs/a\tb\r": "", "node_modules/x": "other packages",
		"package.json": "twice", "bin/stdio.js": "twice", "docs/a\nb": "", "docs/100% é.md": "", "docs/" + strings.Repeat("é", 127): "", "resources/node_modules/x": "",
	} {
		_, err := Docs(acme, Origin{}, []bundle.File{plain(name, "")}, "1.0.0").All()
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", name, err, want)
		}
	}
	for name, ok := range map[string]bool{"@acme/docs": true, "docs": true, "Acme": false, "../x": false, CLI: false, CLI + "-linux-x64": false, "@mcp-docs-server/docs": true} {
		if err := CheckPackage(name); (err == nil) != ok {
			t.Errorf("package %q: %v", name, err)
		}
	}
}

func TestPublishOptions(t *testing.T) {
	for _, test := range []struct {
		name    string
		options PublishOptions
		want    string
		args    []string
	}{
		{"@acme/docs", PublishOptions{}, "", nil},
		{"@acme/docs", PublishOptions{Tag: "next", Access: "public", OTP: "123456", Provenance: true}, "", []string{"--tag=next", "--access=public", "--otp=123456", "--provenance"}},
		{"@acme/docs", PublishOptions{Access: "private"}, "must be \"public\" or \"restricted\"", nil},
		{"@acme/docs", PublishOptions{Tag: "a&b"}, "must be a word", nil},
		{"@acme/docs", PublishOptions{OTP: "12 & x"}, "must be the digits", nil},
	} {
		err := test.options.Check()
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%+v: %v, want %q", test.options, err, test.want)
		}
		if test.want == "" {
			if diff := cmp.Diff(test.args, test.options.args()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		}
	}
}

func TestRelease(t *testing.T) {
	programs := fstest.MapFS{}
	for _, p := range Platforms {
		programs[p.program()] = &fstest.MapFile{Data: []byte("program of " + p.String())}
	}
	found, err := FindPrograms(programs, Platforms, "")
	if err != nil {
		t.Fatal(err)
	}
	packages, err := Release("1.4.2", found.Files)
	if err != nil {
		t.Fatal(err)
	}
	if len(packages) != 7 || packages[6].Manifest.Name != CLI || len(packages[6].Manifest.OptionalDependencies) != 6 {
		t.Fatalf("%d packages, the last is %+v", len(packages), packages[len(packages)-1].Manifest)
	}
	for i, p := range Platforms {
		m := packages[i].Manifest
		if m.Name != p.Package() || m.OS[0] != p.OS || m.CPU[0] != p.CPU || packages[6].Manifest.OptionalDependencies[m.Name] != "1.4.2" || m.Bin != nil {
			t.Errorf("%s: %+v", p, m)
		}
		data := pack(t, packages[i])
		names, contents := entries(t, data)
		if diff := cmp.Diff([]string{"-rw-r--r-- package/package.json", "-rw-r--r-- package/LICENSE", "-rw-r--r-- package/README.md", "-rw-r--r-- package/THIRD-PARTY-LICENSES", "-rwxr-xr-x package/bin/" + p.binary()}, names); diff != "" {
			t.Errorf("%s: -want +got:\n%s", p, diff)
		}
		if !strings.HasPrefix(contents["README.md"], "# "+p.Package()+"\n") {
			t.Errorf("%s: README.md is %q", p, contents["README.md"])
		}
		program, texts, err := ReadProgram(p, bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if got := text(t, program); got != "program of "+p.String() || len(texts) != 2 || text(t, texts[0]) != contents["LICENSE"] {
			t.Errorf("%s: %q, %d licences", p, got, len(texts))
		}
	}
	if _, _, err := ReadProgram(Platforms[0], bytes.NewReader(pack(t, packages[6]))); err == nil || !strings.Contains(err.Error(), "it does not contain package/bin/") {
		t.Errorf("the program of a package without one: %v", err)
	}

	fat := SelfContained(acme, Origin{}, nil, found)
	data := pack(t, fat)
	names, contents := entries(t, data)
	if len(names) != 11 || fat.Manifest.Dependencies != nil || contents["bin/run.cjs"] != string(launcher) || !strings.Contains(contents["bin/stdio.js"], `require("./run.cjs").`) ||
		contents["bin/mcp-docs-server-win32-x64.exe"] != "program of win32-x64" || !strings.Contains(contents["bin/LICENSE"], "MIT") || !strings.Contains(contents["bin/THIRD-PARTY-LICENSES"], "Apache License") {
		t.Errorf("self-contained: %q\n%s", names, contents["bin/stdio.js"])
	}

	if _, err := Release("1.4", found.Files); err == nil {
		t.Error("1.4 is not a version")
	}
	delete(found.Files, Platforms[0])
	if _, err := Release("1.4.2", found.Files); err == nil {
		t.Error("a platform is missing")
	}
}

func text(t *testing.T, f bundle.File) string {
	t.Helper()
	var b bytes.Buffer
	if err := f.Copy(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestParsePlatforms(t *testing.T) {
	if got, err := ParsePlatforms("linux-x64, win32-arm64,linux-x64"); err != nil || len(got) != 2 {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := ParsePlatforms("all"); err != nil || len(got) != 6 {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := ParsePlatforms("linux-amd64"); err == nil || !strings.Contains(err.Error(), `there is no program for the platform "linux-amd64"; the platforms are darwin-arm64, `) {
		t.Errorf("%v", err)
	}
}

// The launcher knows the same platforms as this package.
func TestLauncherPlatforms(t *testing.T) {
	for _, p := range Platforms {
		if !strings.Contains(string(launcher), "'"+p.String()+"'") {
			t.Errorf("run.cjs lacks %s", p)
		}
	}
}
