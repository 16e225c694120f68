// Command release makes the npm packages of a release from its archives or programs, in the folder npm next to them:
//
//	go run ./internal/dev/release -version 1.2.3 dist
//
//	dist/mcp-docs-server-1.2.3-linux-x64.tar.gz   what GoReleaser made; one for each platform
//	dist/npm/mcp-docs-server-cli-1.2.3.tgz        the package that starts the program, and one with the program for each platform
//
// The same programs give the same bytes.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/executable"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/npm"
)

func main() {
	version := flag.String("version", "", "version of the release, such as 1.2.3")
	flag.Parse()
	if err := run(*version, flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(version, dir string) error {
	programs, err := npm.FindPrograms(os.DirFS(dir), npm.Platforms, version)
	if err != nil {
		return err
	}
	for platform, program := range programs.Files {
		if err := executable.Expect(platform.String(), program); err != nil {
			return err
		}
	}
	packages, err := npm.Release(version, programs.Files)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(dir, "npm"), 0o755); err != nil {
		return err
	}
	for _, p := range packages {
		f, err := os.Create(filepath.Join(dir, "npm", p.FileName()))
		if err != nil {
			return err
		}
		if err := errors.Join(p.WriteTarball(f), f.Close()); err != nil {
			return err
		}
	}
	return nil
}
