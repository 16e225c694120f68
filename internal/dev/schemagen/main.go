// Command schemagen writes the JSON Schemas of mcp-docs-server.json and of templates.json, which editors
// and MCP clients read.
//
// Names, types and descriptions come from the Go types of the two files, their fields and tags. Bounds,
// defaults, patterns and sets of values are added here. A schema is stricter than the program in two
// ways: it refuses unknown keys, for which the program only warns, and null, which the program treats
// as an absent key. The same types always give the same bytes. The command runs anywhere in the module:
//
//	go run ./internal/dev/schemagen
package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

//go:generate go run .

// folder is the path of the schemas in the module. It is served: the $id of a schema is its URI.
const folder = "resources/config/schemas"

// copies are folders with another copy of a schema: "init" writes it into new projects.
var copies = map[string]string{"mcp-docs-server.schema.json": "internal/author/starter/files"}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "schemagen:", err)
		os.Exit(1)
	}
}

func run() error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	files, err := generate()
	if err != nil {
		return err
	}
	for name, data := range files {
		folders := []string{folder}
		if other, ok := copies[name]; ok {
			folders = append(folders, other)
		}
		for _, folder := range folders {
			if err := os.WriteFile(filepath.Join(root, folder, name), data, 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// moduleRoot returns the nearest folder upwards that has a go.mod.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		_, err := os.Stat(filepath.Join(dir, "go.mod"))
		if err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if !errors.Is(err, fs.ErrNotExist) || up == dir {
			return "", err
		}
		dir = up
	}
}
