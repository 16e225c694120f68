package npm

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/executable"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/licences"
)

// CLI is the package that starts the program.
const CLI = "@mcp-docs-server/cli"

var (
	//go:embed launcher/run.cjs
	launcher []byte
	//go:embed launcher/README.md
	readme []byte
)

// A Platform is the system and processor of a program, with the names of Node (process.platform,
// process.arch).
type Platform struct{ OS, CPU string }

// Platforms are the platforms with programs.
var Platforms = []Platform{{"darwin", "arm64"}, {"darwin", "x64"}, {"linux", "arm64"}, {"linux", "x64"}, {"win32", "arm64"}, {"win32", "x64"}}

func (p Platform) String() string { return p.OS + "-" + p.CPU }

// Package is the name of the package that holds the program.
func (p Platform) Package() string { return CLI + "-" + p.String() }

// binary is the name of the program without a platform.
func (p Platform) binary() string {
	if p.OS == "win32" {
		return "mcp-docs-server.exe"
	}
	return "mcp-docs-server"
}

// readme is the text of the package's page.
func (p Platform) readme() []byte {
	return fmt.Appendf(nil, `# %s

The program of [%s](https://www.npmjs.com/package/%[2]s) for %[3]s. npm installs it together with that package on
computers with this system and processor; do not install it by itself.
`, p.Package(), CLI, p)
}

// program is the name of the program in a folder with programs for several platforms.
func (p Platform) program() string {
	return executable.File(p.String())
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
			return nil, fmt.Errorf("there is no program for the platform %q; the platforms are %s", name, strings.Join(known, ", "))
		}
		if !slices.Contains(platforms, Platforms[i]) {
			platforms = append(platforms, Platforms[i])
		}
	}
	return platforms, nil
}

// Release returns the packages of a release of the program, in the order in which they must be
// published: npm silently skips an optional dependency that does not exist yet. Each package has
// the licence; those with a program also have the third-party licences.
func Release(version string, programs map[Platform]bundle.File) ([]*Package, error) {
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
	all := licences.Files()
	cli.Files = append(licences.Files()[:1], bundle.Bytes("run.cjs", bundle.ModeExecutable, launcher), bundle.Bytes("README.md", bundle.ModePlain, readme))

	var packages []*Package
	for _, p := range Platforms {
		program, ok := programs[p]
		if !ok {
			return nil, fmt.Errorf("there is no program for %s", p)
		}
		program.Name, program.Mode = "bin/"+p.binary(), bundle.ModeExecutable
		m := manifest(p.Package(), "The program of "+CLI+" for "+p.String())
		m.OS, m.CPU = []string{p.OS}, []string{p.CPU}
		m.Files = []string{licences.ThirdPartyFile, "bin"}
		m.PreferUnplugged = true // a program must be a file to run
		m.PublishConfig = map[string]any{"access": "public", "executableFiles": []string{"./bin/" + p.binary()}}
		packages = append(packages, &Package{m, append(slices.Clone(all), program, bundle.Bytes("README.md", bundle.ModePlain, p.readme()))})
		cli.Manifest.OptionalDependencies[p.Package()] = version
	}
	return append(packages, cli), nil
}
