package mcpb

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
)

// binaries returns the smallest possible programs for the platforms.
func binaries() map[string]bundle.File {
	mach := func(cpu byte) []byte {
		return append([]byte{0xcf, 0xfa, 0xed, 0xfe, cpu, 0, 0, 1}, make([]byte, 24)...)
	}
	elf := append([]byte("\x7fELF\x02\x01"), make([]byte, 58)...)
	binary.LittleEndian.PutUint16(elf[18:], 62)
	pe := append([]byte("MZ"), make([]byte, 78)...)
	binary.LittleEndian.PutUint32(pe[60:], 64)
	copy(pe[64:], "PE\x00\x00\x64\x86")
	files := map[string]bundle.File{}
	for platform, data := range map[string][]byte{"darwin-arm64": mach(12), "darwin-x64": mach(7), "linux-x64": elf, "win32-x64": pe} {
		files[platform] = bundle.Bytes("binaries/"+platform, bundle.ModePlain, data)
	}
	return files
}

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
			bundle.Bytes("resources/acme/run.sh", bundle.ModeExecutable, []byte("#!/bin/sh\n")),
		},
		Binaries: binaries(),
		Licences: []bundle.File{bundle.Bytes("LICENSE", bundle.ModePlain, []byte("mine"))},
		Tools:    []Tool{{"searchAcme", "Searches"}, {Name: "list_resources"}},
		Prompts: []Prompt{
			{"team/setup", "Sets up", []string{"project"}, "Set up " + Placeholder("project") + "\n\n[it](acme://h/${arguments.project})"},
			{Name: "hello"},
		},
	}
}

func write(t *testing.T, d Desktop) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, d); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestFiles(t *testing.T) {
	data := write(t, acme())
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	want := acme()
	contents := map[string]bundle.File{}
	for _, f := range want.Project {
		contents["project/"+f.Name] = f
	}
	contents["server/LICENSE"] = want.Licences[0]
	contents["server/mcp-docs-server-linux"] = want.Binaries["linux-x64"]
	contents["server/mcp-docs-server-win32.exe"] = want.Binaries["win32-x64"]
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
		if err != nil {
			t.Fatal(err)
		}
		actual, err := io.ReadAll(entry)
		if err != nil || !bytes.Equal(actual, expected.Bytes()) {
			t.Errorf("%s: %q, %v, want %q", f.Name, actual, err, expected.Bytes())
		}
	}
	if diff := cmp.Diff([]string{
		"-rw-r--r-- manifest.json",
		"-rw-r--r-- project/docs/empty.md",
		"-rw-r--r-- project/mcp-docs-server.json",
		"-rwxr-xr-x project/resources/acme/run.sh",
		"-rw-r--r-- project/resources/acme/é ü/日本.txt",
		"-rw-r--r-- server/LICENSE",
		"-rwxr-xr-x server/mcp-docs-server-darwin",
		"-rwxr-xr-x server/mcp-docs-server-linux",
		"-rwxr-xr-x server/mcp-docs-server-win32.exe",
	}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestSameEachTime(t *testing.T) {
	first := write(t, acme())
	again := acme()
	again.Project[0], again.Project[2] = again.Project[2], again.Project[0]
	if !bytes.Equal(first, write(t, again)) {
		t.Error("the same files in another order give another bundle")
	}
}

// schema returns the schema of the manifest. It does not check formats; TestLacks checks URLs.
func schema(t *testing.T) *jsonschema.Resolved {
	t.Helper()
	data, err := os.ReadFile("testdata/mcpb-manifest-v0.3.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return resolved
}

func TestManifest(t *testing.T) {
	full, err := acme().manifest()
	if err != nil {
		t.Fatal(err)
	}
	golden, err := os.ReadFile("testdata/manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(golden), string(full)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	least := Desktop{Info: bundle.Info{Package: "docs", Version: "1.0.0", Description: "d", Author: "a", Repository: "git@github.com:acme/docs.git"}}
	small, err := least.manifest()
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"full": full, "small": small} {
		var v map[string]any
		if err := json.Unmarshal(data, &v); err != nil {
			t.Fatal(err)
		}
		if err := schema(t).Validate(v); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		v["surplus"] = true
		if schema(t).Validate(v) == nil {
			t.Errorf("%s: the schema takes anything", name)
		}
	}
}

// A bundle that lacks something is not written, and the error names what is missing.
func TestLacks(t *testing.T) {
	for want, change := range map[string]func(*Desktop){
		`"description"`:     func(d *Desktop) { d.Info.Description = " " },
		`"author"`:          func(d *Desktop) { d.Info.Author = "" },
		`"package"`:         func(d *Desktop) { d.Info.Package = "@/" },
		`"version"`:         func(d *Desktop) { d.Info.Version = "" },
		`homepage`:          func(d *Desktop) { d.Info.Homepage = "acme.example" },
		`for darwin-arm64`:  func(d *Desktop) { delete(d.Binaries, "darwin-arm64") },
		`one for win32-x64`: func(d *Desktop) { d.Binaries["win32-x64"] = d.Binaries["linux-x64"] },
		`has the part ".."`: func(d *Desktop) { d.Project[0].Name = "../a" },
	} {
		d := acme()
		change(&d)
		var b bytes.Buffer
		if err := Write(&b, d); err == nil || b.Len() > 0 || !strings.Contains(err.Error(), want) {
			t.Errorf("%d bytes are written, want %q: %v", b.Len(), want, err)
		}
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
