// Command release makes the npm packages of the program, and lists of its components:
//
//	go run ./internal/dev/release                          one package with the program for this computer, in dist/npm
//	go run ./internal/dev/release -version 1.2.3 -all DIR  the packages of a release
//	go run ./internal/dev/release sbom 1.2.3 FILE PROGRAM  a list of the components of a program
//
// A release has the package @mcp-docs-server/cli with the launcher, a script that finds the program for a computer and
// starts it. The programs are in six packages, one for each platform: they are optional dependencies, and npm selects
// one by its keys os and cpu (npm docs, "package.json"). No package runs a script at installation.
//
// The same sources and Go release give the same bytes, and the same programs as GoReleaser.
package main

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/pdftest"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/npm"
)

var (
	//go:embed launcher/run.cjs
	launcher []byte
	//go:embed launcher/README.md
	readme []byte
)

// platforms are the platforms with programs, with the names of Node (process.platform, process.arch).
var platforms = []platform{{"darwin", "arm64"}, {"darwin", "x64"}, {"linux", "arm64"}, {"linux", "x64"}, {"win32", "arm64"}, {"win32", "x64"}}

type platform struct{ os, cpu string }

func (p platform) String() string { return p.os + "-" + p.cpu }

func (p platform) extension() string {
	if p.os == "win32" {
		return ".exe"
	}
	return ""
}

// The names of Node for those of Go, and the reverse.
var toNode, toGo = strings.NewReplacer("windows", "win32", "amd64", "x64"), strings.NewReplacer("win32", "windows", "x64", "amd64")

// here returns the platform of this computer.
func here() platform { return platform{toNode.Replace(runtime.GOOS), toNode.Replace(runtime.GOARCH)} }

