package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/template"

	"go.yaml.in/yaml/v4"
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
	text, err := os.ReadFile(".goreleaser.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var c configuration
	if err := yaml.Unmarshal(text, &c); err != nil {
		t.Fatal(err)
	}
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
			if err := name.Execute(&b, map[string]string{"Version": "1.2.3", "Os": system, "Arch": processor}); err != nil {
				t.Fatal(err)
			}
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
	workflow, err := os.ReadFile("../../../.github/workflows/release.yml")
	if err != nil {
		t.Fatal(err)
	}
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
	config, err := os.ReadFile("../../../.goreleaser.yaml")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, flag := range []string{"-trimpath", "-buildvcs=false", "-s -w -X github.com/mcp-docs-server/mcp-docs-server/internal/cli/command.release=", "CGO_ENABLED=0", "GOFLAGS=", "GOEXPERIMENT="} {
		if !strings.Contains(string(config), flag) || !strings.Contains(string(source), flag) {
			t.Errorf("%s is missing", flag)
		}
	}
}
