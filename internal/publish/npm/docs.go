package npm

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// stdio is the command of a docs package: it serves the folder of the installed package, or runs
// the command in its arguments with that folder as the project.
const stdio = `#!/usr/bin/env node
const project = require("node:path").join(__dirname, "..")
const args = process.argv.slice(2)
require("@mcp-docs-server/cli").run(args.length > 0 ? ["--project", project, ...args] : ["serve", project])
`

// Docs returns the package of a project with these files. cliVersion is the exact version of
// @mcp-docs-server/cli that it depends on.
func Docs(info bundle.Info, origin Origin, files []bundle.File, cliVersion string) *Package {
	p := docs(info, origin, append(slices.Clone(files), bundle.Bytes("bin/stdio.js", bundle.ModeExecutable, []byte(stdio))))
	p.Manifest.Dependencies = map[string]string{CLI: cliVersion}
	return p
}

// SelfContained returns a package of a project without dependencies: it contains the launcher and
// programs, with their licences in the same folder. On a platform without a program, the launcher
// reports that it is missing.
func SelfContained(info bundle.Info, origin Origin, files []bundle.File, programs Programs) *Package {
	files = append(slices.Clone(files),
		bundle.Bytes("bin/stdio.js", bundle.ModeExecutable, []byte(strings.Replace(stdio, CLI, "./run.cjs", 1))),
		bundle.Bytes("bin/run.cjs", bundle.ModePlain, launcher))
	for _, licence := range programs.Licences {
		licence.Name = "bin/" + licence.Name
		files = append(files, licence)
	}
	for platform, program := range programs.Files {
		program.Name, program.Mode = "bin/"+platform.program(), bundle.ModeExecutable
		files = append(files, program)
	}
	return docs(info, origin, files)
}

func docs(info bundle.Info, origin Origin, files []bundle.File) *Package {
	m := Manifest{
		Name:            info.Package,
		Version:         info.Version,
		Description:     cmp.Or(info.Description, info.Title+" documentation over MCP"),
		Keywords:        info.Keywords,
		MCPName:         info.ServerName,
		Homepage:        info.Homepage,
		Bugs:            origin.bugs,
		License:         origin.license,
		Author:          origin.author,
		Repository:      origin.repository,
		Bin:             map[string]string{info.Slug(): "bin/stdio.js"},
		Engines:         map[string]string{"node": ">=18"},
		PreferUnplugged: true, // the program cannot read the files from a zip file
		PublishConfig:   origin.publishConfig,
	}
	if m.Keywords == nil {
		m.Keywords = []string{"mcp", "mcp-server", "docs"}
	}
	top := make(map[string]bool)
	for _, f := range files {
		name, _, _ := strings.Cut(f.Name, "/")
		top[name] = !IsExtra(name)
	}
	maps.DeleteFunc(top, func(_ string, listed bool) bool { return !listed })
	m.Files = slices.Sorted(maps.Keys(top))
	return &Package{m, files}
}

// extra matches files that npm puts into every package, listed or not (npm docs, "package.json",
// files).
var extra = lazyregexp.New(`(?i)^(readme|copying|licen[sc]e)(\..*)?$`)

// IsExtra reports whether a file of this name next to package.json goes into every package.
func IsExtra(name string) bool { return extra().MatchString(name) }
