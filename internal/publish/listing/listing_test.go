package listing

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
)

func acmeDesktop() Desktop {
	return Desktop{
		Info: bundle.Info{
			Title: "Acme", Package: "@acme/docs", Version: "1.2.3", Description: "All of <Acme>", Author: "Acme Inc.", License: "MIT",
			Homepage: "https://acme.example", Repository: "git+https://github.com/acme/docs.git", Keywords: []string{"bells"},
		},
		Project: []bundle.File{
			bundle.Bytes("resources/acme/é ü/日本.txt", []byte("text")),
			bundle.Bytes("mcp-docs-server.json", []byte("{}")),
			bundle.Bytes("docs/empty.md", nil),
			bundle.Script("bin/stdio.js", []byte("#!/usr/bin/env node\n")),
		},
		Entry: "bin/stdio.js",
		Tools: []Tool{{"searchAcme", "Searches"}, {Name: "list_resources"}},
		Prompts: []Prompt{
			{"team/setup", "Sets up", []string{"project"}, "Set up " + Placeholder("project") + "\n\n[it](acme://h/${arguments.project})"},
			{Name: "hello"},
		},
	}
}

func write(t *testing.T, d Desktop) []byte {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, WriteZip(&b, must.Get(d.Files())(t)))
	return b.Bytes()
}

func TestFiles(t *testing.T) {
	data := write(t, acmeDesktop())
	r := must.Get(zip.NewReader(bytes.NewReader(data), int64(len(data))))(t)
	want := acmeDesktop()
	contents := map[string]bundle.File{}
	for _, f := range want.Project {
		contents["project/"+f.Name] = f
	}
	var got []string
	for _, f := range r.File {
		got = append(got, f.Mode().String()+" "+f.Name)
		if !f.Modified.Equal(changed) {
			t.Errorf("%s: changed %v", f.Name, f.Modified)
		}
		var expected bytes.Buffer
		if c, ok := contents[f.Name]; !ok {
			continue
		} else if err := c.Copy(&expected); err != nil {
			t.Fatal(err)
		}
		entry, err := f.Open()
		must.Do(t, err)
		actual, err := io.ReadAll(entry)
		if err != nil || !bytes.Equal(actual, expected.Bytes()) {
			t.Errorf("%s: %q, %v, want %q", f.Name, actual, err, expected.Bytes())
		}
	}
	must.Equal(t, []string{
		"-rw-r--r-- manifest.json",
		"-rwxr-xr-x project/bin/stdio.js",
		"-rw-r--r-- project/docs/empty.md",
		"-rw-r--r-- project/mcp-docs-server.json",
		"-rw-r--r-- project/resources/acme/é ü/日本.txt",
	}, got)
}

func TestManifest(t *testing.T) {
	full := must.Get(acmeDesktop().manifest())(t)
	golden := must.Get(os.ReadFile("testdata/manifest.json"))(t)
	must.Equal(t, string(golden), string(full))
	least := Desktop{Info: bundle.Info{Package: "docs", Version: "1.0.0", Title: "Acme", Repository: "git@github.com:acme/docs.git"}}
	small := must.Get(least.manifest())(t)
	// The schema does not check formats; TestHomepage checks URLs.
	schema := must.Get(resolve(must.Get(os.ReadFile("testdata/mcpb-manifest-v0.3.schema.json"))(t)))(t)
	for name, data := range map[string][]byte{"full": full, "small": small} {
		var v map[string]any
		must.Do(t, json.Unmarshal(data, &v))
		if err := schema.Validate(v); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if name == "small" && (v["description"] != "Documents of Acme" || v["author"].(map[string]any)["name"] != "Acme") {
			t.Errorf("defaults: %s", data)
		}
		v["surplus"] = true
		if schema.Validate(v) == nil {
			t.Errorf("%s: the schema takes anything", name)
		}
	}
}

func TestHomepage(t *testing.T) {
	d := acmeDesktop()
	d.Info.Homepage = "acme.example"
	if _, err := d.Files(); err == nil || !strings.Contains(err.Error(), "homepage") {
		t.Error(err)
	}
}

func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"docs/é 日本, (1) & more!.md": "",
		"docs/a:b.md":               `"docs/a:b.md" cannot be unpacked on every system: has ':' in its name, which Windows does not allow; rename it`,
		"Other/x":                   `"Other" cannot be unpacked on every system: is the same name as "other" to most disks of Windows and macOS; rename it`,
	} {
		files := []bundle.File{
			bundle.Bytes("other/a.md", nil),
			bundle.Bytes(name, nil),
			bundle.Bytes(path.Join(path.Dir(name), "also.md"), nil),
		}
		got := ""
		if err := checkNames(files); err != nil {
			got = err.Error()
		}
		must.Equal(t, want, got, name)
	}
}

