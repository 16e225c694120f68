package npm

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
)

var acme = bundle.Info{Title: "Acme", Package: "@acme/docs", Version: "1.2.3"}

func plain(name, content string) bundle.File {
	return bundle.Bytes(name, []byte(content))
}

// entries are the files of a tarball, each as "mode name".
func entries(t *testing.T, tarball []byte) (names []string, contents map[string]string) {
	t.Helper()
	z := must.Get(gzip.NewReader(bytes.NewReader(tarball)))(t)
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
		data := must.Get(io.ReadAll(r))(t)
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
	must.Do(t, p.WriteTarball(&b))
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
	p := Docs(info, origin, []bundle.File{plain("resources/x/a", "1"), plain("mcp-docs-server.json", "{}"), plain("docs/z.md", "z"), plain(strings.Repeat("ä/", 100)+"x", "x"), plain("LICENSE", "MIT"), bundle.Script("bin/stdio.js", nil)}, "bin/stdio.js")
	data := pack(t, p)
	names, contents := entries(t, data)
	want := []string{
		"-rw-r--r-- package/package.json",
		"-rw-r--r-- package/LICENSE",
		"-rwxr-xr-x package/bin/stdio.js",
		"-rw-r--r-- package/docs/z.md",
		"-rw-r--r-- package/mcp-docs-server.json",
		"-rw-r--r-- package/resources/x/a",
		"-rw-r--r-- package/" + strings.Repeat("ä/", 100) + "x",
	}
	must.Equal(t, want, names)
	var m map[string]any
	must.Do(t, json.Unmarshal([]byte(contents[ManifestFile]), &m))
	for key, want := range map[string]any{
		"name": "@acme/docs", "version": "1.2.3", "description": "All about Acme & <more>", "mcpName": "io.github.acme/docs", "license": "MIT",
		"repository": "acme/docs", "bin": map[string]any{"acme-docs": "bin/stdio.js"}, "files": nil,
		"dependencies": nil, "scripts": nil, "private": nil, "type": nil, "bugs": nil,
		"publishConfig": map[string]any{"@acme:registry": "https://npm.example.com/", "access": "restricted"},
	} {
		must.Equal(t, want, m[key], "package.json ", key)
	}
	if p.FileName() != "acme-docs-1.2.3.tgz" || origin.publishConfig["access"] != "restricted" {
		t.Errorf("name %s", p.FileName())
	}
	wantInfo := bundle.Info{Title: "Acme", Package: "@acme/docs", Version: "1.2.3", Description: "All about Acme & <more>", Author: "Acme", License: "MIT",
		Repository: "git+https://github.com/acme/docs.git", Keywords: []string{"acme"}, ServerName: "io.github.acme/docs"}
	must.Equal(t, wantInfo, info, "info")
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
		must.Equal(t, want, origin.Info("", "", "").Repository, in)
	}
	origin, _ := ReadOrigin("package.json", []byte(`{"author": "Ann Author <ann@example.com> (https://example.com)", "license": {"type": "MIT"}}`))
	if info := origin.Info("", "", ""); info.Author != "Ann Author" || info.License != "MIT" {
		t.Errorf("%+v", info)
	}
}

func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"docs/caf\xe9.md": "is not UTF-8", "docs/é\n.md": "a line break", "docs/" + strings.Repeat("x", 100) + "\n": "a line break", "docs/.gitignore": "renames", `docs/x\..\y`: "a back-slash", "docs/\x01": "a control character", "docs/a\tb\r": "", "node_modules/x": "other packages",
		"package.json": "twice", "bin/stdio.js": "twice", "docs/a\nb": "a line break", "docs/100% é.md": "", "docs/" + strings.Repeat("é", 127): "", "resources/node_modules/x": "",
	} {
		_, err := Docs(acme, Origin{}, []bundle.File{plain(name, ""), plain("bin/stdio.js", "")}, "bin/stdio.js").All()
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
	for options, want := range map[PublishOptions]string{
		{Tag: "next", Access: "public", OTP: "123456"}: "", {OTP: "12 & x"}: "must be the digits", {Access: "private"}: `must be "public" or "restricted"`, {Tag: "a&b"}: "must be a word",
	} {
		if err := options.Check(); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%+v: %v, want %q", options, err, want)
		}
	}
}

func TestExplain(t *testing.T) {
	m := Manifest{Name: "@acme/docs", Version: "1.2.3"}
	for said, want := range map[string]string{
		"npm error code ENEEDAUTH\nnpm error need auth This command requires you to be logged in to https://registry.example/":                                             "run \"npm login\" first",
		"npm error code E403\nnpm error 403 403 Forbidden - PUT https://registry.example/@acme%2fdocs - You cannot publish over the previously published versions: 1.2.3.": "the registry has version 1.2.3 of @acme/docs already",
		"npm error code EPUBLISHCONFLICT\n":                                           "has version 1.2.3",
		"npm error You cannot publish over the previously published versions: 1.2.3.": "has version 1.2.3",
		"npm error Cannot implicitly apply the \"latest\" tag because previously published version 2.0.0 is higher than the new version 1.2.3. You must specify a tag using --tag.":             "with --tag",
		"npm error code E403\nnpm error 403 403 Forbidden - PUT https://registry.example/@acme%2fdocs - You do not have permission to publish \"docs\". Are you logged in as the correct user?": "does not let this account publish @acme/docs",
		"npm error code E404\nnpm error 404 Not Found - PUT https://registry.example/@acme%2fdocs - Scope not found":                                                                            "its scope does not exist",
		"npm ERR! code ENOTFOUND\nnpm ERR! network": "the registry cannot be reached (ENOTFOUND)",
		"npm error code E402\n":                     "--access public",
		"npm error code EOTP\n":                     "--otp",
		"npm error code E500\n":                     "", "": "",
	} {
		if got := Explain(said, m); want == "" && got != "" || !strings.Contains(got, want) || strings.Contains(got, "\n") {
			t.Errorf("%q: %q, want %q", said, got, want)
		}
	}
}
