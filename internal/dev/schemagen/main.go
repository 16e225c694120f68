// Command schemagen writes the JSON Schemas of mcp-docs-server.json and of templates.json, which editors
// and MCP clients read.
//
// Names, types and descriptions come from the Go types of the two files, their fields and tags. Bounds,
// defaults, patterns and sets of values are added here. A schema is stricter than the program in two
// ways: it refuses unknown keys, for which the program only warns, and null, which the program treats
// as an absent key. The same types always give the same bytes. The command runs in its own folder:
//
//	go generate ./internal/dev/schemagen
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

//go:generate go run .

const (
	root = "../../.." // of the module
	// folder is the path of the schemas in the module. It is served: the $id of a schema is its URI.
	folder = "resources/config/schemas"
)

// copies are folders with another copy of a schema: "init" writes it into new projects.
var copies = map[string]string{"mcp-docs-server.schema.json": "internal/author/starter/files"}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "schemagen:", err)
		os.Exit(1)
	}
}

func run() error {
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
