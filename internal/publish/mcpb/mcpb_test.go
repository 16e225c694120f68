package mcpb

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
)

func acme() Desktop {
	return Desktop{
		Info: bundle.Info{
			Title: "Acme", Package: "@acme/docs", Version: "1.2.3", Description: "All of <Acme>", Author: "Acme Inc.", License: "MIT",
			Homepage: "https://acme.example", Repository: "git+https://github.com/acme/docs.git", Keywords: []string{"bells"},
		},
		Project: []bundle.File{
			bundle.Bytes("resources/acme/é ü/日本.txt", bundle.ModePlain, []byte("text")),
			bundle.Bytes("mcp-docs-server.json", bundle.ModePlain, []byte("{}")),
			bundle.Bytes("docs/empty.md", bundle.ModePlain, nil),
			bundle.Bytes("bin/stdio.js", bundle.ModeExecutable, []byte("#!/usr/bin/env node\n")),
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
	must.Do(t, Write(&b, must.Get(d.Files())(t)))
	return b.Bytes()
}

func TestFiles(t *testing.T) {
	data := write(t, acme())
	r := must.Get(zip.NewReader(bytes.NewReader(data), int64(len(data))))(t)
	want := acme()
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

// schema returns the schema of the manifest. It does not check formats; TestHomepage checks URLs.
func schema(t *testing.T) *jsonschema.Resolved {
	t.Helper()
	data := must.Get(os.ReadFile("testdata/mcpb-manifest-v0.3.schema.json"))(t)
	var s jsonschema.Schema
	must.Do(t, json.Unmarshal(data, &s))
	return must.Get(s.Resolve(nil))(t)
}

func TestManifest(t *testing.T) {
	full := must.Get(acme().manifest())(t)
	golden := must.Get(os.ReadFile("testdata/manifest.json"))(t)
	must.Equal(t, string(golden), string(full))
	least := Desktop{Info: bundle.Info{Package: "docs", Version: "1.0.0", Title: "Acme", Repository: "git@github.com:acme/docs.git"}}
	small := must.Get(least.manifest())(t)
	for name, data := range map[string][]byte{"full": full, "small": small} {
		var v map[string]any
		must.Do(t, json.Unmarshal(data, &v))
		if err := schema(t).Validate(v); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if name == "small" && (v["description"] != "Documents of Acme" || v["author"].(map[string]any)["name"] != "Acme") {
			t.Errorf("defaults: %s", data)
		}
		v["surplus"] = true
		if schema(t).Validate(v) == nil {
			t.Errorf("%s: the schema takes anything", name)
		}
	}
}

func TestHomepage(t *testing.T) {
	d := acme()
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
			bundle.Bytes("other/a.md", bundle.ModePlain, nil),
			bundle.Bytes(name, bundle.ModePlain, nil),
			bundle.Bytes(path.Join(path.Dir(name), "also.md"), bundle.ModePlain, nil),
		}
		got := ""
		if err := checkNames(files); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
}
