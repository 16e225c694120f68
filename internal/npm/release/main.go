// Command release writes the npm packages of a release of the program: @mcp-docs-server/cli and the six that hold its
// programs. It prints their tarballs in the order in which they must be published.
//
//	go run ./internal/npm/release -version 1.4.2 -binaries dist -output packages
//
// dist holds the programs under the names that [npm.FindPrograms] looks for, each built with
//
//	CGO_ENABLED=0 GOOS=… GOARCH=… go build -trimpath -ldflags "-s -w -X github.com/mcp-docs-server/mcp-docs-server/internal/cli.release=1.4.2"
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/mcp-docs-server/mcp-docs-server/internal/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/npm"
)

func main() {
	version := flag.String("version", "", "exact version, without a v")
	binaries := flag.String("binaries", "", "folder with the programs")
	output := flag.String("output", "", "folder for the tarballs")
	licence := flag.String("license", "LICENSE", "file that each package gets as LICENSE")
	flag.Parse()
	if err := write(os.Stdout, *version, *binaries, *output, *licence); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func write(out io.Writer, version, binaries, output, licence string) error {
	text, err := os.ReadFile(licence)
	if err != nil {
		return err
	}
	programs, err := npm.FindPrograms(os.DirFS(binaries), npm.Platforms)
	if err != nil {
		return err
	}
	packages, err := npm.Release(version, programs, []bundle.File{bundle.Bytes("LICENSE", bundle.ModePlain, text)})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(output, 0o755); err != nil {
		return err
	}
	for _, p := range packages {
		name := filepath.Join(output, p.FileName())
		f, err := os.Create(name)
		if err != nil {
			return err
		}
		if _, err := p.WriteTarball(f); err != nil {
			f.Close()
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
		fmt.Fprintln(out, name)
	}
	return nil
}