func main() {
	version := flag.String("version", "0.0.0", "version of the packages")
	all := flag.Bool("all", false, "make the packages of a release")
	only := flag.String("only", "", "with -all, the only platforms with programs, separated by commas")
	flag.Parse()
	if *only != "" {
		platforms = slices.DeleteFunc(platforms, func(p platform) bool { return !slices.Contains(strings.Split(*only, ","), p.String()) })
	}
	dir := cmp.Or(flag.Arg(0), "dist/npm")
	var err error
	if dir == "sbom" {
		err = writeSBOM(flag.Args()[1:])
	} else {
		err = run(*version, *all, dir, compile)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// A builder makes the program for a platform, in a temporary folder.
type builder func(folder string, p platform, version string) (bundle.File, error)

func run(version string, all bool, dir string, build builder) error {
	if err := errors.Join(npm.CheckVersion(version), os.MkdirAll(dir, 0o755)); err != nil {
		return err
	}
	programs, err := os.MkdirTemp("", "release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(programs)
	cli := describe(npm.CLI, version, "Serves a folder of files to MCP clients")
	cli.Manifest.Keywords = []string{"mcp", "mcp-server", "docs"}
	cli.Manifest.Main, cli.Manifest.Bin = "run.cjs", map[string]string{"mcp-docs-server": "run.cjs"}
	cli.Manifest.Engines = map[string]string{"node": ">=18"}
	cli.Files = append(cli.Files, bundle.Script("run.cjs", launcher), bundle.Bytes("README.md", readme))
	if !all {
		p := here()
		program, err := build(programs, p, version)
		if err != nil {
			return err
		}
		// where the launcher looks first
		program.Name = "mcp-docs-server-" + p.String() + p.extension()
		cli.Manifest.OS, cli.Manifest.CPU = []string{p.os}, []string{p.cpu}
		cli.Files = append(cli.Files, program)
		return write(dir, cli)
	}
	cli.Manifest.OptionalDependencies = make(map[string]string)
	for _, p := range platforms {
		program, err := build(programs, p, version)
		if err != nil {
			return err
		}
		program.Name = "bin/mcp-docs-server" + p.extension()
		name := npm.CLI + "-" + p.String()
		only := describe(name, version, "The program of "+npm.CLI+" for "+p.String())
		only.Manifest.OS, only.Manifest.CPU = []string{p.os}, []string{p.cpu}
		only.Manifest.PreferUnplugged = true // a program must be a file to run
		only.Manifest.PublishConfig["executableFiles"] = []string{"./" + program.Name}
		text := fmt.Appendf(nil, "# %s\n\nnpm installs it with [%[2]s](https://www.npmjs.com/package/%[2]s) on computers with this system and processor.\n", name, npm.CLI)
		only.Files = append(only.Files, program, bundle.Bytes("README.md", text))
		if err := write(dir, only); err != nil {
			return err
		}
		cli.Manifest.OptionalDependencies[name] = version
	}
	return write(dir, cli)
}

// describe returns a package with the licences.
func describe(name, version, description string) *npm.Package {
	return &npm.Package{Manifest: npm.Manifest{
		Name: name, Version: version, Description: description,
		Homepage:      "https://github.com/mcp-docs-server/mcp-docs-server",
		License:       []byte(`"MIT"`),
		Repository:    []byte(`{"type": "git", "url": "git+https://github.com/mcp-docs-server/mcp-docs-server.git"}`),
		PublishConfig: map[string]any{"access": "public"},
	}, Files: slices.Clone(bundle.LicenceFiles())}
}

// compile builds the program for a platform, with the flags of .goreleaser.yaml.
func compile(dir string, p platform, version string) (bundle.File, error) {
	name := filepath.Join(dir, p.String())
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags",
		"-s -w -X github.com/mcp-docs-server/mcp-docs-server/internal/cli/command.release="+version, "-o", name, "./cmd/mcp-docs-server")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOEXPERIMENT=", "GOOS="+toGo.Replace(p.os), "GOARCH="+toGo.Replace(p.cpu))
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return bundle.File{}, fmt.Errorf("go build for %s: %w", p, err)
	}
	info, err := os.Stat(name)
	if err != nil {
		return bundle.File{}, err
	}
	return bundle.File{Mode: bundle.ModeExecutable, Size: info.Size(), Open: func() (io.ReadCloser, error) { return os.Open(name) }}, nil
}

// write writes a package, and prints its path.
func write(dir string, p *npm.Package) error {
	name := filepath.Join(dir, p.FileName())
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	fmt.Println(name)
	return errors.Join(p.WriteTarball(f), f.Close())
}

const tool = "github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0"

// writeSBOM writes a list of the components of a program. The Go modules are in the program; PDFium, which the program embeds, is added.
func writeSBOM(args []string) error {
	if len(args) != 3 {
		return fmt.Errorf("usage: release sbom VERSION FILE PROGRAM")
	}
	cmd := exec.Command("go", "run", tool, "bin", "-json", "-std", "-noserial", "-version", args[0], args[2])
	cmd.Stderr = os.Stderr
	list, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("cyclonedx-gomod: %w", err)
	}
	list, err = withPDFium(list)
	if err != nil {
		return err
	}
	return os.WriteFile(args[1], list, 0o644)
}

// withPDFium adds PDFium to a list in the format of CycloneDX.
func withPDFium(list []byte) ([]byte, error) {
	var all map[string]any
	if err := json.Unmarshal(list, &all); err != nil {
		return nil, err
	}
	components, _ := all["components"].([]any)
	all["components"] = append(components, map[string]any{
		"bom-ref": "pdfium", "type": "library", "name": "pdfium", "version": "as in " + pdftest.GoModule + " " + pdftest.ModuleVersion,
		"description": "reads PDF files; a part of the WebAssembly module with this digest",
		"purl":        "pkg:golang/" + pdftest.GoModule + "@" + pdftest.ModuleVersion,
		"hashes":      []any{map[string]any{"alg": "SHA-256", "content": pdftest.ModuleDigest}},
		"licenses":    []any{map[string]any{"license": map[string]any{"id": "Apache-2.0"}}, map[string]any{"license": map[string]any{"id": "BSD-3-Clause"}}},
	})
	return json.MarshalIndent(all, "", "  ")
}