func acmeServer() Server {
	return Server{
		Info: bundle.Info{
			ServerName: "io.github.acme/docs", Title: "Acme", Description: "All of <Acme>", Package: "@acme/docs", Version: "1.2.3",
			Homepage: "https://acme.example/docs", Repository: "git+https://github.com/acme/docs.git",
		},
		NPM:        true,
		Image:      "ghcr.io/acme/docs:1.2.3",
		DesktopURL: "https://github.com/acme/docs/releases/download/v1.2.3/acme-docs.mcpb",
		DesktopSum: strings.Repeat("0123456789abcdef", 4),
		Remote:     "https://docs.acme.example/mcp",
	}
}

func TestJSON(t *testing.T) {
	got := must.Get(acmeServer().JSON())(t)
	want := must.Get(os.ReadFile("testdata/server.json"))(t)
	must.Equal(t, string(want), string(got))
}

func TestOneWay(t *testing.T) {
	for _, test := range []struct {
		keep func(s, all *Server)
		want string // the packages and remotes
	}{
		{func(s, all *Server) { s.NPM = true }, `[{"registryType":"npm","identifier":"@acme/docs","version":"1.2.3","runtimeHint":"npx","transport":{"type":"stdio"}}] null`},
		{func(s, all *Server) { s.Image = all.Image }, `[{"registryType":"oci","identifier":"ghcr.io/acme/docs:1.2.3","runtimeHint":"docker","transport":{"type":"stdio"}}] null`},
		{func(s, all *Server) { s.DesktopURL, s.DesktopSum = all.DesktopURL, all.DesktopSum }, `[{"registryType":"mcpb","identifier":"https://github.com/acme/docs/releases/download/v1.2.3/acme-docs.mcpb","fileSha256":"` +
			strings.Repeat("0123456789abcdef", 4) + `","transport":{"type":"stdio"}}] null`},
		{func(s, all *Server) { s.Remote = all.Remote }, `null [{"type":"streamable-http","url":"https://docs.acme.example/mcp"}]`},
	} {
		all := acmeServer()
		s := Server{Info: bundle.Info{ServerName: "io.github.acme/docs", Description: "d", Package: "@acme/docs", Version: "1.2.3", Repository: "https://git.example/acme"}}
		test.keep(&s, &all)
		data, err := s.JSON()
		if err != nil {
			t.Error(err)
			continue
		}
		var d document
		must.Do(t, json.Unmarshal(data, &d))
		if d.Title != "" || d.WebsiteURL != "" || d.Repository != nil {
			t.Errorf("surplus keys: %s", data)
		}
		packages, _ := json.Marshal(d.Packages)
		remotes, _ := json.Marshal(d.Remotes)
		must.Equal(t, test.want, string(packages)+" "+string(remotes))
	}
}

func TestValidate(t *testing.T) {
	for _, test := range []struct{ old, new, want string }{
		{"", "", ""},
		{`"title": "Acme"`, `"title": "` + strings.Repeat("ä", 100) + `"`, ""},
		{`"title": "Acme"`, `"title": "` + strings.Repeat("ä", 101) + `"`, "maxLength"},
		{`"description": "All of <Acme>",`, ``, "description"},
		{`"streamable-http"`, `"carrier-pigeon"`, "anyOf"},
		{`schemas/2025-12-11/`, `schemas/2025-07-09/`, "$schema must be"},
		{`{`, `[`, "server.json:"},
	} {
		data := must.Get(os.ReadFile("testdata/server.json"))(t)
		changed := strings.Replace(string(data), test.old, test.new, 1)
		if test.old != test.new && changed == string(data) {
			t.Errorf("%q is not in the file", test.old)
		}
		switch err := Validate([]byte(changed)); {
		case test.want == "" && err != nil:
			t.Errorf("%q: %v", test.new, err)
		case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%q: %v, want %q", test.new, err, test.want)
		}
	}
}

func TestRefused(t *testing.T) {
	for want, change := range map[string]func(*Server){
		`write "mcpName" into package.json`:     func(s *Server) { s.Info.ServerName = "" },
		`write "description" into package.json`: func(s *Server) { s.Info.Description = " " },
		"--image":                               func(s *Server) { *s = Server{Info: s.Info} },
		"password":                              func(s *Server) { s.Remote = "https://me:secret@acme.example/mcp" },
		"properties/name: pattern":              func(s *Server) { s.Info.ServerName = "acme" },
		"properties/description: maxLength":     func(s *Server) { s.Info.Description = strings.Repeat("d", 101) },
	} {
		s := acmeServer()
		change(&s)
		if _, err := s.JSON(); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
