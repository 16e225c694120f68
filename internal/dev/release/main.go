// Command release makes all files of a release of the program in an empty folder:
//
//	go run ./internal/dev/release -version 1.2.3 -output dist
//
//	dist/SHA256SUMS                               sums of the files in dist
//	dist/mcp-docs-server-1.2.3.cdx.json           modules in the programs (CycloneDX 1.6)
//	dist/mcp-docs-server-1.2.3-linux-x64.tar.gz   program, README.md and licences; one per platform
//	dist/bin/mcp-docs-server-linux-x64            the programs, and licences
//	dist/npm/mcp-docs-server-cli-1.2.3.tgz        the npm packages that start the program
//
// It builds for three systems and two processors, and must be started in the folder of the module. The
// same sources, version and Go release give the same bytes on every machine: the machine, the time and
// version control do not matter. The workflow release.yml publishes the files.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/progress"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
)

func main() {
	version := flag.String("version", "", "version of the release, such as 1.2.3")
	output := flag.String("output", "dist", "folder to write to; it must be empty or new")
	flag.Parse()
	if err := run(*version, *output); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(version, output string) error {
	if !bundle.IsVersion(version) {
		return fmt.Errorf("-version is %q, must be a version such as 1.2.3 or 1.2.3-beta.1, without v", version)
	}
	for _, file := range enclosed {
		if _, err := os.Stat(file); err != nil {
			return fmt.Errorf("the current folder has no %s: start the command in the folder of the module", file)
		}
	}
	dist, err := newFolder(output)
	if err != nil {
		return err
	}
	r := &release{version: version, dist: dist, line: progress.On(os.Stderr)}
	if err := r.build(server, targets); err != nil {
		return err
	}
	if err := r.checkVersion(); err != nil {
		return err
	}
	return r.line.During(progress.Work{Name: "packing"}, func() error {
		for _, m := range makers {
			files, err := m(r)
			if err != nil {
				return err
			}
			if err := dist.write(files); err != nil {
				return err
			}
		}
		return dist.sum()
	})
}
