package npm

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/bundle"
)

// CLI is the package that starts the program.
const CLI = "@mcp-docs-server/cli"

var (
	//go:embed launcher/run.cjs
	launcher []byte
	//go:embed launcher/README.md
	readme []byte
)

// A Platform is what a program runs on, in the words of Node (process.platform, process.arch).
type Platform struct{ OS, CPU string }

// Platforms are those that there are programs for.
var Platforms = []Platform{{"darwin", "arm64"}, {"darwin", "x64"}, {"linux", "arm64"}, {"linux", "x64"}, {"win32", "arm64"}, {"win32", "x64"}}

func (p Platform) String() string { return p.OS + "-" + p.CPU }

// Package is the name of the package that holds the program.
func (p Platform) Package() string { return CLI + "-" + p.String() }

// binary is the name of the program on its own.
func (p Platform) binary() string {
	if p.OS == "win32" {
		return "mcp-docs-server.exe"
	}
	return "mcp-docs-server"
}

// program is the name of the program among those of other platforms.
func (p Platform) program() string {
	return strings.Replace(p.binary(), "mcp-docs-server", "mcp-docs-server-"+p.String(), 1)
}

// ParsePlatforms reads a list such as "linux-x64,win32-x64". "all" is every platform.
func ParsePlatforms(list string) ([]Platform, error) {
	if list == "all" {
		return Platforms, nil
	}
	var platforms []Platform
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		i := slices.IndexFunc(Platforms, func(p Platform) bool { return p.String() == name })
		if i < 0 {
			known := make([]string, len(Platforms))
			for i, p := range Platforms {
				known[i] = p.String()
			}
			return nil, fmt.Errorf("%q is no platform that there is a program for; they are %s", name, strings.Join(known, ", "))
		}
		if !slices.Contains(platforms, Platforms[i]) {
			platforms = append(platforms, Platforms[i])
		}
	}
	return platforms, nil
}

// FindPrograms looks for the programs of platforms in a folder, each under one of these names, with .exe for Windows:
//
//	mcp-docs-server-<platform>
//	cli-<platform>/bin/mcp-docs-server
//	@mcp-docs-server/cli-<platform>/bin/mcp-docs-server
//
// The error names every platform that there is none for.
func FindPrograms(dir fs.FS, platforms []Platform) (map[Platform]bundle.File, error) {
	found := make(map[Platform]bundle.File)
	var errs []error
	for _, p := range platforms {
		names := []string{p.program(), "cli-" + p.String() + "/bin/" + p.binary(), p.Package() + "/bin/" + p.binary()}
		for _, name := range names {
			info, err := fs.Stat(dir, name)
			if err == nil && info.Mode().IsRegular() {
				found[p] = bundle.File{Name: name, Mode: bundle.ModeExecutable, Size: info.Size(), Open: opener(dir, name)}
				break
			}
		}
		if _, ok := found[p]; !ok {
			errs = append(errs, fmt.Errorf("there is no program for %s: none of %s", p, strings.Join(names, ", ")))
		}
	}
	return found, errors.Join(errs...)
}

// Release makes the packages of a release of the program, in the order in which they must be published: an optional
// dependency that is not there yet is passed over in silence. extra are files that each of them gets, such as a licence.
func Release(version string, programs map[Platform]bundle.File, extra []bundle.File) ([]*Package, error) {
	if err := CheckVersion(version); err != nil {
		return nil, err
	}
	manifest := func(name, description string) Manifest {
		return Manifest{
			Name:        name,
			Version:     version,
			Description: description,
			Homepage:    "https://github.com/mcp-docs-server/mcp-docs-server",
			License:     []byte(`"MIT"`),
			Repository:  []byte(`{"type": "git", "url": "git+https://github.com/mcp-docs-server/mcp-docs-server.git"}`),
		}
	}
	cli := &Package{Manifest: manifest(CLI, "Serves a folder of files to MCP clients")}
	cli.Manifest.Keywords = []string{"mcp", "mcp-server", "docs"}
	cli.Manifest.Main = "run.cjs"
	cli.Manifest.Bin = map[string]string{"mcp-docs-server": "run.cjs"}
	cli.Manifest.Files = []string{"run.cjs"}
	cli.Manifest.Engines = map[string]string{"node": ">=18"}
	cli.Manifest.OptionalDependencies = make(map[string]string)
	cli.Manifest.PublishConfig = map[string]any{"access": "public"}
	cli.Files = append(slices.Clone(extra), bundle.Bytes("run.cjs", bundle.ModeExecutable, launcher), bundle.Bytes("README.md", bundle.ModePlain, readme))

	var packages []*Package
	for _, p := range Platforms {
		program, ok := programs[p]
		if !ok {
			return nil, fmt.Errorf("there is no program for %s", p)
		}
		program.Name, program.Mode = "bin/"+p.binary(), bundle.ModeExecutable
		m := manifest(p.Package(), "The program of "+CLI+" for "+p.String())
		m.OS, m.CPU = []string{p.OS}, []string{p.CPU}
		m.Files = []string{"bin"}
		m.PreferUnplugged = true // what is to run must be a file
		m.PublishConfig = map[string]any{"access": "public", "executableFiles": []string{"./bin/" + p.binary()}}
		packages = append(packages, &Package{m, append(slices.Clone(extra), program)})
		cli.Manifest.OptionalDependencies[p.Package()] = version
	}
	return append(packages, cli), nil
}
