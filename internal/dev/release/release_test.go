package main

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/template"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/npm"
)

// configuration holds the fields of .goreleaser.yaml that the test reads. `goreleaser check` knows all fields, but no files.
type configuration struct {
	Builds []struct {
		Main         string
		Goos, Goarch []string
	}
	Archives []struct {
		NameTemplate    string   `yaml:"name_template"`
		Formats         []string // the first is the extension
		FormatOverrides []struct {
			Goos    string
			Formats []string
		} `yaml:"format_overrides"`
		Files []source
	}
	NFPMs   []struct{ Contents []source } `yaml:"nfpms"`
	Dockers []struct {
		Dockerfile string
		ExtraFiles []string `yaml:"extra_files"`
	} `yaml:"dockers_v2"`
}

type source struct{ Src string }

// TestConfiguration expects an archive for each platform of the npm packages, and that all files exist.
func TestConfiguration(t *testing.T) {
	t.Chdir("../../..")
	text := must.Get(os.ReadFile(".goreleaser.yaml"))(t)
	var c configuration
	must.Do(t, yaml.Unmarshal(text, &c))
	build, archive := c.Builds[0], c.Archives[0]
	name := template.Must(template.New("").Parse(archive.NameTemplate))
	var got, want []string
	for _, system := range build.Goos {
		extension := archive.Formats[0]
		if o := archive.FormatOverrides[0]; o.Goos == system {
			extension = o.Formats[0]
		}
		for _, processor := range build.Goarch {
			var b strings.Builder
			must.Do(t, name.Execute(&b, map[string]string{"Version": "1.2.3", "Os": system, "Arch": processor}))
			got = append(got, b.String()+"."+extension)
		}
	}
	for _, p := range platforms {
		extension := ".tar.gz"
		if p.os == "win32" {
			extension = ".zip"
		}
		want = append(want, "mcp-docs-server-1.2.3-"+p.String()+extension)
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("archives: %q, want %q", got, want)
	}
	files := append([]string{build.Main, c.Dockers[0].Dockerfile}, c.Dockers[0].ExtraFiles...)
	for _, s := range slices.Concat(archive.Files, c.NFPMs[0].Contents) {
		files = append(files, s.Src)
	}
	for _, file := range files {
		if found, err := filepath.Glob(file); (err != nil || found == nil) && !strings.HasPrefix(file, "packaging/pages/") { // which .ci/pages makes
			t.Errorf("%s is missing", file)
		}
	}
}

// TestPublished expects the workflow to publish all packages, in their order.
func TestPublished(t *testing.T) {
	workflow := must.Get(os.ReadFile("../../../.github/workflows/release.yml"))(t)
	_, list, _ := strings.Cut(string(workflow), "for name in ")
	list, _, _ = strings.Cut(list, ";")
	names := strings.Fields(list)
	if len(names) != len(platforms)+1 || names[len(names)-1] != "cli" {
		t.Fatalf("the workflow publishes %q", names)
	}
	for _, p := range platforms {
		if !slices.Contains(names, "cli-"+p.String()) {
			t.Errorf("the workflow does not publish the program for %s", p)
		}
	}
}

// TestLauncher expects the launcher to know the same platforms.
func TestLauncher(t *testing.T) {
	for _, p := range platforms {
		if !strings.Contains(string(launcher), "'"+p.String()+"'") {
			t.Errorf("run.cjs lacks %s", p)
		}
	}
}

// TestFlags expects the flags of GoReleaser, so that the programs are the same.
func TestFlags(t *testing.T) {
	config := must.Get(os.ReadFile("../../../.goreleaser.yaml"))(t)
	source := must.Get(os.ReadFile("main.go"))(t)
	for _, flag := range []string{"-trimpath", "-buildvcs=false", "-s -w -X github.com/mcp-docs-server/mcp-docs-server/internal/cli/command.release=", "CGO_ENABLED=0", "GOFLAGS=", "GOEXPERIMENT="} {
		if !strings.Contains(string(config), flag) || !strings.Contains(string(source), flag) {
			t.Errorf("%s is missing", flag)
		}
	}
}

// TestPackages makes packages of programs that are texts.
func TestPackages(t *testing.T) {
	fake := func(_ string, p platform, version string) (bundle.File, error) {
		return bundle.Script("", []byte(p.String()+" "+version)), nil
	}
	dir := t.TempDir()
	must.Do(t, errors.Join(run("1.4.2", true, dir, fake), run("1.4.2", false, filepath.Join(dir, "local"), fake)))
	names, manifest := unpacked(t, filepath.Join(dir, "mcp-docs-server-cli-1.4.2.tgz"))
	if diff := cmp.Diff([]string{"package/package.json", "package/LICENSE", "package/README.md", "package/THIRD-PARTY-LICENSES", "package/run.cjs*"}, names); diff != "" || len(manifest.OptionalDependencies) != len(platforms) || manifest.Bin["mcp-docs-server"] != "run.cjs" {
		t.Errorf("-want +got:\n%s%+v", diff, manifest)
	}
	for _, p := range platforms {
		names, m := unpacked(t, filepath.Join(dir, "mcp-docs-server-cli-"+p.String()+"-1.4.2.tgz"))
		if len(names) != 5 || names[4] != "package/bin/mcp-docs-server"+p.extension()+"*" || m.OS[0] != p.os || m.CPU[0] != p.cpu || manifest.OptionalDependencies[m.Name] != "1.4.2" {
			t.Errorf("%s: %q, %+v", p, names, m)
		}
	}
	names, manifest = unpacked(t, filepath.Join(dir, "local/mcp-docs-server-cli-1.4.2.tgz"))
	if len(names) != 6 || names[4] != "package/mcp-docs-server-"+here().String()+here().extension()+"*" || manifest.OptionalDependencies != nil || manifest.OS[0] != here().os {
		t.Errorf("local: %q, %+v", names, manifest)
	}
	if err := run("1.4", false, dir, fake); err == nil {
		t.Error("1.4 is not a version")
	}
}

// unpacked returns the names in a package, executable files with an asterisk, and its package.json.
func unpacked(t *testing.T, file string) (names []string, m npm.Manifest) {
	t.Helper()
	f := must.Get(os.Open(file))(t)
	defer f.Close()
	z := must.Get(gzip.NewReader(f))(t)
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return names, m
		}
		if err == nil && h.Name == "package/package.json" {
			err = json.NewDecoder(r).Decode(&m)
		}
		must.Do(t, err)
		if h.Mode&0o100 != 0 {
			h.Name += "*"
		}
		names = append(names, h.Name)
	}
}

func TestWithPDFium(t *testing.T) {
	got, err := withPDFium([]byte(`{"bomFormat": "CycloneDX", "components": [{"name": "github.com/spf13/cobra"}]}`))
	if text := string(got); err != nil || !strings.Contains(text, `"bomFormat": "CycloneDX"`) || !strings.Contains(text, `"github.com/spf13/cobra"`) || !strings.Contains(text, `"name": "pdfium"`) {
		t.Errorf("%v: %s", err, got)
	}
	if _, err := withPDFium([]byte("<bom>")); err == nil {
		t.Error("a list in XML")
	}
}
