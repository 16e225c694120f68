package main

import (
	"path"

	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/licences"
)

// binLicences puts the licences into the folder bin, next to the programs.
func binLicences(*release) ([]bundle.File, error) {
	files := licences.Files()
	for i := range files {
		files[i].Name = path.Join("bin", files[i].Name)
	}
	return files, nil
}
